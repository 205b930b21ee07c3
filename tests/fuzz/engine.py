"""Runs a target on changed inputs, keeps those that do something new, and watches time and memory.

"New" is what the target says of an input (an error's wording, the kinds of events), not which
lines ran: `with_atheris.py` has that, at a fraction of the speed.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import FrameType
from typing import NamedTuple

from .mutate import changed
from .target import Target, corpus

HANG = 20.0
"""Seconds that no input of at most `LONGEST` bytes may take, on however busy a machine."""
WARM = 20_000
"""Executions after which caches are full."""
CHECK = 100_000
"""Executions between two looks at the process's memory."""
GROWTH = 64 << 20
"""Bytes that it may have grown since it was warm."""
POOL = 2000
"""Inputs kept, and kinds of outcomes told apart: what the fuzzer itself holds is bounded."""
SEPARATOR = b"\n"


class Fault(Exception):
    """What must not happen. data: the input that did it, None where it was all of them."""

    def __init__(self, why: str, data: bytes | None = None) -> None:
        super().__init__(f"{why}: {data!r}" if data is not None else why)
        self.why = why
        self.data = data

    def __reduce__(self) -> tuple[type[Fault], tuple[str, bytes | None]]:
        return Fault, (self.why, self.data)


class Figures(NamedTuple):
    """seconds: of all executions. slowest: seconds of one. kinds: of outcomes. rss, grown: bytes.
    pool: the shortest input of each kind.
    """

    executions: int
    seconds: float
    slowest: float
    kinds: int
    rss: int
    grown: int
    pool: list[bytes]


def fuzz(
    name: str, target: Target, *, executions: int | None = None, seconds: float = 0.0, seed: int = 1
) -> Figures:
    """So many executions, or seconds of them. Raises Fault."""
    rng, known = Random(f"{name} {seed}"), dict[str, bytes]()
    begun, slowest, done, warm = time.monotonic(), 0.0, 0, 0
    pool: list[bytes] = []
    with _alarm():
        for data in _inputs(target, corpus(name), pool, rng):
            if done == WARM:
                warm = resident()
            if done % CHECK == 0 and warm:
                _check_growth(warm)
            start = time.monotonic()
            if done >= executions if executions is not None else start - begun > seconds:
                break
            kind = run_one(target, data)
            slowest = max(slowest, time.monotonic() - start)
            done += 1
            if len(data) < len(known[kind]) if kind in known else len(known) < POOL:
                known[kind] = data
                _keep(pool, data, rng)
    rss = resident()
    shortest = [data for _, data in sorted(known.items())]
    took = time.monotonic() - begun
    return Figures(done, took, slowest, len(known), rss, rss - warm if warm else 0, shortest)


def run_one(target: Target, data: bytes) -> str:
    """What the target says of the input; Fault for whatever it raises."""
    signal.setitimer(signal.ITIMER_REAL, HANG)
    try:
        return target.run(data)
    except Exception as error:
        raise Fault(f"{type(error).__name__}: {error}"[:400], data) from error
    except _Hang as error:
        raise Fault(f"no end after {HANG:g} s", data) from error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _inputs(target: Target, kept: list[bytes], pool: list[bytes], rng: Random) -> Iterator[bytes]:
    """The corpus and the seeds, then changes of what is in the pool."""
    pool += kept
    yield from kept
    pool += target.seeds
    yield from target.seeds
    while True:
        data = rng.choice(pool)
        if not target.heads:
            yield changed(data, pool, target.words, rng)
            continue
        head, _, body = data.partition(SEPARATOR)
        head = rng.choice(target.heads) if rng.random() < 0.3 else head
        yield head + SEPARATOR + changed(body, pool, target.words, rng)


def _keep(pool: list[bytes], data: bytes, rng: Random) -> None:
    if len(pool) < POOL:
        pool.append(data)
    else:
        pool[rng.randrange(POOL)] = data


def resident() -> int:
    """Bytes of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _check_growth(warm: int) -> None:
    grown = resident() - warm
    if grown > GROWTH:
        raise Fault(f"the process has grown by {grown >> 20} MiB since it was warm")


class _Hang(BaseException):
    """Not an Exception, so that nothing on the way takes it for one of its own."""


def _raise_hang(number: int, frame: FrameType | None) -> None:
    raise _Hang


@contextmanager
def _alarm() -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, _raise_hang)
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, before)
