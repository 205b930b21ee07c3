"""Live streams of this process, by the state that their client received last.

A hit saves making the stream from its state. It is an accelerator: what is not here, was taken
already or was written by another replica is resumed from the state, with the same answer.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from .output_parser import OutputStream
    from .request_facts import RequestFacts
    from .stream_state import StreamState

# A stream that has had no chunk for this long has lost its client.
MAX_AGE = 300.0


class LiveStream(NamedTuple):
    """state: as it was sent. facts: what the stream reads by. own: they are those that the state
    carries, not others that came with a chunk.
    """

    state: StreamState
    stream: OutputStream
    facts: RequestFacts
    own: bool = True


class CacheWatch(Protocol):
    """Who counts."""

    def looked_up(self, hit: bool) -> None: ...
    def evicted(self, count: int) -> None: ...
    def holds(self, bytes_held: int) -> None: ...


class _Entry(NamedTuple):
    live: LiveStream
    size: int
    until: float


class ParserCache:
    """Least recently used streams within `max_bytes`, none older than `max_age` seconds.

    A stream is handed out once: of two requests with one state, the second one resumes it.
    What streams of one request know of it counts once.
    """

    def __init__(
        self, max_bytes: int, max_age: float = MAX_AGE, clock: Callable[[], float] = monotonic
    ) -> None:
        self._max_bytes = max_bytes
        self._max_age = max_age
        self._clock = clock
        self._bytes = 0
        self._entries: OrderedDict[bytes, _Entry] = OrderedDict()
        self._users: dict[int, int] = {}  # streams with the same facts, by their id
        self._lock = Lock()
        self._watch: CacheWatch | None = None

    def watch(self, watch: CacheWatch) -> None:
        self._watch = watch

    def take(self, state: bytes) -> LiveStream | None:
        """The stream whose state was sent as these bytes."""
        if not self._entries:
            return None
        with self._lock:
            entry = self._remove(_digest(state))
        return entry.live if entry is not None and entry.until > self._clock() else None

    def __bool__(self) -> bool:
        return bool(self._entries)

    def count(self, *, hit: bool) -> None:
        """A chunk had its stream here, or not."""
        if self._watch is not None and self._max_bytes:
            self._watch.looked_up(hit)

    def keep(self, state: bytes, live: LiveStream, size: int) -> None:
        """state: as it is sent. size: bytes of memory that the stream holds, about, beside its
        facts.
        """
        if size + live.facts.memory > self._max_bytes // 4:
            return  # one large stream must not push out all others
        now, key, evicted = self._clock(), _digest(state), 0
        with self._lock:
            self._remove(key)
            self._add(key, _Entry(live, size, now + self._max_age))
            while self._bytes > self._max_bytes or self._entries[self._oldest()].until <= now:
                self._remove(self._oldest())
                evicted += 1
        if self._watch is not None:
            self._watch.evicted(evicted)
            self._watch.holds(self._bytes)

    def _oldest(self) -> bytes:
        return next(iter(self._entries))

    def _add(self, key: bytes, entry: _Entry) -> None:
        facts = entry.live.facts
        users = self._users.get(id(facts), 0)
        self._entries[key], self._users[id(facts)] = entry, users + 1
        self._bytes += entry.size + (0 if users else facts.memory)

    def _remove(self, key: bytes) -> _Entry | None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            facts = entry.live.facts
            users = self._users.pop(id(facts)) - 1
            if users:
                self._users[id(facts)] = users
            self._bytes -= entry.size + (0 if users else facts.memory)
        return entry


def _digest(state: bytes) -> bytes:
    return blake2b(state, digest_size=16).digest()
