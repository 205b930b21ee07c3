"""The short way of most chunks: taken for those that it is meant for, and with the same answer."""

from __future__ import annotations

from typing import Any

import msgspec
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from render_service import derender, live_chunk
from render_service.answer import Answer
from render_service.errors import RequestError
from render_service.model import Model

from .derender_client import (
    CALL,
    CHAT,
    CHAT_TOOLS,
    REASONED,
    chunk,
    ids_of,
    parsed_demo,
    prompt_of,
)

Json = dict[str, Any]
KEYS = {"none": (), "signed": ("a-key-of-the-fleet",)}
LIVE = {name: parsed_demo(parser_cache_bytes=1 << 20, state_key=key) for name, key in KEYS.items()}
RESUMED = {name: parsed_demo(parser_cache_bytes=0, state_key=key) for name, key in KEYS.items()}
OUTPUT = REASONED + "It rains, café 東京 🎉.\n" + CALL + "\n" + CALL
USAGE = {"prompt_tokens": 3, "completion_tokens": 9}
SHORT: tuple[Json, ...] = (
    {},
    {"usage": USAGE},
    {"metrics": {"a": [1.5]}},
    {"prompt_token_ids": [1, 2]},
    {"choice": {"stop_reason": "x"}},
    {"choice": {"stop_reason": 7}},
    {"body": {"prompt_tokens": 12}},
    {"body": {"chat_request": None}},
    {"body": {"chat_request": CHAT_TOOLS}},
    {"body": {"prompt_token_ids": [5, 6]}},
)
LONG: tuple[Json, ...] = (
    {"body": {"chat_request": CHAT}},
    {"body": {"chat_request": {}}},
    {"request_id": "chatcmpl-2"},
    {"choices": []},
    {"choice": {"index": 1}},
    {"choice": {"token_ids": []}},
    {"choice": {"token_ids": None}},
    {"choice": {"token_ids": [2**31 - 1]}},
    {"choice": {"token_ids": [1] * 100_000}},
    {"choice": {"finish_reason": "stop"}},
    {"choice": {"finish_reason": "length"}},
    {"choice": {"logprobs": {"content": []}}},
    {"body": {"model": "another"}},
    {"body": {"generate_chunk": []}},
)


def body_of(ids: list[int], state: Any, prompt: list[int] | None, more: Json) -> bytes:
    generated = chunk(ids)
    generated["choices"][0] |= more.get("choice", {})
    generated |= {name: value for name, value in more.items() if name not in ("choice", "body")}
    body: Json = {"stream": True, "generate_chunk": generated, "stream_state": state}
    if prompt is not None:
        body |= {"prompt_token_ids": prompt, "chat_request": CHAT_TOOLS}
    return orjson.dumps(body | more.get("body", {}))


def answer(model: Model, body: bytes) -> Json:
    """Of either kind, without the time, and what goes with it."""
    try:
        made = derender.chat(model, body, None)
    except RequestError as error:
        return {"refused": error.message, "param": error.param, "status": error.status}
    found: Json = orjson.loads(made.body)
    found["chunk"].pop("created")
    return {**found, "beside the body": msgspec.structs.replace(made, body=b"")}


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    found: list[bool] = []
    real = live_chunk.answer

    def noting(*args: Any) -> Answer | None:
        answer = real(*args)
        found.append(answer is not None)
        return answer

    monkeypatch.setattr(live_chunk, "answer", noting)
    return found


@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("more", [*SHORT, *LONG], ids=str)
def test_the_answer_is_that_of_the_long_way(taken: list[bool], keys: str, more: Json) -> None:
    live, resumed = LIVE[keys], RESUMED[keys]
    ids = ids_of(live, OUTPUT)
    begin = body_of(ids[:2], None, prompt_of(live), {})
    first, second = answer(live, begin), answer(resumed, begin)
    assert first == second
    taken.clear()
    body = body_of(ids[2:4], first["stream_state"], None, more)
    assert answer(live, body) == answer(resumed, body)
    assert any(taken) is (more in SHORT)


@settings(max_examples=60, deadline=None)
@given(sizes=st.lists(st.integers(1, 6), max_size=200), keys=st.sampled_from(list(KEYS)))
def test_streams_cut_anyhow(sizes: list[int], keys: str) -> None:
    live, resumed = LIVE[keys], RESUMED[keys]
    ids, states, at = ids_of(live, OUTPUT), [None, None], 0
    for size in [*sizes, len(ids)]:
        part, prompt = ids[at : at + size], prompt_of(live) if at == 0 else None
        if not part:
            break
        at += size
        more: Json = {"choice": {"finish_reason": "stop"}} if at >= len(ids) else {}
        one = answer(live, body_of(part, states[0], prompt, more))
        other = answer(resumed, body_of(part, states[1], prompt, more))
        assert one == other
        states = [one["stream_state"], other["stream_state"]]


@pytest.mark.parametrize("other", [{"stream_state_version": 1}, {"stream_state_format": "vllm"}])
def test_other_states(taken: list[bool], other: Json) -> None:
    """What a state does not carry comes with each chunk; a mixed fleet's goes the long way."""
    live, resumed = (parsed_demo(parser_cache_bytes=size, **other) for size in (1 << 20, 0))
    ids = ids_of(live, OUTPUT)
    state = answer(live, body_of(ids[:2], None, prompt_of(live), {}))["stream_state"]
    body = body_of(ids[2:4], state, None, {"body": {"chat_request": CHAT_TOOLS}})
    assert answer(live, body) == answer(resumed, body)
    assert any(taken) is ("stream_state_version" in other)
