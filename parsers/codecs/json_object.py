"""A call as one JSON object: `{"name": ..., "arguments": {...}}`.

The call begins when its name is known and its arguments begin; before that the text is kept,
because an object without both is no call. Arguments that come before the name wait for it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ..context import Context
from ..json_stream import DONE as WHOLE
from ..json_stream import START, WORD, JsonError, JsonStream
from ..policy import Policy
from ..regions import BROKEN, DONE, REJECTED
from ..snapshot import Malformed, count, text, texts
from .base import Codec, Decoder

# What comes next in the object.
OPEN, FIRST, NEXT, KEY, COLON, VALUE, MORE = "^", "{", "q", "k", ":", "v", ","
_AFTER = {(OPEN, "{"): FIRST, (COLON, ":"): VALUE, (MORE, ","): NEXT}
_AFTER |= {(FIRST, '"'): KEY, (NEXT, '"'): KEY}
_PHASES = frozenset((OPEN, FIRST, NEXT, KEY, COLON, VALUE, MORE))
_BLANKS = " \t\n\r"

WAITING, BEGUN, ENDED = 0, 1, 2
"""The call has not begun; its arguments are being read; they are complete."""


@dataclass(frozen=True, slots=True)
class JsonObject(Codec):
    """arguments: the keys that may carry them.

    limit: characters within which an object must become a call, else it is none; 0: no limit.
    keyed: the first key is the name and its value the arguments: `{NAME: {...}}`.
    optional: an object with a name alone is a call without arguments.
    verbatim: arguments are written as the model wrote them.
    """

    name: str = "name"
    arguments: tuple[str, ...] = ("arguments",)
    limit: int = 0
    keyed: bool = False
    optional: bool = False
    verbatim: bool = False

    def start(self, context: Context) -> Decoder:
        return ObjectDecoder(self)

    def resume(self, saved: object, context: Context) -> Decoder:
        decoder = ObjectDecoder(self)
        if not isinstance(saved, list) or len(saved) not in (3, 8):
            raise Malformed
        stage, phase, reader, *waiting = saved
        decoder.phase, decoder.stage = text(phase), count(stage)
        if reader is not None:
            decoder.reader = JsonStream.resume(reader, verbatim=self.verbatim)
        if phase not in _PHASES or (phase in (KEY, VALUE)) != (reader is not None):
            raise Malformed
        if (
            stage > ENDED
            or (stage == BEGUN and phase != VALUE)
            or (stage == WAITING) != bool(waiting)
        ):
            raise Malformed
        if waiting:
            name, *rest = waiting
            decoder.name = None if name is None else text(name)
            decoder.raw, decoder.field, decoder.part, decoder.early = texts(rest, 4)
        return decoder


class ObjectDecoder(Decoder):
    __slots__ = ("codec", "early", "field", "name", "part", "phase", "reader", "stage")

    def __init__(self, codec: JsonObject) -> None:
        self.codec = codec
        self.phase = OPEN
        self.stage = WAITING
        self.raw = ""  # all text so far, until the call begins
        self.field = ""  # the key read last
        self.part = ""  # JSON text of the key or name being read
        self.name: str | None = None
        self.early = ""  # JSON text of arguments before the name
        self.reader: JsonStream | None = None

    def body(self, text: str, out: Policy) -> tuple[str, str] | None:
        limit = self.codec.limit and self.stage == WAITING and self.codec.limit - len(self.raw)
        if not limit or limit >= len(text):
            return self._body(text, out)
        status, rest = self._body(text[:limit], out) or ("", "")
        if status:
            return status, rest + text[limit:]
        if self.stage == WAITING:
            return REJECTED, text[limit:]
        return self._body(text[limit:], out)

    def _body(self, text: str, out: Policy) -> tuple[str, str] | None:
        status, rest = "", ""
        try:
            end = self._read(text, out)
            if end >= 0:
                status, rest = DONE, text[end:]
        except JsonError as error:
            status, rest = BROKEN, error.rest
        if self.stage != WAITING:
            self.raw = ""
            return (status, rest) if status else None
        self.raw += text
        if not status:
            return None
        self.raw = self.raw[: len(self.raw) - len(rest)]
        return REJECTED, rest

    def _read(self, text: str, out: Policy) -> int:
        """Where the object ends in the text, or -1. Raises JsonError."""
        at, end = 0, len(text)
        while True:
            if self.reader is not None:
                at = self._value(self.reader, text, at, out)
            while at < end and text[at] in _BLANKS:
                at += 1
            if at == end:
                return -1
            char, phase = text[at], self.phase
            if char == "}" and phase in (FIRST, MORE):
                self._close(out)
                return at + 1
            if (phase, char) not in _AFTER:
                raise JsonError(text[at:])
            self.phase = _AFTER[phase, char]
            if self.phase in (KEY, VALUE):
                self.reader, self.part = JsonStream(verbatim=self.codec.verbatim), ""
            at += self.phase != KEY

    def _value(self, reader: JsonStream, text: str, at: int, out: Policy) -> int:
        parts: list[str] = []
        try:
            at = reader.feed(text, at, parts)
        finally:
            self._take("".join(parts), reader, out)
        if reader.state == WHOLE:
            self.reader = None
            self._ended(text, at, out)
        return at

    def _take(self, written: str, reader: JsonStream, out: Policy) -> None:
        """What the key or value being read adds to the call."""
        if self.stage == BEGUN:
            out.arguments(written)
        elif self.stage == ENDED:
            return
        elif self.phase == KEY or (self.field == self.codec.name and not self.codec.keyed):
            self.part += written
        elif self.codec.keyed or self.field in self.codec.arguments:
            if self.name is None:
                self.early += written
            elif written or reader.state not in (START, WORD):
                self._begin(out)
                out.arguments(written)

    def _begin(self, out: Policy) -> None:
        self.stage = BEGUN
        out.call(self.name or "")
        self.name = None

    def _close(self, out: Policy) -> None:
        """The object is whole."""
        if self.codec.optional and self.stage == WAITING and self.name is not None:
            self._begin(out)
            out.arguments("{}")
            self.stage = ENDED

    def _ended(self, text: str, at: int, out: Policy) -> None:
        """The key or value being read is whole."""
        reads_key, self.phase = self.phase == KEY, COLON if self.phase == KEY else MORE
        if reads_key and self.stage == WAITING:
            self.field = _string(self.part, text, at)
            if self.codec.keyed:
                self.name = self.field
            elif self.field in self.codec.arguments:
                self.early = ""
        elif self.stage == BEGUN:
            self.stage = ENDED
        elif self.stage == WAITING and self.field == self.codec.name:
            self.name = _string(self.part, text, at)
            if self.early:
                self._begin(out)
                out.arguments(self.early)
                self.stage, self.early, self.part = ENDED, "", ""

    def finish(self, out: Policy) -> bool:
        if self.stage == BEGUN and self.reader is not None:
            parts: list[str] = []
            self.reader.finish(parts)
            self._take("".join(parts), self.reader, out)
        return self.stage != WAITING

    def snapshot(self) -> list[Any]:
        head = [self.stage, self.phase, self.reader and self.reader.snapshot()]
        if self.stage != WAITING:
            return head
        return [*head, self.name, self.raw, self.field, self.part, self.early]


def _string(written: str, text: str, at: int) -> str:
    """The string that JSON text stands for; any other value there is an error at `at`."""
    try:
        value = json.loads(written)
    except ValueError:
        value = None
    if not isinstance(value, str):
        raise JsonError(text[at:])
    return value
