"""Streams over a fleet behind nginx: replicas die, restart and differ, and no stream is lost."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from render_service.local_server import LocalServer
from render_service.model import Model
from tests.conftest import DEMO_MODEL

from .derender_client import (
    CALL,
    CHAT_TOOLS,
    PARSERS,
    REASONED,
    chunk,
    complete,
    ids_of,
    joined,
    message_of,
    next_body,
    parsed_demo,
)
from .nginx import PROGRAM, Nginx, one_side, two_sides
from .processes import children

pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="nginx is not installed (Debian's package nginx-light)"
)

Json = dict[str, Any]
KEY = "a key that the replicas share"
FLAGS = (
    *PARSERS,
    *("--fingerprint", "require", "--state-key", KEY, "--workers", "2"),
)
OTHER_TEMPLATE = ("--chat-template", "{% for m in messages %}{{ m.content }}{% endfor %}")
WORDS = "The café in 東京 is open until nine 🎉, and then it closes.\n"
OUTPUTS = (
    f"{REASONED}{WORDS * 4}",
    f"{REASONED}So:\n{CALL}\n{CALL}",
    f"<think>\n{WORDS * 3}</think>\n\n{WORDS}{CALL}",
    f"<think>\n{WORDS * 5}",
)
STREAMS = 200


class Turn(NamedTuple):
    """One answer to a chunk: its status, and the replica that gave it."""

    status: int
    upstream: str


class Stream:
    """One output, sent in chunks of 1 to 8 tokens; only a 409 is sent again by the client."""

    def __init__(self, number: int, generate: Json, ids: Sequence[int]) -> None:
        self.chance = random.Random(number)
        self.generate = generate
        self.ids = ids
        self.answers: list[Json] = []
        self.turns: list[Turn] = []

    async def run(self, client: httpx.AsyncClient, sent: Callable[[], None]) -> None:
        at, state = 0, None
        while at < len(self.ids):
            part = self.ids[at : at + self.chance.randint(1, 8)]
            at += len(part)
            last = at >= len(self.ids)
            body = next_body(self.generate, part, last=last, state=state)
            answer = await self._post(client, body)
            state = answer["stream_state"]
            self.answers.append(answer)
            sent()

    async def _post(self, client: httpx.AsyncClient, body: Json) -> Json:
        while True:
            answer = await client.post("/v1/chat/completions/derender", json=body)
            self.turns.append(Turn(answer.status_code, answer.headers["x-upstream"]))
            if answer.status_code != 409:
                assert answer.status_code == 200, answer.text
                found: Json = answer.json()
                return found


class Fleet:
    """Three replicas behind nginx."""

    def __init__(self, folder: Path, *more: Sequence[str]) -> None:
        self.flags = [(*FLAGS, *flags) for flags in more]
        self.replicas: list[LocalServer] = []
        with ExitStack() as started:
            started.callback(self._stop_replicas)
            for one in self.flags:
                self.replicas.append(self._start(one))
            self.nginx = Nginx(folder, *one_side([replica.port for replica in self.replicas]))
            started.pop_all()

    def _start(self, flags: Sequence[str], port: int | None = None) -> LocalServer:
        return LocalServer(["render_service", "serve", str(DEMO_MODEL), *flags], port=port)

    def kill(self, index: int) -> None:
        """All processes of a replica, at once."""
        process = self.replicas[index].process
        for pid in (process.pid, *children(process.pid)):
            os.kill(pid, signal.SIGKILL)
        process.wait()

    def restart(self, index: int) -> None:
        replica = self.replicas[index]
        replica.stop()
        self.replicas[index] = self._start(self.flags[index], replica.port)

    def stop(self) -> None:
        self.nginx.stop()
        self._stop_replicas()

    def _stop_replicas(self) -> None:
        for replica in self.replicas:
            replica.stop()


def begun(fleet: Fleet, model: Model) -> list[Stream]:
    """One request, rendered by the first replica, as if many clients had sent it."""
    url = f"{fleet.replicas[0].url}/v1/chat/completions/render"
    answer = httpx.post(url, json=CHAT_TOOLS).json()
    base, fingerprint = answer["request_id"].split("-rf")
    return [
        Stream(
            number,
            {**answer, "request_id": f"{base}-{number}-rf{fingerprint}"},
            ids_of(model, OUTPUTS[number % len(OUTPUTS)]),
        )
        for number in range(STREAMS)
    ]


async def all_at_once(
    fleet: Fleet, streams: Sequence[Stream], events: dict[float, Callable[[], None]]
) -> None:
    """events: what happens when so much of all chunks was answered."""
    total = sum(len(stream.ids) for stream in streams) / 4.5
    waiting, done, tasks = sorted(events), 0, []

    def sent() -> None:
        nonlocal done
        done += 1
        if waiting and done >= waiting[0] * total:
            tasks.append(asyncio.create_task(asyncio.to_thread(events[waiting.pop(0)])))

    limits = httpx.Limits(max_connections=STREAMS)
    async with httpx.AsyncClient(base_url=fleet.nginx.url, limits=limits, timeout=60) as client:
        await asyncio.gather(*(stream.run(client, sent) for stream in streams))
        await asyncio.gather(*tasks)
    assert not waiting


def run(fleet: Fleet, events: dict[float, Callable[[], None]]) -> list[Turn]:
    """Every joined answer is the one that a single process gives for the whole output."""
    model = parsed_demo()
    streams = begun(fleet, model)
    asyncio.run(all_at_once(fleet, streams, events))
    for stream in streams:
        answer = complete(model, stream.generate, stream.ids)
        assert joined(stream.answers) == message_of(answer)
    return [turn for stream in streams for turn in stream.turns]


def test_no_stream_is_lost_when_replicas_die_and_restart(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, (), (), ())
    try:
        turns = run(fleet, {0.3: lambda: fleet.kill(0), 0.5: lambda: fleet.restart(1)})
        assert {turn.status for turn in turns} == {200}
        tried_again = [turn for turn in turns if "," in turn.upstream]
        assert tried_again, "nginx had nothing to try again"
        metrics = httpx.get(f"{fleet.replicas[2].url}/metrics").text
        counts = {
            line.split()[0]: float(line.split()[1])
            for line in metrics.splitlines()
            if line.startswith("render_service_parser_cache_lookups_total")
        }
        assert all(counts.values()), counts
        assert len(counts) == 2  # hits and misses
    finally:
        fleet.stop()


def test_a_replica_with_another_template_refuses_every_chunk(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, (), OTHER_TEMPLATE, ())
    try:
        other = f"127.0.0.1:{fleet.replicas[1].port}"
        refused = 0
        for turn in run(fleet, {}):
            assert (turn.status == 409) == (turn.upstream == other)
            refused += turn.status == 409
        assert refused > STREAMS
    finally:
        fleet.stop()


def test_a_fingerprint_that_is_sent_back_leads_to_the_old_configuration(tmp_path: Path) -> None:
    serve = ["render_service", "serve", str(DEMO_MODEL)]
    with LocalServer(serve) as old, LocalServer([*serve, *OTHER_TEMPLATE]) as new:
        chat_request = {"messages": [{"role": "user", "content": "Hi"}]}
        rendered = httpx.post(f"{old.url}/v1/chat/completions/render", json=chat_request)
        fingerprint = rendered.headers["x-render-fingerprint"]
        generated = {**chunk([1]), "request_id": rendered.json()["request_id"]}
        body = {"stream": True, "generate_chunk": generated, "stream_state": None}
        nginx = Nginx(tmp_path, *two_sides([new.port], [old.port], fingerprint))
        try:
            with httpx.Client(base_url=nginx.url) as client:
                path = "/v1/chat/completions/derender"
                header = {"x-render-fingerprint": fingerprint}
                answer = client.post(path, json=body, headers=header)
                refused = client.post(path, json=body)
        finally:
            nginx.stop()
        assert (answer.status_code, refused.status_code) == (200, 409)
        assert refused.headers["x-upstream"] == f"127.0.0.1:{new.port}"
