"""A call as one JSON object: `{"name": ..., "arguments": {...}}`.

The call begins when its name is known and its arguments begin; before that the text is kept,
because an object without both is no call. Arguments that come before the name wait for it, and
do not count as the head, whose length is bounded: an object with a longer head is no call.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from ..context import Context
from ..json_stream import DONE as WHOLE
from ..json_stream import START, WORD, JsonError, JsonStream
from ..limits import MAX_HEAD
from ..policy import Policy
from ..regions import BROKEN, DONE, REJECTED
from ..snapshot import Malformed, count, items, text, texts
from .base import Codec, Decoder

# What comes next in the object.
OPEN, FIRST, NEXT, KEY, COLON, VALUE, MORE, CLOSED = "^", "{", "q", "k", ":", "v", ",", "."
_AFTER = {(OPEN, "{"): FIRST, (COLON, ":"): VALUE, (MORE, ","): NEXT}
_AFTER |= {(FIRST, '"'): KEY, (NEXT, '"'): KEY, (FIRST, "}"): CLOSED, (MORE, "}"): CLOSED}
_PHASES = frozenset((OPEN, FIRST, NEXT, KEY, COLON, VALUE, MORE))
_BLANKS = re.compile(r"[ \t\n\r]*")

WAITING, BEGUN, ENDED = 0, 1, 2
"""The call has not begun; its arguments are being read; they are complete."""
NAME, ARGUMENTS, OTHER = "n", "a", ""
"""What a key is for."""


@dataclass(frozen=True, slots=True)
class JsonObject(Codec):
    """arguments: the keys that may carry them.

    keyed: the first key is the name and its value the arguments: `{NAME: {...}}`.
    optional: an object with a name alone is a call without arguments.
    verbatim: arguments are written as the model wrote them.
    """

    name: str = "name"
    arguments: tuple[str, ...] = ("arguments",)
    keyed: bool = False
    optional: bool = False
    verbatim: bool = False

    def start(self, context: Context) -> Decoder:
        return ObjectDecoder(self)

    def resume(self, saved: object, context: Context) -> Decoder:
        decoder = ObjectDecoder(self)
        if not isinstance(saved, list) or len(saved) not in (3, 7):
            raise Malformed
        stage, phase, reader, *head = saved
        decoder.phase, decoder.stage = text(phase), count(stage)
        if reader is not None:
            decoder.reader = JsonStream.resume(reader, verbatim=self.verbatim)
        if phase not in _PHASES or (phase in (KEY, VALUE)) != (reader is not None):
            raise Malformed
        if stage > ENDED or (stage == BEGUN and phase != VALUE) or (stage == WAITING) != bool(head):
            raise Malformed
        if head:
            decoder.take(*head)
        return decoder


class ObjectDecoder(Decoder):
    """Before the call begins `raw` is all text of the object, and places are places in it."""

    __slots__ = ("begins", "codec", "early", "name", "phase", "reader", "role", "stage")

    def __init__(self, codec: JsonObject) -> None:
        self.codec = codec
        self.phase = OPEN
        self.stage = WAITING
        self.raw = ""
        self.name: str | None = None
        self.role = OTHER  # of the key that was read last
        self.begins = 0  # where the key or value begins that is being read
        self.early = (0, 0)  # where arguments stand that wait for the name
        self.reader: JsonStream | None = None

    def body(self, text: str, out: Policy) -> tuple[str, str] | None:
        at, text = len(self.raw), self.raw + text
        status, rest = "", ""
        while at < len(text) and not status:
            seen = text if self.stage != WAITING else text[: self._reach(len(text))]
            try:
                at = self._read(seen, at, out)
            except JsonError as error:
                status, rest = BROKEN, error.rest + text[len(seen) :]
            else:
                if self.phase == CLOSED:
                    status, rest = DONE, text[at:]
        if self.stage != WAITING:
            self.raw = ""
            return (status, rest) if status else None
        self.raw = text[: len(text) - len(rest)]
        return (REJECTED, rest) if status else None

    def _reach(self, end: int) -> int:
        """How far a head can go at most, in a text of this length."""
        if self.phase == VALUE and self.role == ARGUMENTS and self.name is None:
            return end
        return MAX_HEAD + self.early[1] - self.early[0]

    def _read(self, text: str, at: int, out: Policy) -> int:
        """Read a key, a value or one character between them; where that ends. Raises JsonError."""
        if at >= len(text):  # the head is too long
            raise JsonError("")
        if self.reader is not None:
            return self._value(self.reader, text, at, out)
        at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]  # matches anything
        if at == len(text):
            return at
        phase = _AFTER.get((self.phase, text[at]))
        if phase is None:
            raise JsonError(text[at:])
        self.phase = phase
        if phase == CLOSED:
            self._close(out)
        elif phase in (KEY, VALUE):
            self.reader = JsonStream(verbatim=self.codec.verbatim)
            self.begins = at + (phase == VALUE)
        return at + (phase != KEY)

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
        """What the value being read adds to the call, which it may begin."""
        if self.stage == WAITING and self.phase == VALUE and self.role == ARGUMENTS:
            if self.name is None or not (written or reader.state not in (START, WORD)):
                return
            self._begin(out)
        if self.stage == BEGUN:
            out.arguments(written)

    def _begin(self, out: Policy) -> None:
        self.stage = BEGUN
        out.call(self.name or "")
        self.name = None

    def _ended(self, text: str, at: int, out: Policy) -> None:
        """The key or value being read is whole."""
        reads_key, self.phase = self.phase == KEY, COLON if self.phase == KEY else MORE
        if self.stage != WAITING:
            self.stage = ENDED
        elif reads_key:
            self._named(_string(text, self.begins, at))
        elif self.role == NAME:
            self.name = _string(text, self.begins, at)
            if self.early[1]:
                self._begin(out)
                out.arguments(self._written(text[slice(*self.early)]))
                self.stage = ENDED
        elif self.role == ARGUMENTS:
            self.early = (self.begins, at)

    def _named(self, key: str) -> None:
        """What the key is for."""
        codec = self.codec
        if codec.keyed:
            self.name, self.role = key, ARGUMENTS
        elif key == codec.name:
            self.role = NAME
        elif key in codec.arguments:
            self.role, self.early = ARGUMENTS, (0, 0)
        else:
            self.role = OTHER

    def _written(self, value: str) -> str:
        parts: list[str] = []
        JsonStream(verbatim=self.codec.verbatim).feed(value + " ", 0, parts)  # a number ends so
        return "".join(parts)

    def _close(self, out: Policy) -> None:
        """The object is whole."""
        if self.codec.optional and self.stage == WAITING and self.name is not None:
            self._begin(out)
            out.arguments("{}")
            self.stage = ENDED

    def finish(self, out: Policy) -> bool:
        if self.stage == BEGUN and self.reader is not None:
            parts: list[str] = []
            self.reader.finish(parts)
            out.arguments("".join(parts))
        return self.stage != WAITING

    def take(self, name: object, raw: object, role: object, places: object) -> None:
        """Take a head's snapshot; raises `Malformed`."""
        self.name = None if name is None else text(name)
        self.raw, self.role = texts([raw, role], 2)
        self.begins, *early = map(count, items(places, 3))
        self.early = (early[0], early[1])

    def snapshot(self) -> list[Any]:
        state = [self.stage, self.phase, self.reader and self.reader.snapshot()]
        if self.stage != WAITING:
            return state
        return [*state, self.name, self.raw, self.role, [self.begins, *self.early]]


def _string(text: str, begin: int, end: int) -> str:
    """The JSON string in the text; any other value there is an error at its end."""
    try:
        value = json.loads(text[begin:end], strict=False)
    except ValueError:
        value = None
    if not isinstance(value, str):
        raise JsonError(text[end:])
    return value
