"""What a request says, by the digest of its bytes: each chunk repeats the same `chat_request`."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from threading import Lock
from typing import Any, TypeVar

T = TypeVar("T")

# An entry costs at least its key and bookkeeping.
ENTRY_BYTES = 512


class RequestCache:
    """Least recently used values within `max_bytes`; values must be immutable.

    It is an accelerator: what was evicted is decoded again with the next chunk.
    """

    def __init__(self, max_bytes: int = 32 * 1024 * 1024) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._entries: OrderedDict[tuple[str, bytes], tuple[Any, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, kind: str, raw: bytes, build: Callable[[bytes], tuple[T, int]]) -> T:
        """The value for `raw`; on a miss `build` makes it and says how many bytes it holds.

        What `build` raises is not kept.
        """
        key = _key(kind, raw)
        found: T | None = self._find(key)
        if found is not None:
            return found
        value, size = build(raw)
        self._keep(key, value, size)
        return value

    def find(self, kind: str, raw: bytes) -> Any:
        """The value for `raw`, None where there is none."""
        return self._find(_key(kind, raw))

    def keep(self, kind: str, raw: bytes, value: object, size: int) -> None:
        """Keep the value for `raw`, which holds `size` bytes, in place of another."""
        self._keep(_key(kind, raw), value, size)

    def _find(self, key: tuple[str, bytes]) -> Any:
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def _keep(self, key: tuple[str, bytes], value: object, size: int) -> None:
        size += ENTRY_BYTES
        if size > self._max_bytes // 4:
            return  # one large request must not push out all others
        with self._lock:
            _, replaced = self._entries.pop(key, (None, 0))
            self._entries[key] = (value, size)
            self._bytes += size - replaced
            while self._bytes > self._max_bytes:
                _, (_, evicted) = self._entries.popitem(last=False)
                self._bytes -= evicted


def _key(kind: str, raw: bytes) -> tuple[str, bytes]:
    return kind, blake2b(raw, digest_size=16).digest()


def footprint(*values: Any) -> int:
    """Bytes of memory that values of a JSON request hold, which may be 20 times their text."""
    size, rest = 0, list(values)
    while rest:
        value = rest.pop()
        size += sys.getsizeof(value)
        if isinstance(value, dict):
            rest += value.keys()
            rest += value.values()
        elif isinstance(value, (list, tuple, frozenset)):
            rest += value
    return size
