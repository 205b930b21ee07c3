"""What more worker processes bring: several of one service beside as many services of one each.

The load generator takes CPUs from the workers, so how many requests a second come through says more
of the machine than of the service. What counts is the busiest worker: with a CPU for each, and
enough clients, it is the one that the others wait for. One worker alone would leave a CPU to the
load, and cost less for that; so as many services of one are loaded at once, and theirs is the mean.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import uvloop

from .bench_load import Target, cpu_of_each, memory_bytes
from .bench_streams import Group, Plan

MOST = 8


@dataclass
class Workers:
    """workers: of a service. start: seconds until /ready. memory: bytes a worker. requests: of all
    its services. spent: their seconds of CPU time, by process.
    """

    workers: int
    start: float
    memory: float = 0.0
    requests: int = 0
    spent: dict[int, float] = field(default_factory=dict)

    def add(self, requests: int, before: Mapping[int, float], after: Mapping[int, float]) -> None:
        """before, after: seconds of CPU time, by process."""
        self.requests += requests
        for pid, seconds in after.items():
            self.spent[pid] = self.spent.get(pid, 0.0) + seconds - before.get(pid, 0.0)

    @property
    def chunk_us(self) -> float:
        """Microseconds of CPU time a request, of all processes."""
        return 1e6 * sum(self.spent.values()) / self.requests

    @property
    def busiest(self) -> float:
        """The share of CPU time that a service's busiest worker took."""
        return 1.0 if self.workers == 1 else max(self.spent.values()) / sum(self.spent.values())

    @property
    def a_second(self) -> float:
        """Requests to a service a second of CPU time of its busiest worker."""
        return 1e6 / self.chunk_us / self.busiest


def how_many() -> int:
    """Workers to measure beside one."""
    return min(max(os.cpu_count() or 2, 2), MOST)


def run_workers(
    ones: Sequence[Target],
    many: Target,
    found: tuple[Workers, Workers],
    plan: Plan,
    tick: Callable[[float], None],
) -> None:
    """As many streams a worker to each, in turn. found: of one worker, and of many. Raises
    BenchError.
    """
    one, several = found
    wide = plan._replace(streams=plan.streams * several.workers)
    uvloop.run(_run([(ones, one, plan), ([many], several, wide)], tick))
    for targets, each in ((ones, one), ([many], several)):
        memory = sum(memory_bytes(target.pid) for target in targets)
        each.memory = memory / len(targets) / each.workers


async def _run(
    runs: Sequence[tuple[Sequence[Target], Workers, Plan]], tick: Callable[[float], None]
) -> None:
    groups = [[Group(target, plan) for target in targets] for targets, _, plan in runs]
    ends = groups[0][0].ends
    try:
        for part, end in enumerate(ends):
            for services, (targets, found, _) in zip(groups, runs, strict=True):
                before = _spent(targets)
                loads = await asyncio.gather(*(service.send(end) for service in services))
                if part:  # not the first one, which connects and begins the streams
                    found.add(sum(load.requests for load in loads), before, _spent(targets))
            tick((part + 1) / len(ends))
    finally:
        for group in (group for services in groups for group in services):
            group.close()


def _spent(targets: Sequence[Target]) -> dict[int, float]:
    return {pid: spent for one in targets for pid, spent in cpu_of_each(one.pid).items()}
