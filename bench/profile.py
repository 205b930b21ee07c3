"""Where the CPU time of a request goes, by part, as a table in Markdown.

    python -m bench.profile [MODEL] [flags of serve]

The service runs as always, with a sampler in it (`bench.sampled`). What the kernel does for it, its
system time, is all for sockets, so it is taken out of the part that reads and writes them.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from render_service.bench_load import Target, ask, cpu_seconds, settle
from render_service.bench_renders import FULL, Sizes, Text, kinds, measured, run_kind
from render_service.bench_streams import Plan, run_streams
from render_service.local_server import LocalServer

from .sampled import FILES, HTTP, LINES

TICK = os.sysconf("SC_CLK_TCK")
KERNEL = "kernel"
LONG = 3000  # tokens of a render that is still answered by the event loop
FULL_SIZES = FULL._replace(short=4000, requests=4000, long=LONG, conversations=0)


@dataclass
class Found:
    """us: microseconds of CPU time a request, by part."""

    kind: str
    us: dict[str, float]
    samples: int


class Profile:
    def __init__(self, server: LocalServer, prefix: Path) -> None:
        self._prefix, self._written = prefix, 0
        self._pid = server.process.pid
        target = Target("render-service", server.url, self._pid)
        model = ask(target, "/v1/models")["data"][0]
        self.target = target._replace(model=model["id"])
        self.limit = int(model["max_model_len"])

    def measure(self, kind: str, run: Callable[[], int]) -> Found:
        """run: sends the requests and says how many."""
        self._counts()
        cpu, system = cpu_seconds(self._pid), self._system()
        requests = run()
        us = 1e6 * (cpu_seconds(self._pid) - cpu) / requests
        kernel = 1e6 * (self._system() - system) / requests
        counts = self._counts()
        samples = max(sum(counts.values()), 1)
        parts = {part: us * count / samples for part, count in counts.items()}
        parts[HTTP] = max(parts.get(HTTP, 0.0) - kernel, 0.0)
        return Found(kind, {**parts, KERNEL: kernel}, samples)

    def _system(self) -> float:
        words = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        return int(words[12]) / TICK

    def _counts(self) -> dict[str, int]:
        """Since the last time."""
        file = Path(f"{self._prefix}.{self._written}")
        self._written += 1
        os.kill(self._pid, signal.SIGUSR2)
        while not file.exists():
            time.sleep(0.01)
        found: dict[str, int] = json.loads(file.read_text())
        return found


def profiled(profile: Profile, sizes: Sizes = FULL_SIZES, streams: int = 16) -> Iterator[Found]:
    """streams: of 4,000 tokens where the model takes as many, one a chunk."""
    target = profile.target
    text = measured(lambda path, body: ask(target, path, body))
    output = _ids(target, text, min(4000, profile.limit // 2))
    plan = Plan(output, output[:1000], streams=streams)

    def chunks() -> int:
        (found,) = run_streams([(target, plan)], lambda share: None)
        return found.total.requests

    run_streams([(target, plan._replace(output=output[:100]))], lambda share: None)
    yield profile.measure("chunk", chunks)
    for kind in kinds(text, output, sizes, profile.limit):
        if kind.parts:

            def requests(kind=kind) -> int:  # type: ignore[no-untyped-def]  # bound now
                (found,) = run_kind([target], kind)
                return found.load.requests

            yield profile.measure(f"{kind.name}, {kind.tokens:,}", requests)


def _ids(target: Target, text: Text, count: int) -> list[int]:
    body = {"prompt": text.of(2 * count), "add_special_tokens": False}
    ids: list[int] = ask(target, "/tokenize", body)["tokens"]
    return ids[:count]


def table(found: list[Found]) -> str:
    """Microseconds, and of all the sum."""
    parts = dict.fromkeys([KERNEL, HTTP, *(part for part, _ in (*FILES, *LINES))])
    rows = [[part, *(f"{one.us.get(part, 0.0):,.1f}" for one in found)] for part in parts]
    rows.append(["all of it", *(f"{sum(one.us.values()):,.1f}" for one in found)])
    head = [
        ["µs of CPU", *(one.kind for one in found)],
        ["---", *("---:" for _ in found)],
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in [*head, *rows])


def main(argv: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        prefix = Path(folder) / "samples"
        command = ["bench.sampled", str(prefix), "serve", *argv, "--disable-uvicorn-access-log"]
        with LocalServer(command, ready="/ready", timeout=180.0) as server:
            settle(server.process.pid)
            found = list(profiled(Profile(server, prefix)))
    print(table(found))
    print(f"\nsamples: {', '.join(f'{one.samples:,}' for one in found)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
