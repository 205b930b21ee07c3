"""vLLM's `stream_state` beside ours: what is taken over, what is refused, and the way back."""

from __future__ import annotations

import random
from typing import Any

import pytest

from render_service.errors import RequestError
from render_service.hub import StartupError
from render_service.model import Model
from render_service.stream_state import StreamState

from . import derender_client as client
from .plugged import TEXT as PLUGGED
from .plugged import expected, plugged
from .small_vllm import make_importable
from .state_streams import PARSED, PLAIN, STREAMS, StateStream, chunks_of, send

Json = dict[str, Any]
OURS = set(StreamState.__struct_fields__) - {"read_offset"}

# vLLM's own states have all fields, also those with default values.
DEFAULTS: Json = {
    "prev_tokens": [],
    "prefix_offset": 0,
    "read_offset": 0,
    "role_sent": False,
    "logprob_context_token_ids": [],
    "logprob_text_offset": 0,
    "output_token_ids": [],
    "output_chunk_lens": [],
    "tools_streamed": False,
    "last_tool_call_ids": [],
}
MIXED = {name: stream for name, stream in STREAMS.items() if name != "signed"}


def vllms(state: Json) -> Json:
    """What vLLM makes of our state: it reads its own fields and writes no others."""
    return DEFAULTS | {field: value for field, value in state.items() if field not in OURS}


@pytest.fixture(scope="module")
def mixed() -> Model:
    return client.demo(**PARSED, stream_state_format="vllm")


@pytest.fixture(scope="module")
def native() -> Model:
    return client.demo(**PARSED)


def texts(answers: list[Json]) -> Json:
    """What a client has in the end."""
    made: Json = {"text": "", "reasoning": "", "content": "", "calls": {}}
    for answer in answers:
        for choice in answer["chunk"]["choices"]:
            made["text"] += choice.get("text") or ""
            for field in ("reasoning", "content"):
                made[field] += choice.get("delta", {}).get(field) or ""
            for call in choice.get("delta", {}).get("tool_calls") or ():
                one = made["calls"].setdefault(call["index"], [[], "", ""])
                one[0] += [call["id"]] if call["id"] else []
                one[1] += call["function"]["name"] or ""
                one[2] += call["function"]["arguments"] or ""
    return made


def run(stream: StateStream, models: list[Model], *, forget: Any = lambda: False) -> Json:
    """The joined answers, each chunk at one of the models; `forget`: whether ours goes away."""
    chance = random.Random(len(models))
    state, answers = None, []
    for generated in chunks_of(models[0], stream):
        answer = send(chance.choice(models), stream, generated, state)
        state = vllms(answer["stream_state"]) if forget() else answer["stream_state"]
        answers.append(answer)
    return texts(answers)


@pytest.mark.parametrize("name", MIXED)
def test_to_vllms_form_and_back_changes_nothing(name: str) -> None:
    stream = MIXED[name]
    model = client.demo(**stream.settings, stream_state_format="vllm")
    plain = client.demo(**stream.settings)
    whole = run(stream, [model])
    chance = random.Random(1)
    assert run(stream, [model], forget=lambda: True) == whole
    for _ in range(5):
        assert run(stream, [model], forget=lambda: chance.random() < 0.3) == whole
    # A replica without the flag takes it over for good: a state of its own has no history.
    state, answers = None, []
    for at, generated in enumerate(chunks_of(model, stream)):
        answer = send(model if at < 5 else plain, stream, generated, state)
        state = vllms(answer["stream_state"]) if at < 5 else answer["stream_state"]
        answers.append(answer)
    assert "prev_tokens" not in (state or {})
    assert texts(answers) == whole


def test_the_ids_of_calls_stay(mixed: Model) -> None:
    """A call keeps the ID that vLLM gave it; ours come after it."""
    stream, answers = STREAMS["calls"], []
    state: Json | None = None
    for generated in chunks_of(mixed, stream):
        answer = send(mixed, stream, generated, state)
        answers.append(answer)
        after: Json = answer["stream_state"]
        state = after
        if len(after.get("last_tool_call_ids", ())) == 1 and "theirs" not in str(after):
            state = vllms(after) | {"last_tool_call_ids": ["theirs"]}
    ids = [call[0] for call in texts(answers)["calls"].values()]
    assert [len(one) for one in ids] == [1, 1]
    assert after["last_tool_call_ids"] == ["theirs", *ids[1]]


def after(model: Model, stream: StateStream, count: int) -> tuple[Json, Json]:
    """vLLM's state after so many chunks, and the chunk that comes next."""
    state = None
    for generated in chunks_of(model, stream)[:count]:
        state = send(model, stream, generated, state)["stream_state"]
    assert state is not None
    return vllms(state), chunks_of(model, stream)[count]


def refusal(model: Model, stream: StateStream, generated: Json, state: Json) -> RequestError:
    with pytest.raises(RequestError) as caught:
        send(model, stream, generated, state)
    return caught.value


@pytest.mark.parametrize(
    "change",
    [
        {"output_chunk_lens": [1]},
        {"output_chunk_lens": [0]},
        {"output_chunk_lens": [-1]},
        {"output_token_ids": [10**6], "output_chunk_lens": [1]},
        {"output_token_ids": [-1], "output_chunk_lens": [1]},
        {"output_token_ids": [1] * 300000, "output_chunk_lens": [300000]},
        {"output_token_ids": "no"},
        {"logprob_context_token_ids": [1, 2, 3, 4, 5]},
        {"last_tool_call_ids": ["x" * 1000]},
        {"last_tool_call_ids": ["x"] * 5000},
        {"prev_tokens": None},
        {"prev_tokens": ["a"] * 2000},
        {"read_offset": -1},
        {"role_sent": "perhaps"},
        {"v": 3},
    ],
)
def test_malformed_states_are_refused(native: Model, mixed: Model, change: Json) -> None:
    state, generated = after(mixed, STREAMS["calls"], 3)
    error = refusal(native, STREAMS["calls"], generated, state | change)
    assert error.status == 400
    assert error.param in ("stream_state", "body.stream_state")


@pytest.mark.parametrize(
    "change",
    [
        {"prefix_offset": 3},
        {"read_offset": 100},
        {"prefix_offset": 100, "read_offset": 100},
        {"prev_tokens": ["no such token \x00"], "read_offset": 1},
        {"prev_tokens": ["a"] * 1000, "read_offset": 1},
    ],
)
@pytest.mark.parametrize("name", ["plain", "completion"])
def test_malformed_windows_are_refused(name: str, change: Json) -> None:
    model = client.demo(**PLAIN, stream_state_format="vllm")
    state, generated = after(model, STREAMS[name], 2)
    assert refusal(model, STREAMS[name], generated, state | change).status == 400


def test_states_of_a_server_with_other_parsers(native: Model, mixed: Model) -> None:
    plain = client.demo(**PLAIN, stream_state_format="vllm")
    state, generated = after(plain, STREAMS["plain"], 3)
    assert "without a parser" in refusal(native, STREAMS["calls"], generated, state).message
    state, generated = after(mixed, STREAMS["calls"], 3)
    assert "with a parser" in refusal(plain, STREAMS["plain"], generated, state).message


def test_what_cannot_be_exact_is_refused(native: Model, mixed: Model) -> None:
    """vLLM has begun another number of calls than would have come here: it read otherwise."""
    state, generated = after(mixed, STREAMS["calls"], 3)
    error = refusal(native, STREAMS["calls"], generated, state | {"last_tool_call_ids": ["x"]})
    assert (error.status, error.type) == (409, "StreamStateMismatch")
    assert "load balancer" in error.message


def test_names_without_a_pace(mixed: Model) -> None:
    settings = PARSED | {"tool_call_parser": "pythonic"}
    with pytest.raises(StartupError, match="--parser-backend vllm"):
        client.demo(**settings, stream_state_format="vllm")
    state, generated = after(mixed, STREAMS["calls"], 3)
    error = refusal(client.demo(**settings), STREAMS["calls"], generated, state)
    assert error.status == 409
    assert "pace is not known for pythonic with qwen3" in error.message


def test_with_a_key_vllms_states_need_the_flag(mixed: Model) -> None:
    stream = STREAMS["calls"]
    state, generated = after(mixed, stream, 3)
    error = refusal(client.demo(**PARSED, state_key=("key",)), stream, generated, state)
    assert error.status == 400
    assert "--stream-state-format vllm" in error.message
    signed = client.demo(**PARSED, state_key=("key",), stream_state_format="vllm")
    own = send(signed, stream, generated, state)["stream_state"]
    following = chunks_of(signed, stream)[4]
    send(signed, stream, following, own)
    changed = own | {"output_token_ids": [*own["output_token_ids"][:-1], 7]}
    assert "--state-key" in refusal(signed, stream, following, changed).message


def test_the_fingerprint_is_asked_of_the_request_id(mixed: Model) -> None:
    strict = client.demo(**{**PARSED, "fingerprint": "require"})
    state, generated = after(mixed, STREAMS["calls"], 3)
    assert refusal(strict, STREAMS["calls"], generated, state).status == 409
    generated["request_id"] += strict.fingerprint.suffix
    send(strict, STREAMS["calls"], generated, state)


@pytest.mark.parametrize("missing", ["prompt_token_ids", "chat_request"])
def test_taking_over_needs_what_vllm_needs(native: Model, mixed: Model, missing: str) -> None:
    state, generated = after(mixed, STREAMS["calls"], 3)
    body = {
        "generate_chunk": generated,
        "stream_state": state,
        "chat_request": client.CHAT_TOOLS,
        "prompt_token_ids": client.prompt_of(native),
    }
    del body[missing]
    with pytest.raises(RequestError, match=missing):
        client.chat_chunk(native, **body)


def test_streams_from_before_the_flag_stay(native: Model, mixed: Model) -> None:
    """They have no history: vLLM refuses the offset, and does not begin them anew."""
    stream = STREAMS["calls"]
    whole, answers = run(stream, [native]), []
    state: Json = {}
    for at, generated in enumerate(chunks_of(native, stream)):
        answer = send(native if at < 4 else mixed, stream, generated, state or None)
        state = answer["stream_state"]
        answers.append(answer)
    assert texts(answers) == whole
    assert state["read_offset"] == -1
    assert state["prev_tokens"] == []


def test_vllm_refuses_what_it_cannot_read(native: Model) -> None:
    """It would take the fields that it misses for those of a stream that begins."""
    generated = chunks_of(native, STREAMS["calls"])[0]
    assert send(native, STREAMS["calls"], generated, None)["stream_state"]["read_offset"] == -1


def test_usage_alone_loses_nothing(native: Model, mixed: Model) -> None:
    """A chunk without a choice takes a stream over, and what is owed comes with the next one."""
    stream = STREAMS["typed"]
    settings = stream.settings
    there, here = client.demo(**settings, stream_state_format="vllm"), client.demo(**settings)
    whole = run(stream, [there])
    for count in range(1, 20, 3):
        state, answers = None, []
        for at, generated in enumerate(chunks_of(there, stream)):
            if at == count:
                usage = {"request_id": "chatcmpl-1", "choices": []}
                state = send(here, stream, usage, vllms(state or {}))["stream_state"]
            answer = send(there if at < count else here, stream, generated, state)
            state = answer["stream_state"]
            answers.append(answer)
        assert texts(answers) == whole


@pytest.mark.parametrize("name", ["calls", "plain", "completion"])
def test_usage_alone_does_not_say_the_choice(name: str) -> None:
    stream = STREAMS[name]
    there = client.demo(**stream.settings, stream_state_format="vllm")
    first, second, third, *_ = chunks_of(there, stream)
    for generated in (first, second):
        generated["choices"][0]["index"] = 1
    state = vllms(send(there, stream, first, None)["stream_state"])
    here = client.demo(**stream.settings)
    state = send(here, stream, {"request_id": "chatcmpl-1", "choices": []}, state)["stream_state"]
    answer = send(here, stream, second, state)
    assert answer["chunk"]["choices"][0]["index"] == 1
    with pytest.raises(RequestError, match="belongs to choice 1"):
        send(here, stream, third, answer["stream_state"])


def test_parsers_of_vllm_need_no_pace() -> None:
    with pytest.MonkeyPatch.context() as patch:
        make_importable(patch)
        mixed, native = plugged(stream_state_format="vllm"), plugged()
        ids = client.ids_of(mixed, PLUGGED)
        parts = client.cut(ids, [3] * len(ids))
        body = {"chat_request": client.CHAT_TOOLS, "prompt_token_ids": [5]}
        for crossing in range(1, len(parts)):
            state, answers = None, []
            for at, generated in enumerate(parts):
                sent: Json | None
                model = native if at > crossing else mixed
                sent = vllms(state) if state is not None and at <= crossing + 1 else state
                answer = client.chat_chunk(
                    model, generate_chunk=generated, stream_state=sent, **body
                )
                state = answer["stream_state"]
                answers.append(answer)
            assert client.joined(answers)["content"] == expected()["content"]
            calls = [(call["name"], call["args"]) for call in client.joined(answers)["calls"]]
            assert calls == [(call["name"], call["args"]) for call in expected()["calls"]]
