"""A call as a tagged name and tagged parameters: `<function=f><parameter=x>1</parameter>...`.

The tags carry no types, so they follow the tool's schema: a value that can only be a string
streams, any other waits for its end and is then coerced. One newline on either side of a
value belongs to the tags. A repeated parameter stays repeated: what streamed cannot be undone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..context import Context
from ..json_stream import dumps, escape
from ..policy import Policy
from ..schema import coerce, is_text
from ..snapshot import count, items, texts
from .base import Codec, Decoder

MAX_NAME = 128
"""Longer text between the tags of a name is no name."""


@dataclass(frozen=True, slots=True)
class TaggedParameters(Codec):
    def start(self, context: Context) -> Decoder:
        return TaggedDecoder(context)

    def resume(self, saved: object, context: Context) -> Decoder:
        decoder = TaggedDecoder(context)
        keys, streams, started, *rest = items(saved, 7)
        decoder.keys, decoder.streams, decoder.started = count(keys), bool(streams), bool(started)
        decoder.captured, decoder.parameter, decoder.held, decoder.name = texts(rest, 4)
        return decoder


class TaggedDecoder(Decoder):
    __slots__ = (
        "captured", "context", "held", "keys", "name", "parameter", "started", "streams",
    )  # fmt: skip

    def __init__(self, context: Context) -> None:
        self.context = context
        self.captured = ""
        self.name = ""
        self.keys = 0  # parameters written so far
        self.parameter = ""
        self.streams = True  # the value can only be a string
        self.started = False  # the value has text
        self.held = ""  # the newline at the end of a value that streams, or the whole value

    def _schema(self) -> Any:
        """The schema of the parameter, None where there is none."""
        return self.context.properties(self.name).get(self.parameter)

    def capture(self, text: str) -> int:
        room = MAX_NAME - len(self.captured)
        if len(text) > room:
            self.captured = ""
            return room
        self.captured += text
        return len(text)

    def call(self, out: Policy) -> bool:
        self.name, self.captured = self.captured.strip(), ""
        if self.name:
            out.call(self.name)
        return bool(self.name)

    def key(self, out: Policy) -> None:
        self.parameter, self.captured = self.captured.lstrip(), ""
        schema = self._schema()
        self.streams = not isinstance(schema, dict) or is_text(schema)
        self.started, self.held = False, ""
        opening = ", " if self.keys else "{"
        out.arguments(f"{opening}{dumps(self.parameter)}: " + ('"' if self.streams else ""))
        self.keys += 1

    def value(self, text: str, out: Policy) -> None:
        if not self.started:
            self.started = True
            text = text.removeprefix("\n")
        if not self.streams:
            self.held += text
            return
        if self.held:
            text, self.held = self.held + text, ""
        if text.endswith("\n"):
            text, self.held = text[:-1], "\n"
        out.arguments(escape(text))

    def value_end(self, out: Policy) -> None:
        value, self.held = self.held.removesuffix("\n"), ""
        out.arguments('"' if self.streams else dumps(coerce(value, self._schema())))

    def call_end(self, out: Policy) -> None:
        out.arguments("}" if self.keys else "{}")

    def snapshot(self) -> list[Any]:
        rest = [self.captured, self.parameter, self.held, self.name]
        return [self.keys, int(self.streams), int(self.started), *rest]
