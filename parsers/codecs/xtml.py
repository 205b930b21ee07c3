"""A call whose name and whose parameters' names and types are attributes of tags (Kimi K3).

    call tool="NAME" index="0"      argument key="KEY" type="number"

A string is the text as it stands and streams; any other value is JSON, or text where it is none.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from ..context import Context
from ..json_stream import dumps, escape
from ..limits import MAX_HEAD
from ..policy import Policy
from ..snapshot import Malformed, count, items, texts
from .base import Codec, Decoder

_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)')


@dataclass(frozen=True, slots=True)
class Xtml(Codec):
    def start(self, context: Context) -> Decoder:
        return XtmlDecoder()

    def resume(self, saved: object, context: Context) -> Decoder:
        decoder = XtmlDecoder()
        keys, streams, *rest = items(saved, 4)
        decoder.keys, decoder.streams = count(keys), bool(streams)
        captured, decoder.held = texts(rest, 2)
        if len(captured) > MAX_HEAD:
            raise Malformed
        decoder.captured = captured
        return decoder


class XtmlDecoder(Decoder):
    __slots__ = ("captured", "held", "keys", "streams")

    def __init__(self) -> None:
        self.captured = ""
        self.keys = 0  # parameters written so far
        self.streams = True  # the value is a string
        self.held = ""  # the value, unless it streams

    def capture(self, text: str) -> int:
        taken = min(len(text), MAX_HEAD - len(self.captured))
        self.captured += text[:taken]
        return taken

    def _attributes(self) -> dict[str, str]:
        found = _ATTRIBUTE.findall(self.captured)
        self.captured = ""
        return {key: value.replace("&quot;", '"').replace("&amp;", "&") for key, value in found}

    def call(self, out: Policy) -> bool:
        name = self._attributes().get("tool", "")
        if name:
            out.call(name)
        return bool(name)

    def key(self, out: Policy) -> None:
        told = self._attributes()
        self.streams, self.held = told.get("type", "string") == "string", ""
        opening = ", " if self.keys else "{"
        out.arguments(f"{opening}{dumps(told.get('key', ''))}: " + ('"' if self.streams else ""))
        self.keys += 1

    def value(self, text: str, out: Policy) -> None:
        if self.streams:
            out.arguments(escape(text))
        else:
            self.held += text

    def value_end(self, out: Policy) -> None:
        if self.streams:
            out.arguments('"')
            return
        try:
            value = json.loads(self.held)
            json.dumps(value, allow_nan=False)
        except (ValueError, RecursionError):
            value = self.held
        self.held = ""
        out.arguments(dumps(value))

    def call_end(self, out: Policy) -> None:
        out.arguments("}" if self.keys else "{}")

    def snapshot(self) -> list[Any]:
        return [self.keys, int(self.streams), self.captured, self.held]
