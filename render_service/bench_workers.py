"""What more worker processes bring: one worker beside several, by the CPU time of each of them.

The load generator takes CPUs from the workers, so how many requests a second come through says more
of the machine than of the service. What counts is the busiest worker: with a CPU for each, and
enough clients, it is the one that the others wait for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

import uvloop

from .bench_load import Target, cpu_of_each, memory_bytes
from .bench_streams import Group, Plan

MOST = 8


@dataclass
class Workers:
    """start: seconds until /ready. memory: bytes a worker. By part: chunk_us, of CPU time of all
    processes; busiest, the share of it that the busiest worker took; a_second, requests a second of
    CPU time of the busiest worker.
    """

    workers: int
    start: float
    memory: float = 0.0
    chunk_us: list[float] = field(default_factory=list)
    busiest: list[float] = field(default_factory=list)
    a_second: list[float] = field(default_factory=list)

    def add(self, requests: int, spent: Sequence[float]) -> None:
        """spent: seconds of CPU time, by process."""
        self.chunk_us.append(1e6 * sum(spent) / requests)
        self.busiest.append(max(spent) / sum(spent))
        self.a_second.append(requests / max(spent))

    def ratio(self, one: Workers) -> float:
        """Of the requests a second: the median of the parts, in which the two took turns."""
        return median(a / b for a, b in zip(self.a_second, one.a_second, strict=True))


def how_many() -> int:
    """Workers to measure beside one."""
    return min(max(os.cpu_count() or 2, 2), MOST)


def run_workers(
    runs: Sequence[tuple[Target, Workers]], plan: Plan, tick: Callable[[float], None]
) -> None:
    """The same streams to each, in turn. Raises BenchError."""
    uvloop.run(_run(runs, plan, tick))
    for target, found in runs:
        found.memory = memory_bytes(target.pid) / found.workers


async def _run(
    runs: Sequence[tuple[Target, Workers]], plan: Plan, tick: Callable[[float], None]
) -> None:
    groups = [Group(target, plan) for target, _ in runs]
    try:
        for part, end in enumerate(groups[0].ends):
            for group, (target, found) in zip(groups, runs, strict=True):
                before = cpu_of_each(target.pid)
                load = await group.send(end)
                after = cpu_of_each(target.pid)
                if part:  # not the first one, which connects and begins the streams
                    spent = [after[pid] - before.get(pid, 0.0) for pid in after]
                    found.add(load.requests, spent)
            tick((part + 1) / len(groups[0].ends))
    finally:
        for group in groups:
            group.close()
