"""The scanner: finds the markers that are live in a region, holds back what may become one.

A marker is written as its text; a blank in it stands for optional white space, so
`< / parameter >` also matches `</parameter>`; in an `Exact` marker it is a blank. Immutable: what
is held back is the stream's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

BLANK = r"\s{0,8}"
"""Bounded, so that what is held back is."""


class Exact(str):
    """A marker whose blanks are blanks."""

    __slots__ = ()


def literal(marker: str) -> str:
    """The marker as a model normally writes it."""
    return marker if isinstance(marker, Exact) else marker.replace(" ", "")


def _units(marker: str) -> list[str]:
    blank = re.escape(" ") if isinstance(marker, Exact) else BLANK
    return [blank if char == " " else re.escape(char) for char in marker]


def _unfinished(marker: str) -> str:
    """A pattern for every proper beginning of the marker, up to the end of the text."""
    first, *rest = _units(marker)[:-1] or [r"(?!)"]
    nested = ""
    for unit in reversed(rest):
        nested = f"(?:{unit}{nested})?"
    return first + nested


def overlap(text: str, marker: str, at: int) -> int:
    """How much of the end of the text, from `at` on, may be the beginning of an exact marker."""
    sizes = range(min(len(marker) - 1, len(text) - at), 0, -1)
    return next((size for size in sizes if text.endswith(marker[:size])), 0)


class Scanner:
    """Finds any of `markers` in text; of two at one place the longer counts."""

    __slots__ = ("_find", "_firsts", "_markers", "_nested", "_partial", "_reach")

    def __init__(self, markers: Iterable[str]) -> None:
        self._markers = tuple(sorted(markers, key=len, reverse=True))
        self._find = re.compile("|".join(f"({''.join(_units(m))})" for m in self._markers))
        unfinished = "|".join(_unfinished(m) for m in self._markers)
        self._partial = re.compile(rf"(?:{unfinished})\Z")
        self._firsts = tuple(sorted({m[0] for m in self._markers}))
        self._reach = max(len(m) + 8 * m.count(" ") for m in self._markers)
        # Whether one marker begins another, so that a whole one may have to wait.
        self._nested = any(self._partial.match(literal(m)) for m in self._markers)

    def search(self, text: str) -> tuple[int, int, str]:
        """The first marker: where it starts, where it ends, which it is.

        Without one (""), the text from the start on may be the beginning of one.
        """
        match = self._find.search(text)
        if match is None:
            return self._held_from(text), len(text), ""
        if self._nested and self._partial.match(text, match.start()):
            return match.start(), len(text), ""
        return match.start(), match.end(), self._markers[(match.lastindex or 1) - 1]

    def match(self, text: str, *, final: bool = False) -> tuple[int, str] | None:
        """The marker that the text begins with: where it ends, which it is.

        "" where the whole text may be the beginning of one; not if it is `final`.
        """
        if not final and self._partial.match(text):
            return len(text), ""
        match = self._find.match(text)
        return match and (match.end(), self._markers[(match.lastindex or 1) - 1])

    def _held_from(self, text: str) -> int:
        """Where the end of the text may be the beginning of a marker, or its length."""
        tail = max(0, len(text) - self._reach)
        for first in self._firsts:
            if text.find(first, tail) >= 0:
                match = self._partial.search(text, tail)
                return match.start() if match else len(text)
        return len(text)
