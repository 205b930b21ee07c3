"""A call as a tagged name and tagged parameters: `<function=f><parameter=x>1</parameter>...`.

The tags carry no types, so they follow the tool's schema: a value that can only be a string
streams, any other waits for its end and is then coerced. One newline on either side of a
value belongs to the tags. A repeated parameter stays repeated: what streamed cannot be undone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..context import Context
from ..json_stream import dumps, escape
from ..policy import Policy
from ..schema import coerce, is_text
from ..snapshot import count, items, texts
from .base import Codec, Decoder

MAX_NAME = 256
"""Longer text between the tags of a name is no name."""


@dataclass(frozen=True, slots=True)
class TaggedParameters(Codec):
    def start(self, context: Context) -> Decoder:
        return TaggedDecoder(context)

    def resume(self, saved: object, context: Context) -> Decoder:
        decoder = TaggedDecoder(context)
        keys, started, *rest = items(saved, 6)
        decoder.keys, decoder.started = count(keys), bool(started)
        decoder.captured, decoder.parameter, decoder.held, name = texts(rest, 4)
        decoder.named(name)
        return decoder


class TaggedDecoder(Decoder):
    __slots__ = (
        "captured", "context", "held", "keys", "name", "parameter", "properties", "started",
    )  # fmt: skip

    def __init__(self, context: Context) -> None:
        self.context = context
        self.captured = ""
        self.name = ""
        self.properties: Mapping[str, Any] = {}
        self.keys = 0  # parameters written so far
        self.parameter = ""
        self.started = False  # the value has text
        self.held = ""  # the whole value, or the newline at its end where it streams

    def named(self, name: str) -> None:
        self.name = name
        self.properties = self.context.properties(name)

    def _schema(self) -> Mapping[str, Any] | None:
        """The schema of the parameter; None where it can only be a string."""
        schema = self.properties.get(self.parameter)
        return schema if isinstance(schema, dict) and not is_text(schema) else None

    def capture(self, text: str) -> int:
        room = MAX_NAME - len(self.captured)
        self.captured += text[:room]
        return min(room, len(text))

    def call(self, out: Policy) -> bool:
        self.named(self.captured.strip())
        self.captured, self.keys = "", 0
        if self.name:
            out.call(self.name)
        return bool(self.name)

    def key(self, out: Policy) -> None:
        self.parameter, self.captured = self.captured.lstrip(), ""
        self.started, self.held = False, ""
        out.arguments(f"{', ' if self.keys else '{'}{dumps(self.parameter)}: ")
        self.keys += 1
        if self._schema() is None:
            out.arguments('"')

    def value(self, text: str, out: Policy) -> None:
        if not self.started:
            self.started = True
            text = text.removeprefix("\n")
        if self._schema() is not None:
            self.held += text
            return
        if self.held:
            text, self.held = self.held + text, ""
        if text.endswith("\n"):
            text, self.held = text[:-1], "\n"
        if text:
            out.arguments(escape(text))

    def value_end(self, out: Policy) -> None:
        schema, value = self._schema(), self.held.removesuffix("\n")
        self.held = ""
        out.arguments('"' if schema is None else dumps(coerce(value, schema)))

    def call_end(self, out: Policy) -> None:
        out.arguments("}" if self.keys else "{}")

    def snapshot(self) -> list[Any]:
        rest = [self.captured, self.parameter, self.held, self.name]
        return [self.keys, int(self.started), *rest]
