"""Streams through the adapter: their state, replays, and replicas that share them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from render_service import render
from render_service.errors import RequestError
from render_service.model import Model

from .derender_client import (
    CHAT,
    CHAT_TOOLS,
    chat_chunk,
    chunk,
    cut,
    ids_of,
    joined,
    prompt_of,
    stream,
)
from .plugged import TEXT, expected, plugged, streamed
from .small_vllm import make_importable


@pytest.fixture(scope="module", autouse=True)
def _vllm() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        make_importable(patch)
        yield


@pytest.fixture(scope="module")
def model(_vllm: None) -> Model:
    return plugged()


@pytest.fixture(scope="module")
def without_cache(_vllm: None) -> Model:
    return plugged(parser_cache_bytes=0)


@pytest.fixture(scope="module")
def reading_prompt(_vllm: None) -> Model:
    return plugged("reads_the_prompt")


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_streams(model: Model, without_cache: Model, size: int) -> None:
    answers = streamed(model, TEXT, size)
    assert joined(answers)["calls"] == expected()["calls"]
    assert joined(answers)["reasoning"] == "So."
    assert joined(answers)["finish_reason"] == "tool_calls"
    replayed = streamed(without_cache, TEXT, size)
    drop_time = [{**a["chunk"], "created": 0} for a in answers]
    assert drop_time == [{**a["chunk"], "created": 0} for a in replayed]
    assert [a["stream_state"]["p"] for a in answers] == [a["stream_state"]["p"] for a in replayed]


@settings(max_examples=50)
@given(sizes=st.lists(st.integers(1, 9), max_size=30))
def test_a_stream_may_be_cut_and_moved_anywhere(
    model: Model, without_cache: Model, sizes: list[int]
) -> None:
    replicas = (model, without_cache)
    ids = ids_of(model, TEXT)
    state, answers = None, []
    for at, part in enumerate(cut(ids, sizes)):
        body = {"generate_chunk": part, "chat_request": CHAT_TOOLS, "stream_state": state}
        if state is None:
            body["prompt_token_ids"] = prompt_of(model)
        answers.append(chat_chunk(replicas[at % 2], **body))
        state = answers[-1]["stream_state"]
    assert joined(answers)["calls"] == expected()["calls"]


def steps_of(model: Model, monkeypatch: pytest.MonkeyPatch, tokens: int) -> int:
    """Chunks that vLLM's parser reads in a stream of so many one-token chunks."""
    from render_service.vllm_reader import Reader

    count, step = 0, Reader.step

    def counted(self: Reader, *args: Any) -> Any:
        nonlocal count
        count += 1
        return step(self, *args)

    monkeypatch.setattr(Reader, "step", counted)
    text = "So.</think>" + "The weather is fine. " * tokens
    ids = ids_of(model, text)[:tokens]
    stream(model, cut(ids, [1] * tokens), CHAT_TOOLS, prompt_token_ids=prompt_of(model))
    return count


def test_2000_tokens_are_read_once_with_the_cache(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert steps_of(model, monkeypatch, 2000) == 2000


def test_without_the_cache_each_chunk_reads_all_before_it(
    without_cache: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert steps_of(without_cache, monkeypatch, 60) == 60 * 61 // 2


def test_the_state_is_the_history(model: Model) -> None:
    text = "So.</think>" + "The weather is fine. " * 100
    state = streamed(model, text, 1)[-2]["stream_state"]
    count = len(ids_of(model, text)) - 1
    assert len(state["p"][0]) <= count * 3 * 4 / 3 + 4  # a length and an ID of two bytes
    assert state["p"][1] is False


def test_the_prompt_is_needed_once(model: Model, reading_prompt: Model) -> None:
    """Whether it ends the reasoning is carried, or its IDs where a parser reads them."""
    prompt = prompt_of(model)
    closed = [*prompt, *ids_of(model, "<think></think>")]
    chunks = cut(ids_of(model, "Hi there"), [1])
    for ids, key in ((prompt, "reasoning"), (closed, "content")):
        got = joined(stream(model, chunks, CHAT_TOOLS, prompt_token_ids=ids))
        assert got[key] == "Hi there"
        got = joined(stream(reading_prompt, chunks, CHAT_TOOLS, prompt_token_ids=ids))
        said = f"[{len(ids)}]Hi there" if key == "reasoning" else "Hi there"
        assert got[key] == said


def test_the_prompt_survives_a_lost_replica() -> None:
    """The first chunk is replayed with the prompt's IDs out of the state."""
    model = plugged("reads_the_prompt", parser_cache_bytes=0)
    prompt = prompt_of(model)
    chunks = cut(ids_of(model, "Hi there, you"), [1, 1, 1])
    got = joined(stream(model, chunks, CHAT_TOOLS, prompt_token_ids=prompt))
    assert got["reasoning"] == f"[{len(prompt)}]Hi there, you"


def test_a_request_goes_with_each_chunk(model: Model) -> None:
    first = chat_chunk(
        model,
        generate_chunk=chunk(ids_of(model, "So")),
        chat_request=CHAT_TOOLS,
        prompt_token_ids=prompt_of(model),
    )
    with pytest.raises(RequestError, match="chat_request is required with each chunk"):
        chat_chunk(model, generate_chunk=chunk([5]), stream_state=first["stream_state"])
    with pytest.raises(RequestError, match="chat_request is required"):
        chat_chunk(model, generate_chunk=chunk([5]), prompt_token_ids=prompt_of(model))
    with pytest.raises(RequestError, match="prompt_token_ids is required"):
        chat_chunk(model, generate_chunk=chunk([5]), chat_request=CHAT)


def test_a_stream_may_begin_with_the_state_of_render(model: Model) -> None:
    answer = orjson.loads(render.chat(model, orjson.dumps(CHAT_TOOLS), None, with_state=True).body)
    state, answers = answer["stream_state"], []
    for part in cut(ids_of(model, TEXT), [3, 3]):
        answers.append(
            chat_chunk(model, generate_chunk=part, chat_request=CHAT_TOOLS, stream_state=state)
        )
        state = answers[-1]["stream_state"]
    assert joined(answers)["calls"][1]["id"] == "own1"


@pytest.mark.parametrize("count", [1, 9, 30])
def test_a_stream_may_come_from_vllm(model: Model, count: int) -> None:
    """Its state is a history too. vLLM sends the prompt's IDs with each chunk."""
    ids = ids_of(model, TEXT)
    begun = ids_of(model, "So.</think>Well, <<get_weather")
    assert ids[: len(begun)] == begun
    state = {
        "prev_tokens": [],
        "prefix_offset": 0,
        "read_offset": 0,
        "role_sent": True,
        "output_token_ids": begun[:count],
        "output_chunk_lens": [1] * len(begun[:count]),
        "tools_streamed": False,
        "last_tool_call_ids": [],
        "logprob_context_token_ids": [],
        "logprob_text_offset": 0,
    }
    answers = []
    for part in cut(ids[len(begun[:count]) :], [1, 3]):
        body = {"generate_chunk": part, "chat_request": CHAT_TOOLS, "stream_state": state}
        answers.append(chat_chunk(model, **body, prompt_token_ids=prompt_of(model)))
        state = answers[-1]["stream_state"]
    assert joined(answers)["calls"] == expected()["calls"]
    assert joined(answers)["finish_reason"] == "tool_calls"


def test_after_the_end_comes_usage(model: Model, without_cache: Model) -> None:
    for one in (model, without_cache):
        state = streamed(one, TEXT, 5)[-1]["stream_state"]
        assert state["p"] == [True]
        usage = {"prompt_tokens": 3, "completion_tokens": 5}
        last = {"request_id": "chatcmpl-1", "choices": [], "usage": usage}
        again = chat_chunk(one, generate_chunk=last, chat_request=CHAT_TOOLS, stream_state=state)
        assert again["chunk"]["usage"]["total_tokens"] == 8
        assert again["stream_state"]["p"] == [True]
        empty = chat_chunk(
            one, generate_chunk=chunk([]), chat_request=CHAT_TOOLS, stream_state=state
        )
        assert empty["chunk"]["choices"][0]["delta"]["content"] is None


@pytest.mark.parametrize(
    "parser",
    [
        None,
        [],
        ["AA"],
        ["AA", 1],
        [1, False],
        ["", "AA=="],
        ["!", True],
        ["AQ==", True],
        ["A/////8P", True],
        ["AQ//////Dw==", True],
        ["", True, 0],
    ],
)
def test_a_state_made_by_hand_is_refused(model: Model, parser: Any) -> None:
    state = {**streamed(model, TEXT, 5)[0]["stream_state"], "p": parser}
    with pytest.raises(RequestError, match="invalid stream_state") as caught:
        chat_chunk(model, generate_chunk=chunk([5]), chat_request=CHAT_TOOLS, stream_state=state)
    assert caught.value.status == 400


def test_the_chunk_after_a_failed_one_may_be_another(model: Model) -> None:
    """The stream that failed is gone, its state still stands."""
    ids = ids_of(model, "So.</think>Some ")
    first = chat_chunk(
        model,
        generate_chunk=chunk(ids),
        chat_request=CHAT_TOOLS,
        prompt_token_ids=prompt_of(model),
    )
    body = {"chat_request": CHAT_TOOLS, "stream_state": first["stream_state"]}
    for _ in range(2):
        with pytest.raises(RequestError, match="configured parser failed"):
            chat_chunk(model, generate_chunk=chunk(ids_of(model, "BOOM")), **body)
    good = chat_chunk(model, generate_chunk=chunk(ids_of(model, "words"), "stop"), **body)
    assert good["chunk"]["choices"][0]["delta"]["content"] == "words"
