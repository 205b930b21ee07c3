"""How many cores a load takes: what its users ask of a benchmark."""

from __future__ import annotations

import math
from typing import NamedTuple

BUSY = 0.7
"""The share of a core to plan with; above it, queues grow faster than the work that is left."""


class Sizing(NamedTuple):
    """tokens_per_second: of one stream. chunk_us, render_us: microseconds of CPU time.

    answer_tokens: of a stream, for how often a new one begins with a render. workers: of a replica.
    """

    streams: int
    tokens_per_second: float
    tokens_per_chunk: int
    chunk_us: float
    render_us: float
    answer_tokens: int
    workers: int

    @property
    def cores(self) -> float:
        """Busy ones."""
        tokens = self.streams * self.tokens_per_second
        chunks = tokens / self.tokens_per_chunk * self.chunk_us
        return (chunks + tokens / self.answer_tokens * self.render_us) / 1e6

    @property
    def replicas(self) -> int:
        """Servers with so many workers, each worker a core that is BUSY at most."""
        return max(math.ceil(self.cores / BUSY / self.workers), 1)

    def answer(self) -> str:
        workers = "1 worker" if self.workers == 1 else f"{self.workers} workers"
        replicas = "1 replica" if self.replicas == 1 else f"{self.replicas} replicas"
        return (
            f"{self.streams:,} streams at {self.tokens_per_second:g} tokens a second, "
            f"{self.tokens_per_chunk} a chunk, answers of {self.answer_tokens:,} tokens: "
            f"{self.cores:.2f} cores busy; {replicas} of {workers} at most "
            f"{BUSY:.0%} busy. One more lets one fail."
        )
