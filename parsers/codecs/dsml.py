"""A call in DSML: its name, and parameters that say whether they are strings.

    <｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>

A value that is a string by tag and schema streams; any other waits for its end, is read as JSON
where it is, and then follows the schema as vLLM's engine-based parsers do. A sole parameter
`arguments` or `input` that the tool does not have wraps the real ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..context import Context
from ..json_stream import dumps, escape
from ..limits import MAX_HEAD
from ..needs import Reads
from ..policy import Policy
from ..schema import conform, is_text
from ..snapshot import Malformed, count, items, texts
from .base import Codec, Decoder

_WRAPPERS = ("arguments", "input")
_HEAD = re.compile(r'\s*([^"]*)(?:"(?:\s+string="([^"]*)")?.*)?', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Dsml(Codec):
    reads = Reads.TYPES

    def start(self, context: Context) -> Decoder:
        return DsmlDecoder(context)

    def resume(self, saved: object, context: Context) -> Decoder:
        decoder = DsmlDecoder(context)
        keys, string, streams, *rest = items(saved, 8)
        decoder.keys, decoder.string, decoder.streams = count(keys), bool(string), bool(streams)
        captured, decoder.name, decoder.parameter, decoder.held, decoder.wrapped = texts(rest, 5)
        if len(captured) > MAX_HEAD:
            raise Malformed
        decoder.captured = captured
        return decoder


class DsmlDecoder(Decoder):
    __slots__ = (
        "captured", "context", "held", "keys", "name", "parameter", "streams", "string", "wrapped",
    )  # fmt: skip

    def __init__(self, context: Context) -> None:
        self.context = context
        self.captured = ""
        self.name = ""
        self.keys = 0  # parameters written so far
        self.parameter = ""
        self.string = False  # the tag says that the value is a string
        self.streams = False  # and so does the schema
        self.held = ""  # the value, unless it streams
        self.wrapped = ""  # JSON text of a first parameter that may wrap the others

    def capture(self, text: str) -> int:
        taken = min(len(text), MAX_HEAD - len(self.captured))
        self.captured += text[:taken]
        return taken

    def call(self, out: Policy) -> bool:
        self.name, self.captured = self.captured.strip(), ""
        if self.name:
            out.call(self.name)
        return bool(self.name)

    def key(self, out: Policy) -> None:
        """The captured text is what follows `name="` in the tag."""
        self._unwrap_not(out)
        head = _HEAD.fullmatch(self.captured)
        assert head  # it matches anything
        self.parameter, self.string = head[1], head[2] == "true"
        self.captured, self.held = "", ""
        schema = self._properties().get(self.parameter)
        self.streams = self.string and (not isinstance(schema, dict) or is_text(schema))
        if self._wraps():
            self.streams = False
        if self.streams:
            self._begin(out, '"')

    def _properties(self) -> Mapping[str, Any]:
        return self.context.properties(self.name)

    def _wraps(self) -> bool:
        """Whether the parameter may turn out to hold the real ones."""
        known = self._properties()
        return (
            not self.keys
            and bool(known)
            and self.parameter in _WRAPPERS
            and self.parameter not in known
        )

    def _begin(self, out: Policy, written: str) -> None:
        out.arguments(f"{', ' if self.keys else '{'}{dumps(self.parameter)}: {written}")
        self.keys += 1

    def _unwrap_not(self, out: Policy) -> None:
        """More parameters follow: the first one is one like others."""
        if self.wrapped:
            self._begin(out, self.wrapped)
            self.wrapped = ""

    def value(self, text: str, out: Policy) -> None:
        if self.streams:
            out.arguments(escape(text))
        else:
            self.held += text

    def value_end(self, out: Policy) -> None:
        if self.streams:
            out.arguments('"')
            return
        value: Any = self.held if self.string else _read(self.held)
        self.held = ""
        if self._wraps():
            self.wrapped = dumps(value)
        else:
            self._begin(out, dumps(conform(value, self._properties().get(self.parameter))))

    def call_end(self, out: Policy) -> None:
        known = self._properties()
        inner = _read(_read(self.wrapped)) if self.wrapped else None
        if isinstance(inner, dict) and known.keys() >= inner.keys():
            out.arguments(dumps({key: conform(inner[key], known[key]) for key in inner}))
            return
        self._unwrap_not(out)
        out.arguments("}" if self.keys else "{}")

    def snapshot(self) -> list[Any]:
        rest = [self.captured, self.name, self.parameter, self.held, self.wrapped]
        return [self.keys, int(self.string), int(self.streams), *rest]


def _read(value: Any) -> Any:
    """What a text says as JSON; the value itself where it is no such text."""
    if not isinstance(value, str):
        return value
    try:
        found = json.loads(value)
        json.dumps(found, allow_nan=False)
    except (ValueError, RecursionError):
        return value
    return found
