"""Newlines that a model spells as a backslash and a letter, made into newlines.

As vLLM's `minicpmv` does it: not between backticks or dollars, not in `\\(...\\)` and `\\[...\\]`,
and not behind two backslashes or more. Resumable; at most three characters are held back.
"""

from __future__ import annotations

import re
from typing import Any

from .scanner import overlap
from .snapshot import Malformed, texts

_SPELT = {"\\n": "\n", "\\r": "\n", "\\r\\n": "\n", "\\r\\": "\n\\"}
_CLOSES = {"```": "```", "`": "`", "$$": "$$", "$": "$", "\\(": "\\)", "\\[": "\\]"}
_RUN = "\\"
"""The mode behind two backslashes, in which more of them are text."""
_MODES = frozenset(("", _RUN, *_CLOSES.values()))
_UNFINISHED = frozenset(("`", "``", "$", "\\", "\\r", "\\r\\"))
_MARK = re.compile(r"```|``\Z|`|\$\$|\$|\\{2,}|\\r\\n|\\r\\\Z|\\[nr(\[]|\\")
_BACKSLASHES = re.compile(r"\\*")


class SpeltNewlines:
    """One text."""

    __slots__ = ("held", "mode")

    def __init__(self) -> None:
        self.mode = ""  # what ends the span that is left as it is
        self.held = ""

    def feed(self, text: str, *, final: bool = False) -> str:
        """final: what was held back is settled, since the text pauses or ends here."""
        text, self.held = self.held + text, ""
        parts: list[str] = []
        at = 0
        while at < len(text):
            part, at = self._span(text, at, final) if self.mode else self._open(text, at, final)
            parts.append(part)
        return "".join(parts)

    def _span(self, text: str, at: int, final: bool) -> tuple[str, int]:
        """Text up to the end of the span, and where that is."""
        if self.mode == _RUN:
            end = _BACKSLASHES.match(text, at).end()  # type: ignore[union-attr]  # may be empty
            self.mode = _RUN if end == len(text) else ""
            return text[at:end], end
        found = text.find(self.mode, at)
        if found >= 0:
            end, self.mode = found + len(self.mode), ""
            return text[at:end], end
        kept = len(text) - (0 if final else overlap(text, self.mode, at))
        self.held = text[kept:]
        return text[at:kept], len(text)

    def _open(self, text: str, at: int, final: bool) -> tuple[str, int]:
        """Text up to the next mark and what the mark stands for, and where that ends."""
        found = _MARK.search(text, at)
        if found is None:
            return text[at:], len(text)
        mark, end = found[0], found.end()
        if end == len(text) and mark in _UNFINISHED and not final:
            self.held = mark
            return text[at : found.start()], end
        self.mode = _RUN if mark.startswith("\\\\") else _CLOSES.get(mark, "")
        return text[at : found.start()] + _SPELT.get(mark, mark), end

    def snapshot(self) -> list[Any]:
        return [self.mode, self.held]

    def restore(self, saved: object) -> None:
        """Take a snapshot's state; raises `Malformed`."""
        self.mode, self.held = texts(saved, 2)
        held = self.mode[:-1].startswith(self.held) if self.mode else self.held in _UNFINISHED
        if self.mode not in _MODES or (self.held and not held):
            raise Malformed
