"""Workers are killed while streams run: a client that sends a lost chunk again loses nothing."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import httpx

from render_service.local_server import LocalServer
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

PATH = "/v1/chat/completions"
STREAMS = 12
KILLS = 3

Json = dict[str, Any]


def sent(client: httpx.Client, body: Json) -> Json:
    while True:
        try:
            answer = client.post(f"{PATH}/derender", json=body)
        except httpx.TransportError:
            continue  # its worker was killed
        assert answer.status_code == 200, answer.text
        found: Json = answer.json()
        return found


def streamed(server: LocalServer, begun: Json, ids: Sequence[int], start: Barrier) -> list[Json]:
    answers: list[Json] = []
    state = None
    start.wait()
    with httpx.Client(base_url=server.url, timeout=60) as client:
        for at, token in enumerate(ids):
            body = next_body(begun, [token], last=at == len(ids) - 1, state=state)
            answer = sent(client, body)
            answers.append(answer)
            state = answer["stream_state"]
    return answers


def pair(server: LocalServer) -> set[int] | None:
    found = children(server.process.pid)
    return found if len(found) == 2 else None


def kill_one(server: LocalServer, oldest: bool) -> None:
    found = until(lambda: pair(server))
    victim = min(found) if oldest else max(found)
    os.kill(victim, signal.SIGKILL)
    until(lambda: victim not in children(server.process.pid))


def restarts(server: LocalServer) -> float:
    text = httpx.get(server.url + "/metrics").text
    found = re.search(r"^render_service_worker_restarts_total (\S+)", text, re.M)
    return float(found[1]) if found else 0.0


def test_killed_workers_lose_no_stream() -> None:
    model = parsed_demo()
    ids = ids_of(model, f"{REASONED}So it is.\n{CALL}") * 3
    with LocalServer(
        ["render_service", "serve", str(DEMO_MODEL), *PARSERS, "--workers", "2"]
    ) as server:
        begun = httpx.post(f"{server.url}{PATH}/render", json=CHAT_TOOLS).json()
        start = Barrier(STREAMS + 1)
        with ThreadPoolExecutor(STREAMS) as pool:
            streams = [pool.submit(streamed, server, begun, ids, start) for _ in range(STREAMS)]
            start.wait()
            for number in range(KILLS):
                kill_one(server, oldest=number % 2 == 0)
            answers = [stream.result() for stream in streams]
        until(lambda: pair(server))
        until(lambda: restarts(server) == KILLS)
        workers = children(server.process.pid)
        server.process.terminate()
        assert server.process.wait(30) == 0
        assert not any(alive(pid) for pid in workers)
    answer = complete(model, begun, ids)
    for one in answers:
        assert joined(one) == message_of(answer)
