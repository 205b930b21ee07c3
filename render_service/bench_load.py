"""Requests to one server, and what they cost it: CPU time of its process with all children.

A lane is one connection whose requests go out one after another; lanes run side by side. The
client's own CPU time is not counted, but the client takes CPUs from the server: latencies are those
of this machine, CPU time is the server's alone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import uvloop

from .kept_connection import KeptConnection

OURS, FLOOR, PEER = "render-service", "floor", "peer"
"""Names of targets."""

IDLE, QUIET = 0.02, 0.5
"""A server is idle that takes less than this share of a CPU for so many seconds."""


class BenchError(Exception):
    """A server that refuses or does not answer; the message is one line."""


class Target(NamedTuple):
    """A server. model: the name that it serves. key: for `Authorization: Bearer`."""

    name: str
    url: str
    pid: int
    model: str = ""
    key: str | None = None


@dataclass
class Load:
    """Filled by lanes. cpu: seconds of the server; latencies: seconds; bytes of bodies."""

    cpu: float = 0.0
    sent: int = 0
    received: int = 0
    latencies: list[float] = field(default_factory=list)

    def add(self, part: Load) -> None:
        self.cpu += part.cpu
        self.sent += part.sent
        self.received += part.received
        self.latencies += part.latencies

    @property
    def requests(self) -> int:
        return len(self.latencies)

    @property
    def cpu_us(self) -> float:
        """Microseconds of CPU time a request."""
        return 1e6 * self.cpu / max(self.requests, 1)

    def latency_ms(self, share: float) -> float:
        """The latency that this share of requests does not exceed."""
        ordered = sorted(self.latencies)
        return 1e3 * ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


def processes(pid: int) -> list[int]:
    """The process and all below it. Raises BenchError where it is not there."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        found = [int(word) for task in tasks for word in (task / "children").read_text().split()]
    except OSError:
        raise BenchError(f"no process {pid}") from None
    return [pid, *(below for child in found for below in processes(child))]


def cpu_of_each(pid: int) -> dict[int, float]:
    """Seconds of CPU time of the process and of each below it, by Linux' clock of a process: that
    of /proc counts in hundredths of a second.
    """
    try:
        return {one: time.clock_gettime((~one << 3) | 2) for one in processes(pid)}
    except OSError:
        raise BenchError(f"the CPU time of process {pid} cannot be read") from None


def cpu_seconds(pid: int) -> float:
    """CPU time of the process and all below it."""
    return sum(cpu_of_each(pid).values())


def memory_bytes(pid: int) -> int:
    """Proportional memory: pages that processes share count once."""
    return sum(_proportional(one) for one in processes(pid))


def _proportional(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # of another user
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def settle(pid: int, seconds: float = 20.0) -> None:
    """Wait until the server does nothing of its own, as after its start."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        before = cpu_seconds(pid)
        time.sleep(QUIET)
        if cpu_seconds(pid) - before < IDLE * QUIET:
            return


class Connection:
    """One kept-alive HTTP/1.1 connection to a target; what goes over it is added to `load`."""

    def __init__(self, target: Target, load: Load) -> None:
        self.load, self._url = load, target.url
        try:
            self._kept = KeptConnection(target.url, target.key)
        except ValueError:
            raise BenchError(f"{target.url}: only http:// is measured") from None
        self.close = self._kept.close

    async def ask(self, path: str, body: bytes | None) -> bytes:
        """The body of the answer to a POST, or a GET without body. Raises BenchError."""
        try:
            begun = time.perf_counter()
            status, answer = await self._kept.ask(path, body)
            self.load.latencies.append(time.perf_counter() - begun)
        except (OSError, EOFError, ValueError) as error:
            words = str(error) or type(error).__name__
            raise BenchError(f"{self._url}{path}: {words}") from None
        if status != 200:
            words = answer[:300].decode(errors="replace")
            raise BenchError(f"{self._url}{path} answered {status}: {words}")
        self.load.sent += len(body or b"")
        self.load.received += len(answer)
        return answer


def ask(target: Target, path: str, body: Any = None, seconds: float | None = None) -> Any:
    """One JSON request that is not measured. seconds: for the answer. Raises BenchError."""

    async def once() -> Any:
        connection = Connection(target, Load())
        try:
            async with asyncio.timeout(seconds):
                return orjson.loads(
                    await connection.ask(path, None if body is None else orjson.dumps(body))
                )
        except TimeoutError:
            words = f"no answer within {seconds:.0f} seconds"
            raise BenchError(f"{target.name}: {target.url}{path}: {words}") from None
        finally:
            connection.close()

    return uvloop.run(once())


async def together(target: Target, load: Load, lanes: Iterable[Awaitable[object]]) -> None:
    """Run lanes side by side; the CPU time that the server takes for them is added to `load`."""
    before = cpu_seconds(target.pid)
    await asyncio.gather(*lanes)
    load.cpu += cpu_seconds(target.pid) - before
