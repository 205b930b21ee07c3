"""One value, read as its text comes: only what may go on is held back, as `pending`."""

from __future__ import annotations


class ValueStream:
    """Resumable reader of one value; which text is one, and how it is written, say subclasses."""

    __slots__ = ("pending",)

    pending: str

    def feed(self, text: str, at: int, out: list[str]) -> int:
        """Read text from `at` on, append what is written to `out`; where the reading stopped.

        Raises JsonError; what was read before it is in `out`.
        """
        if self.pending:
            text, shift = self.pending + text[at:], at - len(self.pending)
            self.pending = ""
            return self._read(text, 0, out) + shift
        return self._read(text, at, out)

    def _read(self, text: str, at: int, out: list[str]) -> int:
        """Read text with what was held back."""
        raise NotImplementedError
