"""Live streams of this process, by the state that their client received last.

A hit saves making the stream from its state. It is an accelerator: what is not here, was taken
already or was written by another replica is resumed from the state, with the same answer.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .output_parser import OutputStream
    from .request_facts import RequestFacts
    from .stream_state import StreamState

# A stream that has had no chunk for this long has lost its client.
MAX_AGE = 300.0


@dataclass(slots=True, eq=False)
class LiveStream:
    """state: as it was sent. facts: what the stream reads by. own: they are those that the state
    carries, not others that came with a chunk. request_id: of the chunk before, as it was checked.

    size, until: the cache's.
    """

    state: StreamState
    stream: OutputStream
    facts: RequestFacts
    own: bool = True
    request_id: str = ""
    size: int = 0
    until: float = 0.0


class Counted(NamedTuple):
    """hits, misses: chunks that had their stream here, or not."""

    hits: int = 0
    misses: int = 0
    evictions: int = 0


class ParserCache:
    """Least recently used streams within `max_bytes`, none older than `max_age` seconds.

    A stream is handed out once: of two requests with one state, the second one resumes it.
    What streams of one request know of it counts once. bytes: held now, about.
    """

    def __init__(
        self, max_bytes: int, max_age: float = MAX_AGE, clock: Callable[[], float] = monotonic
    ) -> None:
        self._max_bytes = max_bytes
        self._max_age = max_age
        self._clock = clock
        self.bytes = 0
        # By the state itself: Python hashes bytes with a secret, and a digest would cost more.
        self._entries: OrderedDict[bytes, LiveStream] = OrderedDict()
        self._users: dict[int, int] = {}  # streams with the same facts, by their id
        self._lock = Lock()
        self._hits = self._misses = self._evictions = 0

    def __bool__(self) -> bool:
        return bool(self._entries)

    def peek(self, state: bytes) -> LiveStream | None:
        """The stream whose state was sent as these bytes, which stays here: only to be looked at,
        since another thread may take it."""
        return self._entries.get(state)

    def take(self, state: bytes) -> LiveStream | None:
        """The stream whose state was sent as these bytes."""
        if state not in self._entries:
            return None
        with self._lock:
            live = self._remove(state)
        return live if live is not None and live.until > self._clock() else None

    def count(self, *, hit: bool) -> None:
        """A chunk had its stream here, or not."""
        if not self._max_bytes:
            return
        with self._lock:
            if hit:
                self._hits += 1
            else:
                self._misses += 1

    def counted(self) -> Counted:
        """Since the last call."""
        with self._lock:
            counted = Counted(self._hits, self._misses, self._evictions)
            self._hits = self._misses = self._evictions = 0
        return counted

    def keep(self, state: bytes, live: LiveStream, size: int) -> None:
        """state: as it is sent. size: bytes of memory that the stream holds, about, beside its
        facts.
        """
        if size + live.facts.memory > self._max_bytes // 4:
            return  # one large stream must not push out all others
        now = self._clock()
        live.size, live.until = size, now + self._max_age
        entries = self._entries
        with self._lock:
            self._remove(state)
            self._add(state, live)
            while self.bytes > self._max_bytes or next(iter(entries.values())).until <= now:
                self._remove(next(iter(entries)))
                self._evictions += 1

    def _add(self, state: bytes, live: LiveStream) -> None:
        facts = live.facts
        users = self._users.get(id(facts), 0)
        self._entries[state], self._users[id(facts)] = live, users + 1
        self.bytes += live.size if users else live.size + facts.memory

    def _remove(self, state: bytes) -> LiveStream | None:
        live = self._entries.pop(state, None)
        if live is not None:
            facts = live.facts
            users = self._users.pop(id(facts)) - 1
            if users:
                self._users[id(facts)] = users
            self.bytes -= live.size if users else live.size + facts.memory
        return live
