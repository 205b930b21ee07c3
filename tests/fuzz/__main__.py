"""Fuzz the targets and print a table.

    python -m tests.fuzz --executions 10000000     # shared by the targets, on all cores
    python -m tests.fuzz --seconds 60 parsers state
    python -m tests.fuzz --atheris parsers         # coverage-guided, where atheris is installed

An input that does what must not happen is printed and written to .cache/fuzz; the exit code is
then 1. Fixed, it belongs into tests/ as a test, or into the target's folder of tests/fuzz/corpus.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import traceback
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from .engine import Fault, Figures
from .target import CORPUS, corpus

FOUND = Path(__file__).parents[2] / ".cache" / "fuzz"
KEPT = 24
"""Inputs in a target's corpus, as --save leaves it."""
LINE = "{:28} {:>11} {:>9} {:>7} {:>11} {:>8} {:>9}"


def all_of(wanted: list[str], told: argparse.Namespace) -> Iterator[tuple[str, Future[Figures]]]:
    from .targets import run

    count, jobs = len(wanted), told.jobs
    share = told.executions // count if told.executions else None
    seconds = told.seconds * jobs / count
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), max_tasks_per_child=1)
    with pool:
        futures = {pool.submit(run, name, share, seconds, told.seed): name for name in wanted}
        for future in as_completed(futures):
            yield futures[future], future


def report(name: str, figures: Figures) -> None:
    rate = figures.executions / max(figures.seconds, 1e-9)
    print(
        LINE.format(
            name,
            f"{figures.executions:,}",
            f"{rate:,.0f}",
            figures.kinds,
            f"{figures.slowest * 1000:.1f} ms",
            f"{figures.rss >> 20} MiB",
            f"{figures.grown / 2**20:+.1f} MiB",
        ),
        flush=True,
    )


def save_fault(name: str, data: bytes) -> Path:
    FOUND.mkdir(parents=True, exist_ok=True)
    path = FOUND / f"{name}-{hashlib.sha256(data).hexdigest()[:12]}"
    path.write_bytes(data)
    return path


def save_corpus(name: str, pool: list[bytes]) -> None:
    """The shortest inputs that each do something else than the others."""
    folder = CORPUS / name
    folder.mkdir(parents=True, exist_ok=True)
    known = set(corpus(name))
    for data in sorted(set(pool) - known, key=len)[: KEPT - len(known)]:
        (folder / hashlib.sha256(data).hexdigest()[:12]).write_bytes(data)


def main() -> int:
    from .targets import NAMES

    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(NAMES))
    parser.add_argument("--executions", type=int, help="Of all targets together.")
    parser.add_argument("--seconds", type=float, default=60.0, help="In all; without --executions.")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="Processes at once.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", action="store_true", help="Add to tests/fuzz/corpus.")
    parser.add_argument("--atheris", action="store_true", help="One target, until it is stopped.")
    told = parser.parse_args()
    wanted = told.targets or list(NAMES)
    if unknown := set(wanted) - set(NAMES):
        parser.error(f"no target {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    if told.atheris:
        from .with_atheris import guided

        return guided(wanted[0])
    print(LINE.format("target", "executions", "a second", "kinds", "slowest", "rss", "grown"))
    total, faults = 0, 0
    for name, future in all_of(wanted, told):
        try:
            figures = future.result()
        except Fault as fault:
            faults += 1
            print(f"{name}: {fault.why}", file=sys.stderr)
            traceback.print_exception(fault.__cause__ or fault, limit=-8)
            if fault.data is not None:
                print(f"input: {json.dumps(str(save_fault(name, fault.data)))}", file=sys.stderr)
            continue
        total += figures.executions
        report(name, figures)
        if told.save:
            save_corpus(name, figures.pool)
    print(f"{total:,} executions of {len(wanted)} targets, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
