"""Decoded requests by their bytes: a streamed chunk repeats the same `chat_request` each time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

T = TypeVar("T")


class RequestCache:
    """Least recently used values within `max_bytes` of keys; values must be immutable.

    It is an accelerator: an evicted request is decoded again with the next chunk.
    """

    def __init__(self, max_bytes: int = 16 * 1024 * 1024) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._values: OrderedDict[tuple[str, bytes], Any] = OrderedDict()
        self._lock = Lock()

    def get(self, kind: str, raw: bytes, build: Callable[[bytes], T]) -> T:
        """The value for `raw`, built on a miss; what `build` raises is not kept."""
        key = (kind, raw)
        with self._lock:
            value: T | None = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
                return value
        value = build(raw)
        self._keep(key, value)
        return value

    def _keep(self, key: tuple[str, bytes], value: object) -> None:
        size = len(key[1])
        if size > self._max_bytes // 8:
            return  # one large request must not push out all others
        with self._lock:
            if key in self._values:
                return
            self._values[key] = value
            self._bytes += size
            while self._bytes > self._max_bytes:
                (_, raw), _ = self._values.popitem(last=False)
                self._bytes -= len(raw)
