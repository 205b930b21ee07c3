"""Several chunks in one call are answered as one by one, for every kind of stream."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import httpx
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from render_service import derender
from render_service.errors import RequestError
from render_service.model import Model
from render_service.protocol.derender import MAX_CHUNKS
from tests.conftest import DEMO_MODEL, Serve

from .derender_client import CALL, CHAT_TOOLS, REASONED, Json, chunk, cut, demo, ids_of, prompt_of
from .plugged import NAMES, PLUGINS
from .small_vllm import make_importable

PARSED: Json = {
    "reasoning_parser": "qwen3",
    "tool_call_parser": "hermes",
    "enable_auto_tool_choice": True,
}
KINDS: dict[str, Json] = {
    "parsed": PARSED,
    "signed": {**PARSED, "state_key": ("a key",)},
    "uncached": {**PARSED, "parser_cache_bytes": 0},
    "first version": {**PARSED, "stream_state_version": 1},
    "vllm's states": {**PARSED, "stream_state_format": "vllm"},
    "adapter": {**PLUGINS, **NAMES, "reasoning_parser": "until_think_ends"},
    "plain": {},
    "completion": {},
}
OUTPUT = f"{REASONED}So, 東京:\n{CALL}\n{CALL}"
USAGE = {"prompt_tokens": 3, "completion_tokens": 4}


@pytest.fixture(scope="module", autouse=True)
def _vllm() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        make_importable(patch)
        yield


@cache
def model_of(kind: str) -> Model:
    return demo(**KINDS[kind])


def send(kind: str, generated: Any, state: Json | None, **fields: Any) -> Json:
    """The answer, without the time."""
    request: Json = {"chat_request": CHAT_TOOLS} if kind != "completion" else {}
    if state is None:
        request["prompt_token_ids"] = prompt_of(model_of(kind))
    elif kind not in ("first version", "adapter"):
        request = {}
    body = {"stream": True, "generate_chunk": generated, "stream_state": state, **request, **fields}
    endpoint = derender.completion if kind == "completion" else derender.chat
    answer: Json = orjson.loads(endpoint(model_of(kind), orjson.dumps(body), None).body)
    made = answer["chunk"]
    for one in made if isinstance(made, list) else [made]:
        del one["created"]
    return answer


def outputs(kind: str, sizes: list[int], index: int = 0) -> list[Json]:
    """The chunks of an output, with usage at the end."""
    chunks = cut(ids_of(model_of(kind), OUTPUT), sizes)
    for one in chunks:
        one["choices"][0]["index"] = index
    return [*chunks, {"request_id": "chatcmpl-1", "choices": [], "usage": USAGE}]


def one_by_one(kind: str, chunks: list[Json]) -> tuple[list[Json], Json]:
    made, state = [], None
    for one in chunks:
        answer = send(kind, one, state)
        state = answer["stream_state"]
        made.append(answer["chunk"])
    assert state is not None
    return made, state


@pytest.mark.parametrize("kind", KINDS)
@given(
    sizes=st.lists(st.integers(1, 6), max_size=30),
    batches=st.lists(st.integers(1, 9), max_size=12),
    index=st.integers(0, 2),
)
@settings(deadline=None, max_examples=25)
def test_a_list_is_answered_as_its_chunks(
    kind: str, sizes: list[int], batches: list[int], index: int
) -> None:
    chunks = outputs(kind, sizes, index)
    expected, last = one_by_one(kind, chunks)
    made: list[Json] = []
    state = None
    for size in [*batches, len(chunks)]:
        batch = chunks[len(made) : len(made) + size]
        if batch:
            answer = send(kind, batch, state)
            state = answer["stream_state"]
            assert len(answer["chunk"]) == len(batch)
            made += answer["chunk"]
    assert (made, state) == (expected, last)
    assert made[-1]["usage"]["total_tokens"] == 7


@pytest.mark.parametrize("kind", KINDS)
@given(at=st.integers(0, 9), first=st.booleans())
@settings(deadline=None, max_examples=10)
def test_an_error_names_its_chunk_and_the_list_can_be_sent_again(
    kind: str, at: int, first: bool
) -> None:
    chunks = outputs(kind, [1] * 12)
    state = None if first else send(kind, chunks.pop(0), None)["stream_state"]
    bad = [dict(one) for one in chunks]
    bad[at] = chunk([model_of(kind).vocab_size])
    with pytest.raises(RequestError, match=rf"^generate_chunk\[{at}\]: Token id") as refused:
        send(kind, bad, state)
    assert (refused.value.status, refused.value.param) == (400, "token_ids")
    answers = [send(kind, chunks, state), send(kind, chunks, state)]
    assert answers[0] == answers[1]


def test_a_list_is_of_one_choice() -> None:
    other = chunk([5])
    other["choices"][0]["index"] = 1
    with pytest.raises(RequestError, match=r"^generate_chunk\[1\]: .* belongs to choice 0"):
        send("parsed", [chunk([5]), other], None)


@pytest.mark.parametrize("count", [0, MAX_CHUNKS + 1])
def test_a_list_has_bounds(count: int) -> None:
    with pytest.raises(RequestError, match="of length") as refused:
        send("parsed", [chunk([5])] * count, None)
    assert (refused.value.status, refused.value.param) == (400, "body.generate_chunk")
    assert len(send("parsed", [chunk([5])] * MAX_CHUNKS, None)["chunk"]) == MAX_CHUNKS


def test_what_does_not_fit_is_named_by_its_place() -> None:
    single = _param({"choices": [{"index": "x"}]})
    assert single == "body.generate_chunk.choices.0.index"
    listed = _param([chunk([5]), {"choices": [{"index": "x"}]}])
    assert listed == "body.generate_chunk.1.choices.0.index"


def _param(generated: Any) -> str | None:
    with pytest.raises(RequestError) as refused:
        send("parsed", generated, None)
    return refused.value.param


def test_the_tokens_and_the_outcome_of_all_chunks_are_counted() -> None:
    body = {
        "stream": True,
        "generate_chunk": outputs("parsed", [1] * 9),
        "chat_request": CHAT_TOOLS,
        "prompt_token_ids": prompt_of(model_of("parsed")),
    }
    answer = derender.chat(model_of("parsed"), orjson.dumps(body), None)
    assert answer.tokens == len(ids_of(model_of("parsed"), OUTPUT))
    assert answer.outcome == "tool_calls"


def test_over_http_with_the_state_of_render(serve: Serve) -> None:
    """The lean protocol: nothing but the state goes with the chunks."""
    flags = ("--reasoning-parser=qwen3", "--tool-call-parser=hermes", "--enable-auto-tool-choice")
    with httpx.Client(base_url=f"{serve(DEMO_MODEL, *flags).url}/v1/chat/completions") as client:
        rendered = client.post("/render", params={"stream_state": 1}, json=CHAT_TOOLS).json()
        chunks = outputs("parsed", [2] * 40)
        for one in chunks:
            one["request_id"] = rendered["request_id"]
        body = {"stream": True, "generate_chunk": chunks, "stream_state": rendered["stream_state"]}
        answer = client.post("/derender", json=body).raise_for_status().json()
        single, state = [], rendered["stream_state"]
        for one in chunks:
            body = {"stream": True, "generate_chunk": one, "stream_state": state}
            part = client.post("/derender", json=body).raise_for_status().json()
            state = part["stream_state"]
            single.append(part["chunk"])
    for one in [*single, *answer["chunk"]]:
        del one["created"]
    assert answer == {"chunk": single, "stream_state": state}
