from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from render_service.model import Model

from .derender_client import (
    CALL,
    CHAT,
    CHAT_TOOLS,
    REASONED,
    TOOL,
    chat,
    chat_chunk,
    chunk,
    cut,
    demo,
    ids_of,
    joined,
    message_of,
    parsed_demo,
    prompt_of,
    stream,
    whole,
)


@pytest.fixture(scope="module")
def plain() -> Model:
    return demo()


@pytest.fixture(scope="module")
def parsed() -> Model:
    return parsed_demo()


def test_a_whole_output_becomes_a_chat_completion(parsed: Model) -> None:
    ids = ids_of(parsed, REASONED + "Sure.\n" + CALL + "<|im_end|>")
    answer = whole(parsed, ids, CHAT_TOOLS, prompt_tokens=9)
    ChatCompletion.model_validate(answer)
    assert message_of(answer) | {"calls": None} == {
        "reasoning": "\nThe café 東京 is open. 🎉\n",
        "content": "\n\nSure.\n",
        "calls": None,
        "finish_reason": "tool_calls",
    }
    call = answer["choices"][0]["message"]["tool_calls"][0]
    assert call["function"] == {"name": "get_weather", "arguments": '{"city": "Zürich 🏔️"}'}
    assert answer["id"] == "chatcmpl-1"
    assert answer["model"] == parsed.names[0]
    assert answer["usage"] == {
        "prompt_tokens": 9,
        "completion_tokens": len(ids),
        "total_tokens": 9 + len(ids),
        "prompt_tokens_details": None,
        "completion_tokens_details": None,
    }


def test_the_keys_stand_in_the_order_of_vllm(parsed: Model) -> None:
    answer = whole(parsed, ids_of(parsed, "Hi<|im_end|>"), CHAT)
    assert list(answer) == [
        "id",
        "object",
        "created",
        "model",
        "choices",
        "service_tier",
        "system_fingerprint",
        "usage",
        "prompt_logprobs",
        "prompt_token_ids",
        "prompt_text",
        "kv_transfer_params",
        "ec_transfer_params",
        "metrics",
    ]
    choice = answer["choices"][0]
    assert list(choice) == [
        "index",
        "message",
        "logprobs",
        "finish_reason",
        "stop_reason",
        "token_ids",
        "routed_experts",
        "weight_versions",
    ]
    assert list(choice["message"]) == [
        "role",
        "content",
        "refusal",
        "annotations",
        "audio",
        "function_call",
        "reasoning",
    ]


@settings(max_examples=60, deadline=None)
@given(sizes=st.lists(st.integers(1, 9), max_size=80), calls=st.integers(0, 3))
def test_however_it_is_cut_the_stream_joins_to_the_whole(sizes: list[int], calls: int) -> None:
    model = PARSED
    text = REASONED + "Sure.\n" + "\n".join([CALL] * calls) + "<|im_end|>"
    ids = ids_of(model, text)
    answers = stream(model, cut(ids, sizes), CHAT_TOOLS, prompt_token_ids=prompt_of(model))
    assert joined(answers) == message_of(whole(model, ids, CHAT_TOOLS))


PARSED = parsed_demo()


def test_every_chunk_is_a_chat_completion_chunk(parsed: Model) -> None:
    ids = ids_of(parsed, REASONED + CALL + "<|im_end|>")
    chunks = [*cut(ids, [1] * len(ids)), {"request_id": "chatcmpl-1", "choices": [], "usage": {}}]
    for answer in stream(parsed, chunks, CHAT_TOOLS, prompt_token_ids=[]):
        ChatCompletionChunk.model_validate(answer["chunk"])
        assert list(answer) == ["chunk", "stream_state"]


def test_the_role_is_sent_once_with_the_first_choice(plain: Model) -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 0}
    leading = {"request_id": "chatcmpl-1", "choices": [], "usage": usage}
    chunks = [leading, *cut(ids_of(plain, "Hello there"), [1, 1])]
    roles = [
        choice["delta"]["role"]
        for answer in stream(plain, chunks, None)
        for choice in answer["chunk"]["choices"]
    ]
    assert roles == ["assistant", *[None] * (len(roles) - 1)]


def test_a_usage_chunk_counts_the_prompt_as_the_client_says(plain: Model) -> None:
    chunks = [{"request_id": "r", "choices": [], "usage": {"completion_tokens": 5}}]
    (answer,) = stream(plain, chunks, None, prompt_tokens=7)
    assert answer["chunk"]["usage"]["total_tokens"] == 12
    assert answer["chunk"]["choices"] == []


def test_a_chunk_that_only_finishes_flushes_what_is_held(parsed: Model) -> None:
    ids = ids_of(parsed, REASONED + "a <tool")
    chunks = [chunk(ids), chunk(None, "length")]
    answers = stream(parsed, chunks, CHAT_TOOLS, prompt_token_ids=[])
    assert joined(answers)["content"] == "\n\na <tool"
    assert joined(answers)["finish_reason"] == "length"


def test_choices_of_one_request_have_states_of_their_own(parsed: Model) -> None:
    ids = [ids_of(parsed, REASONED + CALL), ids_of(parsed, "<think>b</think>two")]
    states: list[Any] = [None, None]
    seen: list[list[Any]] = [[], []]
    for at in range(max(map(len, ids))):
        for index in (0, 1):
            if at < len(ids[index]):
                last = at == len(ids[index]) - 1
                generated = chunk([ids[index][at]], "stop" if last else None, index=index)
                body = {"generate_chunk": generated, "stream_state": states[index]}
                answer = chat_chunk(parsed, chat_request=CHAT_TOOLS, prompt_token_ids=[], **body)
                states[index] = answer["stream_state"]
                seen[index].append(answer)
    assert joined(seen[0])["calls"][0]["name"] == "get_weather"
    assert joined(seen[1])["content"] == "two"
    assert {c["index"] for a in seen[1] for c in a["chunk"]["choices"]} == {1}


def test_call_ids_are_the_same_in_a_retry_and_in_the_whole(parsed: Model) -> None:
    ids = ids_of(parsed, CALL + CALL)
    chunks = cut(ids, [3] * 50)
    streamed = [stream(parsed, chunks, CHAT_TOOLS, prompt_token_ids=[]) for _ in range(2)]
    calls = joined(streamed[0])["calls"]
    assert calls == joined(streamed[1])["calls"]
    assert calls == message_of(whole(parsed, ids, CHAT_TOOLS))["calls"]
    assert len({call["id"] for call in calls}) == 2


@pytest.mark.parametrize("hidden", [True, False])
def test_hidden_reasoning_hides_what_would_show_it(parsed: Model, hidden: bool) -> None:
    ids = ids_of(parsed, "<think>secret</think>open")
    request = {**CHAT, "include_reasoning": not hidden, "return_token_ids": True}
    logprobs = {"content": [{"token_id": i, "logprob": -0.5} for i in ids]}
    choice = {"index": 0, "token_ids": ids, "finish_reason": "stop", "logprobs": logprobs}
    generated = {"request_id": "r", "choices": [choice]}
    batch = chat(parsed, generate_response=generated, chat_request=request)["choices"][0]
    streamed = chat_chunk(
        parsed, generate_chunk=generated, chat_request=request, prompt_token_ids=[]
    )["chunk"]["choices"][0]
    assert batch["message"]["reasoning"] == (None if hidden else "secret")
    for shown in (batch, streamed):
        assert (shown["logprobs"] is None) is hidden
        assert (shown["token_ids"] is None) is hidden
    assert b"secret" not in orjson.dumps([batch, streamed]) or not hidden


def test_one_call_at_a_time_keeps_the_first(parsed: Model) -> None:
    ids = ids_of(parsed, CALL + "\n" + CALL.replace("Zürich", "Oslo"))
    request = {**CHAT_TOOLS, "parallel_tool_calls": False}
    batch = message_of(whole(parsed, ids, request))
    assert len(batch["calls"]) == 1
    assert joined(stream(parsed, cut(ids, [1] * 99), request, prompt_token_ids=[])) == batch


NAMED = {"type": "function", "function": {"name": "get_weather"}}


@pytest.mark.parametrize(
    ("choice", "calls", "content", "finish"),
    [
        ("auto", 1, None, "tool_calls"),
        ("required", 1, None, "tool_calls"),
        (NAMED, 1, None, "stop"),
        ("none", 0, CALL, "stop"),
    ],
)
def test_the_tool_choice_of_the_request_is_followed(
    parsed: Model, choice: Any, calls: int, content: str | None, finish: str
) -> None:
    """A format that can be constrained writes required and named calls like any other."""
    ids = ids_of(parsed, f"<think>x</think>{CALL}<|im_end|>")
    request = {**CHAT_TOOLS, "tool_choice": choice}
    batch = message_of(whole(parsed, ids, request))
    assert len(batch["calls"]) == calls
    assert (batch["content"], batch["finish_reason"]) == (content, finish)
    assert joined(stream(parsed, cut(ids, [2] * 99), request, prompt_token_ids=[])) == batch


def test_without_a_parser_markers_are_text(plain: Model) -> None:
    ids = ids_of(plain, "<think>a</think>" + CALL + "<|im_end|>")
    answer = whole(plain, ids, None)
    assert answer["choices"][0]["message"]["content"] == "<think>a</think>" + CALL
    assert joined(stream(plain, cut(ids, [1] * 99), None))["content"] == "<think>a</think>" + CALL


def test_a_stop_string_cuts_a_whole_output(parsed: Model) -> None:
    ids = ids_of(parsed, "<think>a</think>one two three")
    request = {**CHAT, "stop": ["two"]}
    answer = whole(parsed, ids, request)["choices"][0]
    assert answer["message"]["content"] == "one "
    assert answer["stop_reason"] == "two"
    kept = whole(parsed, ids, {**request, "include_stop_str_in_output": True})["choices"][0]
    assert kept["message"]["content"] == "one two"


def test_a_stop_string_may_cut_through_a_marker(parsed: Model) -> None:
    ids = ids_of(parsed, "<think>a</think>b<tool_call>")
    answer = whole(parsed, ids, {**CHAT_TOOLS, "stop": ["l_call"]})["choices"][0]
    assert answer["message"]["content"] == "b<too"


def test_transfer_parameters_and_metrics_pass_through(plain: Model) -> None:
    response = {
        "request_id": "r",
        "choices": [{"index": 0, "token_ids": ids_of(plain, "Hi")}],
        "prompt_logprobs": [None, {"5": {"logprob": -1.5, "rank": 1, "decoded_token": None}}],
        "kv_transfer_params": {"remote": 2**60},
        "metrics": {"queue_time_ms": 1.5},
        "prompt_token_ids": [1, 2],
    }
    answer = chat(plain, generate_response=response, chat_request={**CHAT, "return_token_ids": 1})
    assert answer["prompt_logprobs"] == response["prompt_logprobs"]
    assert answer["metrics"] == {"queue_time_ms": 1.5}
    assert answer["prompt_token_ids"] == [1, 2]


def test_tools_without_choice_are_auto_and_without_tools_calls_are_content(parsed: Model) -> None:
    ids = ids_of(parsed, "<think>a</think>" + CALL)
    assert message_of(whole(parsed, ids, CHAT))["content"] == CALL
    assert message_of(whole(parsed, ids, {**CHAT, "tools": [TOOL]}))["calls"]
