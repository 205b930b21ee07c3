"""A call as a tagged name and tagged parameters: `<function=f><parameter=x>1</parameter>...`.

The tags carry no types, so they follow the tool's schema: a value that can only be a string
streams, any other waits for its end and is then given its type. A repeated parameter stays
repeated: what streamed cannot be undone.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from ..context import Context
from ..json_stream import dumps, escape
from ..limits import MAX_NAME, trailing
from ..needs import Reads
from ..policy import Policy
from ..references import followed
from ..snapshot import count, items, texts
from ..typing_rules import SCHEMA, TypingRule
from .base import Codec, Decoder


class Trim(Enum):
    """What of a value belongs to its tags."""

    NOTHING = auto()
    NEWLINE = auto()
    """One newline at either end."""
    BLANKS = auto()
    """All white space at both ends."""


@dataclass(frozen=True, slots=True)
class TaggedParameters(Codec):
    """known: only a tool that the request offers, if it offers any, can be called.

    trims_keys: white space around the name of a parameter is none of it, else only before it.
    """

    trim: Trim = Trim.NEWLINE
    known: bool = False
    trims_keys: bool = True
    rule: TypingRule = SCHEMA
    reads = Reads.TYPES

    def start(self, context: Context) -> Decoder:
        return TaggedDecoder(self, context)

    def resume(self, saved: object, context: Context) -> Decoder:
        decoder = TaggedDecoder(self, context)
        decoder.take(saved)
        return decoder


@dataclass(frozen=True, slots=True)
class ReferringParameters(TaggedParameters):
    """Schemas that refer to the tool's definitions have the types of these."""

    reads = Reads.REFERENCES


class TaggedDecoder(Decoder):
    __slots__ = (
        "captured", "codec", "context", "held", "keys", "name", "parameter", "started", "streams",
    )  # fmt: skip

    def __init__(self, codec: TaggedParameters, context: Context) -> None:
        self.codec = codec
        self.context = context
        self.captured = ""
        self.name = ""
        self.keys = 0  # parameters written so far
        self.parameter = ""
        self.streams = True  # the value can only be a string
        self.started = False  # the value has text
        self.held = ""  # white space at the end of a value that streams, or the whole value

    def _schema(self) -> Any:
        """The schema of the parameter, None where there is none."""
        schema = self.context.properties(self.name).get(self.parameter)
        if self.codec.reads is Reads.REFERENCES:
            return followed(schema, self.context.definitions(self.name))
        return schema

    def capture(self, text: str) -> int:
        room = MAX_NAME - len(self.captured)
        if len(text) > room:
            self.captured = ""
            return room
        self.captured += text
        return len(text)

    def call(self, out: Policy) -> bool:
        self.name, self.captured = self.captured.strip(), ""
        tools = self.context.tools if self.codec.known else ()
        begins = bool(self.name) and (not tools or any(t.name == self.name for t in tools))
        if begins:
            out.call(self.name)
        return begins

    def key(self, out: Policy) -> None:
        captured, self.captured = self.captured, ""
        self.parameter = captured.strip() if self.codec.trims_keys else captured.lstrip()
        self.streams = self.codec.rule.is_text(self._schema())
        self.started, self.held = False, ""
        opening = ", " if self.keys else "{"
        out.arguments(f"{opening}{dumps(self.parameter)}: " + ('"' if self.streams else ""))
        self.keys += 1

    def value(self, text: str, out: Policy) -> None:
        trim = self.codec.trim
        if not self.started:
            text = text.lstrip() if trim is Trim.BLANKS else text
            self.started = bool(text)
            text = text.removeprefix("\n") if trim is Trim.NEWLINE else text
        if not self.streams:
            self.held += text
            return
        if self.held:
            text, self.held = self.held + text, ""
        core = self._core(text)
        text, self.held = text[:core], text[core:]
        out.arguments(escape(text))

    def value_end(self, out: Policy) -> None:
        value, self.held = self.held[: self._core(self.held)], ""
        out.arguments('"' if self.streams else dumps(self.codec.rule.read(value, self._schema())))

    def _core(self, text: str) -> int:
        """Where the white space begins that belongs to the closing tag."""
        match self.codec.trim:
            case Trim.NOTHING:
                return len(text)
            case Trim.NEWLINE:
                return len(text) - text.endswith("\n")
            case Trim.BLANKS:
                return trailing(text) if self.streams else len(text.rstrip())

    def call_end(self, out: Policy) -> None:
        out.arguments("}" if self.keys else "{}")

    def take(self, saved: object) -> None:
        """Take a snapshot's state; raises `Malformed`."""
        keys, streams, started, *rest = items(saved, 7)
        self.keys, self.streams, self.started = count(keys), bool(streams), bool(started)
        self.captured, self.parameter, self.held, self.name = texts(rest, 4)

    def snapshot(self) -> list[Any]:
        rest = [self.captured, self.parameter, self.held, self.name]
        return [self.keys, int(self.streams), int(self.started), *rest]
