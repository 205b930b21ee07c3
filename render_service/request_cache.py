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
        key = (kind, blake2b(raw, digest_size=16).digest())
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None:
                self._entries.move_to_end(key)
                value: T = entry[0]
                return value
        value, size = build(raw)
        self._keep(key, value, size + ENTRY_BYTES)
        return value

    def _keep(self, key: tuple[str, bytes], value: object, size: int) -> None:
        if size > self._max_bytes // 4:
            return  # one large request must not push out all others
        with self._lock:
            if key in self._entries:
                return
            self._entries[key] = (value, size)
            self._bytes += size
            while self._bytes > self._max_bytes:
                _, (_, evicted) = self._entries.popitem(last=False)
                self._bytes -= evicted


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
