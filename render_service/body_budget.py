"""How many bytes of request bodies one process holds: the cost of work, and the memory it takes."""

from __future__ import annotations

from .errors import overloaded


class BodyBudget:
    """limit: bytes, 0 for none. Of one event loop; nothing here waits."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.held = 0

    def take(self, size: int) -> None:
        """Raises RequestError (503) where that would be more than the limit."""
        if 0 < self._limit < self.held + size:
            raise overloaded(f"{self.held} bytes are in work")
        self.held += size

    def give(self, size: int) -> None:
        self.held -= size
