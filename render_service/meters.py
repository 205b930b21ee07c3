"""What requests count: in plain numbers, which go to Prometheus' instruments from time to time.

An instrument's own call takes about a microsecond, with several workers three, and a chunk would
make seven: a tenth of what it costs.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from .metrics import SECONDS, STATE_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from prometheus_client import Counter, Histogram

    from .answer import Answer
    from .metrics import Metrics
    from .parser_cache import ParserCache


class Tally:
    """Observations that a histogram has not seen yet. bounds: of its buckets but the last."""

    __slots__ = ("_bounds", "_counts", "_histogram", "_sum")

    def __init__(self, histogram: Histogram, bounds: Sequence[float]) -> None:
        self._histogram = histogram
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def add(self, value: float) -> None:
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def write(self) -> int:
        """The number of observations."""
        counts, self._counts = self._counts, [0] * len(self._counts)
        total, self._sum = self._sum, 0.0
        # prometheus_client has no call for many observations at once.
        self._histogram._sum.inc(total)
        for bucket, count in zip(self._histogram._buckets, counts, strict=True):
            if count:
                bucket.inc(count)
        return sum(counts)


class Status:
    """Requests with one status: how many, and their time."""

    __slots__ = ("_requests", "seconds")

    def __init__(self, requests: Counter, seconds: Histogram) -> None:
        self._requests = requests
        self.seconds = Tally(seconds, SECONDS)

    def write(self) -> None:
        self._requests.inc(self.seconds.write())


class Meter:
    """One endpoint's counts; those of a status or an outcome are looked up once."""

    def __init__(self, metrics: Metrics, endpoint: str, direction: str | None = None) -> None:
        self._metrics = metrics
        self._endpoint = endpoint
        self._statuses: dict[int, Status] = {}
        self._outcomes: dict[str, Counter] = {}
        self._counter = metrics.tokens.labels(endpoint, direction) if direction else None
        self._tokens = 0
        self._state_bytes = Tally(metrics.state_bytes, STATE_BYTES)
        metrics.writers.append(self._write)

    def request(self, status: int, seconds: float) -> None:
        found = self._statuses.get(status)
        if found is None:
            labels = (self._endpoint, str(status))
            found = Status(
                self._metrics.requests.labels(*labels), self._metrics.seconds.labels(*labels)
            )
            self._statuses[status] = found
        found.seconds.add(seconds)

    def refused(self, status: int) -> None:
        """Counted, but not timed: nothing was done."""
        self._metrics.requests.labels(self._endpoint, str(status)).inc()

    def answer(self, answer: Answer) -> None:
        self._tokens += answer.tokens
        if answer.outcome is not None:
            counter = self._outcomes.get(answer.outcome)
            if counter is None:
                counter = self._metrics.outcomes.labels(self._endpoint, answer.outcome)
                self._outcomes[answer.outcome] = counter
            counter.inc()
        if answer.state_bytes is not None:
            self._state_bytes.add(answer.state_bytes)

    def _write(self) -> None:
        tokens, self._tokens = self._tokens, 0
        if self._counter is not None:
            self._counter.inc(tokens)
        for status in self._statuses.values():
            status.write()
        self._state_bytes.write()


def watch_cache(metrics: Metrics, cache: ParserCache) -> None:
    """Have the parser cache's counts shown."""
    lookups = {result: metrics.cache_lookups.labels(result) for result in ("hit", "miss")}

    def write() -> None:
        counts = cache.counted()
        lookups["hit"].inc(counts.hits)
        lookups["miss"].inc(counts.misses)
        metrics.cache_evictions.inc(counts.evictions)
        metrics.cache_bytes.set(cache.bytes)

    metrics.writers.append(write)


class WorkerMeter:
    """In the parent of the workers."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def died(self, pid: int) -> None:
        self._metrics.worker_restarts.inc()
        self._metrics.forget(pid)
