"""What Prometheus sees: requests, their time, tokens, parse outcomes and state sizes.

Label values come from the route table and our own statuses, never from a client. With several
worker processes the counts of all are added up: prometheus_client keeps them in files of a folder
that PROMETHEUS_MULTIPROC_DIR names when it is first imported. What requests count is in
`meters.py`, which writes it here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

CONTENT_TYPE = CONTENT_TYPE_LATEST

SECONDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5)
STATE_BYTES = (64, 128, 256, 512, 1024, 2048, 4096, 16384, 65536)


WRITE_SECONDS = 1.0
"""How old at most what another worker shows of this one's counts is, and what a kill loses."""


class Metrics:
    """The instruments of one process. directory: of the files that all workers share.

    writers: bring the instruments up to date.
    """

    def __init__(self, directory: str | None = None) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # they double the series
        self._registry = registry = CollectorRegistry()
        self._directory = directory
        self.writers: list[Callable[[], None]] = []
        if self._directory is None:
            ProcessCollector(registry=registry)
            GCCollector(registry=registry)
        self.requests = Counter(
            "render_service_requests",
            "Requests answered.",
            ["endpoint", "status"],
            registry=registry,
        )
        self.seconds = Histogram(
            "render_service_request_duration_seconds",
            "Time from the complete body to the answer, waiting for a thread included.",
            ["endpoint", "status"],
            buckets=SECONDS,
            registry=registry,
        )
        self.tokens = Counter(
            "render_service_tokens",
            "Prompt tokens rendered and output tokens derendered.",
            ["endpoint", "direction"],
            registry=registry,
        )
        self.outcomes = Counter(
            "render_service_parse_outcomes",
            "What the parser found in an answer.",
            ["endpoint", "outcome"],
            registry=registry,
        )
        self.state_bytes = Histogram(
            "render_service_stream_state_bytes",
            "Size of the stream_state sent with a streamed chunk.",
            buckets=STATE_BYTES,
            registry=registry,
        )

        self.cache_lookups = Counter(
            "render_service_parser_cache_lookups",
            "Chunks whose stream was sought in the parser cache.",
            ["result"],
            registry=registry,
        )
        self.cache_evictions = Counter(
            "render_service_parser_cache_evictions",
            "Streams that left the parser cache for their age or for want of room.",
            registry=registry,
        )
        self.cache_bytes = Gauge(
            "render_service_parser_cache_bytes",
            "Memory that the streams in the parser cache hold, about.",
            multiprocess_mode="livesum",
            registry=registry,
        )

        self.queue_depth = Gauge(
            "render_service_queue_depth",
            "Requests that wait for a thread.",
            multiprocess_mode="livesum",
            registry=registry,
        )
        self.worker_restarts = Counter(
            "render_service_worker_restarts",
            "Worker processes that died and were replaced.",
            registry=registry,
        )

    def write(self) -> None:
        """Bring the instruments up to date, as before they are shown."""
        for writer in self.writers:
            writer()

    async def keep_written(self) -> None:
        """Write again and again, where other workers show what this one counts."""
        while self._directory is not None:
            await asyncio.sleep(WRITE_SECONDS)
            self.write()

    def exposition(self) -> bytes:
        """All metrics as text, of all workers."""
        self.write()
        if self._directory is None:
            return generate_latest(self._registry)
        everyone = CollectorRegistry()
        MultiProcessCollector(everyone, self._directory)  # type: ignore[no-untyped-call]  # has no types
        return generate_latest(everyone)

    def forget(self, pid: int) -> None:
        """A worker that has died: its counts stay, what it held is gone."""
        if self._directory is not None:
            mark_process_dead(pid, self._directory)  # type: ignore[no-untyped-call]  # has no types
