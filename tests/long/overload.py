"""Overload a started server: more clients at once than it has places for, without a pause.

    python -m tests.long.overload [--seconds 300] [--size 40000] [--waiting 8]

Every answer is right or a 503 with Retry-After, none is missing, and afterwards the service is at
rest and answers. The exit code is 1 where that does not hold.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import httpx

from render_service.local_server import LocalServer
from tests.conftest import DEMO_MODEL
from tests.long.hostile import resident

PATH = "/tokenize"
JSON = {"Content-Type": "application/json"}


@dataclass
class Found:
    """statuses: 0 where no answer came. wrong: answers that are neither right nor a refusal.
    seconds: of each answer. grown: bytes that the process holds more than after the first."""

    statuses: Counter[int] = field(default_factory=Counter)
    wrong: int = 0
    seconds: list[float] = field(default_factory=list)
    recovered: bool = False
    grown: int = 0


def drive(seconds: float, size: int, waiting: int) -> Found:
    """size: bytes of a body, for a thread. waiting: places in the queue; twice the clients."""
    flags = ("--max-num-queued-reqs", str(waiting), "--disable-uvicorn-access-log")
    found = Found()
    with LocalServer(["render_service", "serve", str(DEMO_MODEL), *flags]) as server:
        body = json.dumps({"prompt": "word " * (size // 5)}).encode()
        right = httpx.post(server.url + PATH, content=body, headers=JSON).content
        held = resident(server.process.pid)
        end = time.monotonic() + seconds

        def client() -> None:
            with httpx.Client(base_url=server.url, timeout=60) as kept:
                while time.monotonic() < end:
                    _ask(kept, body, right, found)

        clients = 2 * (waiting + 1)  # and one in the thread
        with ThreadPoolExecutor(clients) as pool:
            for done in [pool.submit(client) for _ in range(clients)]:
                done.result()
        found.grown = resident(server.process.pid) - held
        again = httpx.post(server.url + PATH, content=body, headers=JSON)
        found.recovered = again.content == right
    return found


def _ask(client: httpx.Client, body: bytes, right: bytes, found: Found) -> None:
    start = time.monotonic()
    try:
        answer = client.post(PATH, content=body, headers=JSON)
    except httpx.TransportError:
        found.statuses[0] += 1
        return
    found.seconds.append(time.monotonic() - start)
    found.statuses[answer.status_code] += 1
    if answer.status_code == 503:
        found.wrong += "retry-after" not in answer.headers
    else:
        found.wrong += answer.content != right


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--size", type=int, default=40_000)
    parser.add_argument("--waiting", type=int, default=8)
    args = parser.parse_args()
    found = drive(args.seconds, args.size, args.waiting)
    times = sorted(found.seconds)
    print(f"statuses {dict(found.statuses)}, wrong {found.wrong}, recovered {found.recovered}")
    served, refused = (found.statuses[status] / args.seconds for status in (200, 503))
    print(f"{served:.0f} answered and {refused:.0f} refused a second")
    print(f"median {times[len(times) // 2]:.3f} s, slowest {times[-1]:.3f} s")
    print(f"grown by {found.grown / 1e6:.1f} MB")
    return int(bool(found.wrong or set(found.statuses) - {200, 503} or not found.recovered))


if __name__ == "__main__":
    sys.exit(main())
