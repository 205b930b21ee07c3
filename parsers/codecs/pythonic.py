"""Calls as Python writes them: `f(city='Paris', days=2), g()`.

A call begins with the first `name=` of its arguments, or where it has none with what follows
it; before that the text is kept, so that prose with brackets is no call.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from ..context import Context
from ..json_stream import JsonError, dumps
from ..limits import MAX_HEAD
from ..policy import Policy
from ..python_stream import DONE as WHOLE
from ..python_stream import PythonStream
from ..regions import BROKEN, DONE, REJECTED
from ..snapshot import Malformed, items, texts
from .base import Codec, Decoder

_KEY = r"[^\W\d]\w*"

FIRST, NEXT, ARGUMENT, VALUE = "^", "n", "a", "v"
"""The first call comes, or another or the end; another argument or the end; a value."""


class _Patterns(NamedTuple):
    """What may come in a phase, and what may become it with more text."""

    whole: re.Pattern[str]
    unfinished: re.Pattern[str]


@cache
def _patterns(name: str, close: str, lines: bool) -> dict[str, _Patterns]:
    """The patterns of each phase; groups: name and key of a call or argument."""
    ends = re.escape(close)
    begun = "".join(f"(?:{re.escape(char)}" for char in close) + ")?" * len(close)
    after = rf",|{ends}" + (r"|\n" if lines else "")
    comma = r"(?:\s*,\s*|[^\S\n]*\n\s*)" if lines else r"\s*,\s*"
    space = r"[^\S\n]*" if lines else r"\s*"
    empty = rf"\)(?={space}(?:{after}))"
    call = rf"(?P<name>{name})\s*\(\s*(?:(?P<key>{_KEY})\s*=(?!=)|{empty})"
    started = rf"(?:{name})?(?:(?<=\w)\s*(?:\(\s*(?:[^\W\d]\w*\s*=?|\)\s*(?:{begun})?)?)?)?"
    return {
        FIRST: _Patterns(re.compile(rf"\s*{call}"), re.compile(rf"\s*{started}\Z")),
        NEXT: _Patterns(
            re.compile(rf"\s*,?\s*{ends}|{comma}{call}"),
            re.compile(rf"\s*(?:,\s*)?(?:{begun}|{started})\Z"),
        ),
        ARGUMENT: _Patterns(
            re.compile(rf"\s*,?\s*\)|\s*,\s*(?P<key>{_KEY})\s*=(?!=)"),
            re.compile(r"\s*(?:,\s*(?:[^\W\d]\w*\s*=?)?)?\Z"),
        ),
    }


@dataclass(frozen=True, slots=True)
class Pythonic(Codec):
    """close: what ends the calls. lines: each may stand on a line, without a comma.

    dotted: names may have dots.
    """

    close: str = "]"
    lines: bool = False
    dotted: bool = False

    def patterns(self) -> dict[str, _Patterns]:
        dots = rf"(?:\.{_KEY})*" if self.dotted else ""
        return _patterns(_KEY + dots, self.close, self.lines)

    def start(self, context: Context) -> Decoder:
        return PythonicDecoder(self, self.patterns())

    def resume(self, saved: object, context: Context) -> Decoder:
        decoder = PythonicDecoder(self, self.patterns())
        phase, raw, reader = items(saved, 3)
        decoder.phase, decoder.raw = texts([phase, raw], 2)
        if phase not in (FIRST, NEXT, ARGUMENT, VALUE) or (phase == VALUE) != (reader is not None):
            raise Malformed
        if reader is not None:
            decoder.reader = PythonStream.resume(reader)
        return decoder


class PythonicDecoder(Decoder):
    __slots__ = ("codec", "patterns", "phase", "reader")

    def __init__(self, codec: Pythonic, patterns: dict[str, _Patterns]) -> None:
        self.codec = codec
        self.patterns = patterns
        self.phase = FIRST
        self.raw = ""  # text that is no part of a call yet
        self.reader: PythonStream | None = None

    def body(self, text: str, out: Policy) -> tuple[str, str] | None:
        text, self.raw = self.raw + text, ""
        try:
            end = self._read(text, out)
        except JsonError as error:
            if self.phase != FIRST:
                return BROKEN, error.rest
            self.raw = text[: len(text) - len(error.rest)]
            return REJECTED, error.rest
        return None if end < 0 else (DONE, text[end:])

    def _read(self, text: str, out: Policy) -> int:
        """Where the calls end in the text, or -1. Raises JsonError."""
        at = 0
        while at < len(text):
            if self.reader is not None:
                at = self._value(self.reader, text, at, out)
                continue
            patterns = self.patterns[self.phase]
            match = patterns.whole.match(text, at, at + MAX_HEAD)
            if match is None or (match.end() == len(text) and text[-1] == "="):
                if len(text) - at > MAX_HEAD or not patterns.unfinished.match(text, at):
                    raise JsonError(text[at:])
                self.raw = text[at:]
                return -1
            at = match.end()
            if self._found(match.groupdict(), out):
                return at
        return -1

    def _found(self, found: dict[str, str | None], out: Policy) -> bool:
        """A call, an argument, or the end of either; True at the end of all calls."""
        name, key = found.get("name"), found.get("key")
        if name is not None:
            out.call(name)
        if key is not None:
            out.arguments(("{" if name else ", ") + dumps(key) + ": ")
            self.phase, self.reader = VALUE, PythonStream()
        elif name is not None:
            out.arguments("{}")
            self.phase = NEXT
        elif self.phase == ARGUMENT:
            out.arguments("}")
            self.phase = NEXT
        else:
            return True
        return False

    def _value(self, reader: PythonStream, text: str, at: int, out: Policy) -> int:
        parts: list[str] = []
        try:
            at = reader.feed(text, at, parts)
        finally:
            out.arguments("".join(parts))
        if reader.state == WHOLE:
            self.phase, self.reader = ARGUMENT, None
        return at

    def finish(self, out: Policy) -> bool:
        if self.reader is not None:
            parts: list[str] = []
            self.reader.finish(parts)
            out.arguments("".join(parts))
        elif self.phase in (FIRST, NEXT):
            self._last(out)
        return self.phase != FIRST

    def _last(self, out: Policy) -> None:
        """What comes last between calls: one without arguments, or the beginning of a call."""
        match = self.codec.lines and self.patterns[self.phase].whole.match(self.raw + "\n")
        if match:
            self._found(match.groupdict(), out)
        elif self.phase == NEXT and not self.codec.close.startswith(self.raw.strip(" ,\n")):
            out.content(self.raw)

    def snapshot(self) -> list[Any]:
        return [self.phase, self.raw, self.reader and self.reader.snapshot()]
