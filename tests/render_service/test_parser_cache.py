"""Live streams: handed out once, bounded in bytes and age; and no answer depends on them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from render_service import derender
from render_service.model import Model
from render_service.parser_cache import Counted, LiveStream, ParserCache
from render_service.request_facts import NO_REQUEST
from render_service.stream_state import VERSION, StreamState

from .derender_client import (
    CALL,
    CHAT_TOOLS,
    REASONED,
    chunk,
    ids_of,
    joined,
    parsed_demo,
    prompt_of,
)

Json = dict[str, Any]
OUTPUTS = (
    REASONED + "Plain words, café 東京 🎉 to the end.",
    REASONED + CALL + "\n" + CALL,
    "<think>\nCut",
    CALL + CALL,
)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def live(model: Model) -> LiveStream:
    return LiveStream(StreamState(v=VERSION), model.outputs.start(NO_REQUEST, []), NO_REQUEST)


@pytest.fixture(scope="module")
def model() -> Model:
    return parsed_demo()


def test_a_stream_is_handed_out_once(model: Model) -> None:
    cache, one = ParserCache(1000), live(model)
    cache.keep(b"a", one, 10)
    assert cache.take(b"b") is None
    assert cache.take(b"a") is one
    assert cache.take(b"a") is None


def test_the_least_recently_sent_go_first(model: Model) -> None:
    cache = ParserCache(100)
    streams = [live(model) for _ in range(6)]
    for number, one in enumerate(streams):
        cache.keep(b"%d" % number, one, 20)
    assert (cache.counted().evictions, cache.bytes) == (1, 100)
    assert cache.take(b"0") is None
    assert [cache.take(b"%d" % n) for n in range(1, 6)] == streams[1:]


def test_the_same_state_twice_counts_once(model: Model) -> None:
    cache = ParserCache(100)
    for _ in range(9):
        cache.keep(b"a", live(model), 20)
    assert cache.bytes == 20


def test_old_streams_are_gone(model: Model) -> None:
    clock = Clock()
    cache = ParserCache(1000, max_age=10, clock=clock)
    cache.keep(b"a", live(model), 10)
    clock.now = 10
    assert cache.take(b"a") is None
    cache.keep(b"b", live(model), 10)
    clock.now = 20
    cache.keep(b"c", live(model), 10)
    assert (cache.counted().evictions, cache.bytes) == (1, 10)


def test_what_streams_know_of_a_request_counts_once(model: Model) -> None:
    cache = ParserCache(100)
    shared = replace(NO_REQUEST, memory=20)
    for key in (b"a", b"b", b"c"):
        cache.keep(key, replace(live(model), facts=shared), 5)
    assert cache.bytes == 35
    cache.take(b"a")
    cache.keep(b"b", live(model), 5)
    assert cache.bytes == 30
    cache.take(b"c")
    cache.keep(b"d", replace(live(model), facts=replace(shared, memory=21)), 5)
    assert cache.take(b"d") is None  # too large to be kept
    cache.keep(b"e", live(model), 5)
    assert cache.bytes == 10


def test_streams_of_large_requests_do_not_grow_the_process() -> None:
    model = parsed_demo(parser_cache_bytes=1 << 20)
    for number in range(30):
        properties: Json = {f"p{number}_{key}": {"enum": [[], []]} for key in range(200)}
        function = {"name": "f", "parameters": {"properties": properties}}
        body = {
            "stream": True,
            "generate_chunk": {**chunk(ids_of(model, "<think>")), "request_id": f"{number}"},
            "chat_request": {**CHAT_TOOLS, "tools": [{"type": "function", "function": function}]},
            "prompt_token_ids": prompt_of(model),
        }
        post(model, body)
    assert model.streams.counted().evictions > 10
    assert 50_000 < model.streams.bytes <= 1 << 20


@pytest.mark.parametrize(("max_bytes", "size"), [(0, 1), (100, 26)])
def test_what_is_too_large_is_not_kept(model: Model, max_bytes: int, size: int) -> None:
    cache = ParserCache(max_bytes)
    cache.keep(b"a", live(model), size)
    assert cache.take(b"a") is None


# The service with caches of any size, streams interleaved over replicas

CACHES = {"on": 1 << 20, "off": 0, "tiny": 40_000}
REPLICAS = {name: parsed_demo(parser_cache_bytes=size) for name, size in CACHES.items()}


def post(model: Model, body: Json, *, rewritten: bool = False) -> Json:
    """rewritten: as a client's JSON library would write it that puts spaces and escapes."""
    raw = json.dumps(body) if rewritten else json.dumps(body, separators=(",", ":"))
    answer: Json = json.loads(derender.chat(model, raw.encode(), None).body)
    return answer


class Client:
    """One stream: sends chunk by chunk, each time to the replica that it is told."""

    def __init__(self, output: str, sizes: Iterable[int], repeats: bool) -> None:
        model = REPLICAS["off"]
        self.ids, self.sizes, self.repeats = ids_of(model, output), iter(sizes), repeats
        self.prompt = prompt_of(model)
        self.at, self.state, self.answers = 0, None, list[Json]()

    @property
    def ended(self) -> bool:
        return self.at >= len(self.ids)

    def send(self, model: Model, *, retried: bool, rewritten: bool) -> None:
        size = next(self.sizes, 3)
        part = self.ids[self.at : self.at + size]
        self.at += size
        generated = chunk(part, "stop" if self.ended else None)
        body: Json = {"stream": True, "generate_chunk": generated, "stream_state": self.state}
        if self.state is None:
            body["prompt_token_ids"] = self.prompt
        if self.state is None or self.repeats:
            body["chat_request"] = CHAT_TOOLS
        answer = post(model, body, rewritten=rewritten)
        if retried:
            again = post(model, body, rewritten=rewritten)
            assert again["chunk"]["choices"] == answer["chunk"]["choices"]
            assert again["stream_state"] == answer["stream_state"]
        self.state = answer["stream_state"]
        self.answers.append(answer)


@settings(max_examples=60, deadline=None)
@given(
    streams=st.lists(
        st.tuples(
            st.sampled_from(OUTPUTS),
            st.lists(st.integers(1, 8), max_size=12),
            st.booleans(),
        ),
        min_size=1,
        max_size=5,
    ),
    seed=st.integers(0, 2**32),
)
def test_no_answer_depends_on_the_cache(
    streams: list[tuple[str, list[int], bool]], seed: int
) -> None:
    chance = random.Random(seed)
    clients = [Client(*stream) for stream in streams]
    alone = [Client(*stream) for stream in streams]
    while waiting := [client for client in clients if not client.ended]:
        chance.choice(waiting).send(
            REPLICAS[chance.choice(list(REPLICAS))],
            retried=chance.random() < 0.3,
            rewritten=chance.random() < 0.3,
        )
    for client in alone:
        while not client.ended:
            client.send(REPLICAS["off"], retried=False, rewritten=False)
    assert [joined(c.answers) for c in clients] == [joined(c.answers) for c in alone]


def test_hits_and_misses_are_counted() -> None:
    model = parsed_demo(parser_cache_bytes=1 << 20)
    client = Client(OUTPUTS[1], [], repeats=True)
    for rewritten in (False, True, False, True):
        client.send(model, retried=False, rewritten=rewritten)
    assert model.streams.counted() == Counted(hits=3)
    client.send(model, retried=True, rewritten=False)
    assert model.streams.counted() == Counted(hits=1, misses=1)
    while not client.ended:
        client.send(model, retried=False, rewritten=False)
    assert model.streams.bytes == 0
    assert joined(client.answers)["finish_reason"] == "tool_calls"


@pytest.mark.parametrize("cache", CACHES.values())
def test_a_request_that_was_sent_in_between_holds_for_its_chunk_alone(cache: int) -> None:
    model, state = parsed_demo(parser_cache_bytes=cache), None
    hidden = {**CHAT_TOOLS, "include_reasoning": False}
    kinds = []
    for request in (CHAT_TOOLS, None, hidden, None, hidden, None):
        body: Json = {"generate_chunk": chunk(ids_of(model, " so")), "stream_state": state}
        body |= {"prompt_token_ids": prompt_of(model)} if state is None else {}
        body |= {"chat_request": request} if request else {}
        answer = post(model, {"stream": True, **body})
        state = answer["stream_state"]
        kinds.append(answer["chunk"]["choices"][0]["delta"]["reasoning"])
    assert kinds == [" so", " so", None, " so", None, " so"]


def test_a_changed_request_resumes_the_stream_under_it() -> None:
    """What is sent with the chunk counts, also where the stream lives here."""
    model = parsed_demo(parser_cache_bytes=1 << 20)
    first = post(
        model,
        {
            "stream": True,
            "generate_chunk": chunk(ids_of(model, "<think>\nHm")),
            "chat_request": CHAT_TOOLS,
            "prompt_token_ids": prompt_of(model),
        },
    )
    second = post(
        model,
        {
            "stream": True,
            "generate_chunk": chunk(ids_of(model, " and so on")),
            "chat_request": {**CHAT_TOOLS, "include_reasoning": False},
            "stream_state": first["stream_state"],
        },
    )
    assert second["chunk"]["choices"][0]["delta"]["reasoning"] is None
