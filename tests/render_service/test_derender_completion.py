from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.types import Completion

from render_service.model import Model

from .derender_client import Json, completion, cut, demo, ids_of

TEXT = "One café, 東京 🎉 and <think> more<|im_end|>"
MODEL = demo()


@pytest.fixture(scope="module")
def model() -> Model:
    return MODEL


def response(ids: list[int], **choice: Any) -> Json:
    return {
        "request_id": "cmpl-1",
        "choices": [{"index": 0, "token_ids": ids, "finish_reason": "stop", **choice}],
    }


def stream(model: Model, chunks: list[Json], **fields: Any) -> list[Json]:
    answers, state = [], None
    for generated in chunks:
        body = {"stream": True, "generate_chunk": generated, "stream_state": state, **fields}
        answer = completion(model, **body)
        state = answer["stream_state"]
        answers.append(answer["chunk"])
    return answers


def texts(answers: list[Json]) -> str:
    return "".join(choice["text"] for answer in answers for choice in answer["choices"])


def test_outputs_of_several_prompts_become_one_completion(model: Model) -> None:
    ids = ids_of(model, TEXT)
    two = response(ids)
    two["choices"].append({"index": 1, "token_ids": ids_of(model, "b"), "finish_reason": "length"})
    answer = completion(
        model, generate_responses=[two, response(ids_of(model, "c"))], prompt_tokens=[3, 4]
    )
    Completion.model_validate(answer)
    assert [choice["index"] for choice in answer["choices"]] == [0, 1, 2]
    assert [choice["text"] for choice in answer["choices"]] == [
        "One café, 東京 🎉 and <think> more",
        "b",
        "c",
    ]
    assert answer["usage"]["prompt_tokens"] == 7
    assert answer["usage"]["completion_tokens"] == len(ids) + 2
    assert " ".join(answer) == (
        "id object created model choices service_tier system_fingerprint usage "
        "kv_transfer_params ec_transfer_params metrics"
    )


@settings(max_examples=60, deadline=None)
@given(sizes=st.lists(st.integers(1, 7), max_size=40))
def test_however_it_is_cut_the_stream_joins_to_the_whole(sizes: list[int]) -> None:
    ids = ids_of(MODEL, TEXT)
    chunks = stream(MODEL, cut(ids, sizes), prompt_token_ids=[5])
    for chunk in chunks:
        # As the client does: its type has no null reason, which OpenAI sends all the same.
        assert Completion.construct(**chunk).choices[0].text == chunk["choices"][0]["text"]
    whole = completion(MODEL, generate_responses=[response(ids)], prompt_token_ids=[[5]])
    assert texts(chunks) == whole["choices"][0]["text"]
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"


@settings(max_examples=40, deadline=None)
@given(sizes=st.lists(st.integers(1, 7), max_size=40))
def test_logprobs_are_the_same_however_the_stream_is_cut(sizes: list[int]) -> None:
    """Offsets run on over chunks; a character split over tokens is named by the last of them."""
    ids = ids_of(MODEL, TEXT)
    request = {"prompt": "x", "logprobs": 1}

    def with_logprobs(choice: Json) -> Json:
        entries = [
            {
                "token_id": i,
                "logprob": -0.5,
                "top_logprobs": [{"token_id": i, "logprob": -0.5}, {"token_id": 65, "logprob": -2}],
            }
            for i in choice["token_ids"]
        ]
        return {**choice, "logprobs": {"content": entries}}

    chunks = [
        {**chunk, "choices": [with_logprobs(choice) for choice in chunk["choices"]]}
        for chunk in cut(ids, sizes)
    ]
    streamed = [
        choice["logprobs"]
        for chunk in stream(MODEL, chunks, completion_request=request)
        for choice in chunk["choices"]
    ]
    choice = with_logprobs({"index": 0, "token_ids": ids, "finish_reason": "stop"})
    whole = completion(
        MODEL,
        generate_responses=[{"request_id": "r", "choices": [choice]}],
        completion_request=request,
    )["choices"][0]["logprobs"]
    for key in ("tokens", "token_logprobs", "top_logprobs", "text_offset"):
        assert [value for part in streamed for value in part[key]] == whole[key]


def test_special_tokens_and_ids_are_shown_when_asked_for(model: Model) -> None:
    ids = ids_of(model, "a<|im_start|>b")
    request = {"prompt": "x", "skip_special_tokens": False, "return_token_ids": True}
    shown = {**response(ids), "prompt_token_ids": [7]}
    (choice,) = completion(model, generate_responses=[shown], completion_request=request)["choices"]
    assert choice["text"] == "a<|im_start|>b"
    assert (choice["token_ids"], choice["prompt_token_ids"]) == (ids, [7])
    (chunk,) = stream(
        model,
        [{**shown, "choices": [{**shown["choices"][0], "finish_reason": None}]}],
        completion_request=request,
    )
    assert chunk["choices"][0]["text"] == "a<|im_start|>b"
    assert chunk["choices"][0]["prompt_token_ids"] == [7]
    (hidden,) = completion(model, generate_responses=[response(ids)])["choices"]
    assert (hidden["text"], hidden["token_ids"]) == ("ab", None)


def test_a_stop_string_cuts_the_text_past_min_tokens(model: Model) -> None:
    ids = ids_of(model, "ab ab ab")
    request = {"prompt": "x", "stop": "ab"}
    (choice,) = completion(model, generate_responses=[response(ids)], completion_request=request)[
        "choices"
    ]
    assert (choice["text"], choice["stop_reason"]) == ("", "ab")
    (choice,) = completion(
        model,
        generate_responses=[response(ids)],
        completion_request={**request, "min_tokens": len(ids) - 1},
    )["choices"]
    assert choice["text"] == "ab ab "


def test_metrics_and_transfer_parameters_are_those_of_all_prompts(model: Model) -> None:
    one = {**response([65]), "metrics": {"a": 1}, "kv_transfer_params": {"k": 1}}
    other = {**one, "kv_transfer_params": {"k": 2}}
    single = completion(model, generate_responses=[one])
    assert (single["metrics"], single["kv_transfer_params"]) == ({"a": 1}, {"k": 1})
    same = completion(model, generate_responses=[one, one])
    assert (same["metrics"], same["kv_transfer_params"]) == (None, {"k": 1})
    different = completion(model, generate_responses=[one, other])
    assert different["kv_transfer_params"] is None


def test_a_usage_chunk_has_no_choice(model: Model) -> None:
    usage = {"prompt_tokens": 2, "completion_tokens": 3}
    (chunk,) = stream(model, [{"request_id": "r", "choices": [], "usage": usage}])
    assert chunk["usage"]["total_tokens"] == 5
    assert chunk["choices"] == []
