"""SIGTERM to two workers that have work: all of it is answered, and no process is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier
from typing import Any

import httpx
import orjson
import pytest

from render_service import render
from render_service.local_server import free_port
from tests.conftest import DEMO_MODEL
from tests.render_service.derender_client import (
    CALL,
    CHAT_TOOLS,
    PARSERS,
    REASONED,
    complete,
    ids_of,
    joined,
    message_of,
    next_body,
    parsed_demo,
)
from tests.render_service.processes import alive, children
from tests.render_service.waiting import until

JSON = {"Content-Type": "application/json"}
THREADS = 32
STREAMS = 4
Held = dict[Path, "Future[httpx.Response]"]
Json = dict[str, Any]


class Service:
    """Two workers at a TCP port or, where `uds` is given, at that socket."""

    def __init__(self, folder: Path, uds: Path | None, flags: Sequence[str]) -> None:
        self._uds = str(uds) if uds else None
        port = str(free_port())
        self._url = "http://service" if uds else f"http://127.0.0.1:{port}"
        where = ("--uds", str(uds)) if uds else ("--host", "127.0.0.1", "--port", port)
        self._log = folder / "log"
        words = (str(DEMO_MODEL), "--workers", "2", "--renderer-num-workers", str(THREADS), *where)
        with self._log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.render_service.held_service", *words, *flags],
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        until(lambda: self.ready() == 200)
        self._workers = children(self.process.pid)

    def client(self) -> httpx.Client:
        transport = httpx.HTTPTransport(uds=self._uds)
        return httpx.Client(base_url=self._url, transport=transport, timeout=60)

    def ready(self) -> int:
        """0: connections are refused."""
        try:
            with self.client() as client:
                return client.get("/ready").status_code
        except httpx.TransportError:
            return 0

    def hold(self, file: Path) -> httpx.Response:
        with self.client() as client:
            return client.post("/tokenize", content=str(file), headers=JSON)

    def ends_with_nothing_left(self) -> None:
        assert self.process.wait(30) == 0
        assert not any(alive(pid) for pid in self._workers)
        assert "Traceback" not in self.log()
        assert self._uds is None or not Path(self._uds).exists()

    def log(self) -> str:
        return self._log.read_text()

    def stop(self) -> None:
        for pid in [self.process.pid, *self._workers]:
            if alive(pid):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def started(folder: Path, *flags: str, uds: bool) -> Iterator[tuple[Service, ThreadPoolExecutor]]:
    with ThreadPoolExecutor(THREADS) as pool:
        service = Service(folder, folder / "socket" if uds else None, flags)
        try:
            yield service, pool
        finally:
            service.stop()


def held_on_both(service: Service, pool: ThreadPoolExecutor, folder: Path) -> Held:
    """Requests in work, by the file that each waits for: some on each of the workers."""
    found: Held = {}
    pids: set[str] = set()
    while len(pids) < 2:
        assert len(found) < THREADS - STREAMS, "one worker takes all"
        file = folder / str(len(found))
        found[file] = pool.submit(service.hold, file)
        until(Path(f"{file}.started").exists)
        pids.add(Path(f"{file}.started").read_text())
    return found


def streamed(client: httpx.Client, begun: Json, ids: Sequence[int], half: Barrier) -> list[Json]:
    """The answers to the chunks of a stream that waits for the others half-way, twice."""
    answers: list[Json] = []
    state = None
    for at, token in enumerate(ids):
        if at == len(ids) // 2:
            half.wait(60)
            half.wait(60)
        body = next_body(begun, [token], last=at == len(ids) - 1, state=state)
        answer = client.post("/v1/chat/completions/derender", json=body)
        assert answer.status_code == 200, answer.text
        answers.append(answer.json())
        state = answers[-1]["stream_state"]
    return answers


def not_ready(service: Service) -> bool:
    """Whichever worker is asked."""
    return all(service.ready() == 503 for _ in range(10))


over_both = pytest.mark.parametrize("uds", [False, True], ids=["tcp", "uds"])


@over_both
def test_renders_and_streams_in_flight_are_answered(uds: bool, tmp_path: Path) -> None:
    model = parsed_demo()
    begun = orjson.loads(render.chat(model, orjson.dumps(CHAT_TOOLS), None).body)
    ids = ids_of(model, f"{REASONED}So it is.\n{CALL}")
    half = Barrier(STREAMS + 1)
    with started(tmp_path, *PARSERS, "--drain-delay", "600", uds=uds) as (service, pool):
        clients = [service.client() for _ in range(STREAMS)]
        streams = [pool.submit(streamed, client, begun, ids, half) for client in clients]
        half.wait(60)
        held = held_on_both(service, pool, tmp_path)
        service.process.terminate()
        until(lambda: not_ready(service))
        with service.client() as client:
            assert client.get("/ready").headers["retry-after"] == "1"
        # Once, not by each worker.
        assert (
            service.log().count("draining: /ready answers 503; new work is served for 600 s") == 1
        )
        half.wait(60)
        answers = [stream.result() for stream in streams]
        for client in clients:
            client.close()
        service.process.terminate()  # the end of the delay
        until(lambda: service.ready() == 0)
        for file, answer in held.items():
            file.touch()
            assert answer.result().json() == {"held": True}
        service.ends_with_nothing_left()
    wanted = message_of(complete(model, begun, ids))
    assert all(joined(one) == wanted for one in answers)


@over_both
def test_the_bound_answers_503(uds: bool, tmp_path: Path) -> None:
    with started(tmp_path, "--shutdown-timeout", "1", uds=uds) as (service, pool):
        held = held_on_both(service, pool, tmp_path)
        service.process.terminate()
        for answer in held.values():
            assert answer.result().status_code == 503
            assert "shutting down" in answer.result().json()["error"]["message"]
        service.ends_with_nothing_left()


@over_both
def test_a_second_signal_ends_it_at_once(uds: bool, tmp_path: Path) -> None:
    with started(tmp_path, "--shutdown-timeout", "600", uds=uds) as (service, pool):
        held = held_on_both(service, pool, tmp_path)
        service.process.terminate()
        until(lambda: service.ready() == 0)
        assert not any(answer.done() for answer in held.values())
        service.process.terminate()
        for answer in held.values():
            assert answer.result().status_code == 503
        service.ends_with_nothing_left()
