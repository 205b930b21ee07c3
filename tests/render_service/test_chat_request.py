"""Chat request bodies: defaults, coercions, refusals with vLLM's `type` and `param`.

The texts and the many values are held against vLLM in test_render_golden.py.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from render_service.errors import RequestError
from render_service.protocol.chat import ChatRequest, NamedToolChoice, decode_chat_request
from render_service.protocol.message_shape import has_media, history_tool_calls

HI = [{"role": "user", "content": "Hi"}]
TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
NAMED = {"type": "function", "function": {"name": "weather"}}
CALL = {"id": "1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}


def decode(**fields: Any) -> ChatRequest:
    return decode_chat_request(json.dumps({"messages": HI, **fields}).encode())


def refused(**fields: Any) -> RequestError:
    with pytest.raises(RequestError) as caught:
        decode(**fields)
    assert caught.value.status == 400
    return caught.value


def test_defaults() -> None:
    request = decode()
    assert request.messages == HI
    assert request.n == 1
    assert request.tool_choice == "none"
    assert request.add_generation_prompt
    assert not request.continue_final_message
    assert request.include_reasoning
    assert request.parallel_tool_calls
    assert request.max_tokens is None
    assert request.request_id is msgspec.UNSET
    assert request.mm_payload == "tensors"
    assert request.bad_words == []


def test_tools_make_auto_the_choice() -> None:
    assert decode(tools=[TOOL]).tool_choice == "auto"
    assert decode(tools=[TOOL], tool_choice=None).tool_choice is None
    assert decode(tools=[TOOL], tool_choice="none").tool_choice == "none"
    named = decode(tools=[TOOL], tool_choice=NAMED).tool_choice
    assert isinstance(named, NamedToolChoice)
    assert named.function.name == "weather"


def test_tools_as_the_template_sees_them() -> None:
    tools = [
        TOOL,
        {"function": {"name": "a", "strict": None, "x": 1}, "defer_loading": True},
        {"function": {"name": "b", "strict": True, "defer_loading": False}, "defer_loading": None},
    ]
    assert msgspec.to_builtins(decode(tools=tools).tools) == [
        {
            "type": "function",
            "function": {
                "name": "weather",
                "description": None,
                "parameters": {"type": "object"},
            },
        },
        {
            "type": "function",
            "function": {
                "name": "a",
                "description": None,
                "parameters": None,
                "defer_loading": True,
            },
            "defer_loading": True,
        },
        {
            "type": "function",
            "function": {
                "name": "b",
                "description": None,
                "parameters": None,
                "strict": True,
                "defer_loading": False,
            },
        },
    ]


def test_reasoning_content_is_the_old_name() -> None:
    messages = [
        {"role": "assistant", "content": "x", "reasoning_content": "old"},
        {"role": "assistant", "content": "x", "reasoning_content": "old", "reasoning": "new"},
        {"role": "assistant", "content": "x", "reasoning_content": None},
    ]
    request = decode(messages=messages)
    assert [m.get("reasoning") for m in request.messages] == ["old", "new", None]
    assert not any("reasoning_content" in m for m in request.messages)


def test_old_name_of_the_media_payload() -> None:
    assert decode(return_mm_kwargs=False).mm_payload == "none"
    assert decode(return_mm_kwargs=False, mm_payload="tensors").mm_payload == "tensors"
    assert decode(return_mm_kwargs=True).mm_payload == "tensors"


def test_unlimited_thinking_is_no_budget() -> None:
    assert decode(thinking_token_budget=-1).thinking_token_budget is None
    assert decode(thinking_token_budget=0).thinking_token_budget == 0


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"tools": []}, "tools"),
        ({"tool_choice": "auto"}, "tool_choice"),
        ({"tool_choice": NAMED, "tools": None}, "tool_choice"),
        ({"tool_choice": "x", "tools": [TOOL]}, "tool_choice"),
        ({"tool_choice": {"function": 5}, "tools": [TOOL]}, "tool_choice.function"),
        ({"tool_choice": {"function": {}}, "tools": [TOOL]}, "tool_choice.function.name"),
        ({"tool_choice": {"function": {"name": 5}}, "tools": [TOOL]}, "tool_choice.function.name"),
        ({"tool_choice": {"function": {"name": "b"}}, "tools": [TOOL, 5, {}]}, "tool_choice"),
        ({"structured_outputs": {"regex": "a"}, "tools": [TOOL], "tool_choice": NAMED}, None),
        ({"structured_outputs": {"json": {}, "regex": "a"}}, None),
        ({"structured_outputs": {}}, None),
        ({"structured_outputs": {"grammar": "a", "choice": ["a"]}}, None),
        ({"logprob_token_ids": [1]}, "logprob_token_ids"),
        ({"logprob_token_ids": [1], "use_beam_search": True}, "logprob_token_ids"),
        ({"top_logprobs": "3"}, "top_logprobs"),
        ({"top_logprobs": 3}, "top_logprobs"),
        ({"top_logprobs": -2, "logprobs": True}, "top_logprobs"),
        ({"prompt_logprobs": [1]}, "prompt_logprobs"),
        ({"prompt_logprobs": 1, "stream": True}, "prompt_logprobs"),
        ({"prompt_logprobs": -2}, "prompt_logprobs"),
        ({"stream_options": {"include_usage": True}}, "stream_options"),
        ({"response_format": {"type": "json_schema"}}, "response_format"),
        ({"cache_salt": ""}, "cache_salt"),
        ({"cache_salt": "a@b"}, "cache_salt"),
        ({"continue_final_message": True, "add_generation_prompt": True}, None),
        ({"thinking_token_budget": True}, "thinking_token_budget"),
        ({"thinking_token_budget": -2}, "thinking_token_budget"),
        ({"repetition_detection": {"max_pattern_size": -1}}, None),
        ({"repetition_detection": {"max_pattern_size": 2, "min_count": 1}}, None),
        ({"messages": None}, None),
        ({"messages": 5}, None),
        ({"messages": [{"role": "user", "content": {"a": 1}}]}, None),
        ({"messages": [{"role": "assistant", "content": "x", "tool_calls": 5}]}, None),
    ],
)
def test_refused_values(fields: dict[str, Any], param: str | None) -> None:
    error = refused(**fields)
    assert (error.type, error.param) == ("BadRequestError", param)
    if param is not None:
        assert f"(parameter={param}" in error.message


DEVELOPER = "body.messages.0.ChatCompletionDeveloperMessageParam"
TOOL_CALL = "ChatCompletionMessageFunctionToolCallParam"


@pytest.mark.parametrize(
    ("message", "param"),
    [
        ("hi", DEVELOPER),
        ({"content": "x"}, f"{DEVELOPER}.role"),
        ({"role": "user", "content": None}, f"{DEVELOPER}.content"),
        ({"role": 5}, f"{DEVELOPER}.content"),
        ({"role": "user", "content": "x", "name": 5}, f"{DEVELOPER}.role"),
        ({"role": "developer", "content": "x", "name": 5}, f"{DEVELOPER}.name"),
        ({"role": "tool", "content": "x", "tool_call_id": 5}, f"{DEVELOPER}.role"),
        ({"role": "function", "content": 5, "name": "f"}, f"{DEVELOPER}.content"),
        ({"role": "critic", "content": "x", "task": 5}, f"{DEVELOPER}.role"),
        ({"role": "assistant", "content": "x", "tool_calls": "c"}, f"body.0.{TOOL_CALL}"),
        ({"role": "assistant", "tool_calls": [{}]}, f"body.0.{TOOL_CALL}.id"),
        ({"role": "assistant", "tool_calls": [CALL, {"id": "2"}]}, f"body.1.{TOOL_CALL}.function"),
        (
            {"role": "assistant", "tool_calls": [{**CALL, "function": {"arguments": "{}"}}]},
            f"body.0.{TOOL_CALL}.function.name",
        ),
        ({"role": "assistant", "tool_calls": [{**CALL, "type": "x"}]}, f"body.0.{TOOL_CALL}.type"),
    ],
)
def test_refused_message(message: Any, param: str) -> None:
    error = refused(messages=[message])
    assert (error.type, error.param) == ("Bad Request", param)


@pytest.mark.parametrize("messages", ["hi", {"role": "user"}])
def test_messages_are_an_array(messages: Any) -> None:
    error = refused(messages=messages)
    assert (error.type, error.param) == ("Bad Request", "body.messages")


def test_messages_are_required() -> None:
    with pytest.raises(RequestError, match="`messages` is required"):
        decode_chat_request(b"{}")


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant"},
        {"role": "assistant", "content": None},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "assistant", "tool_calls": [{"type": "custom", "custom": {"name": "a"}}]},
        {"role": "tool", "content": "x", "tool_call_id": "1"},
        {"role": "tool", "content": "x"},
        {"role": "function", "content": None, "name": "f"},
        {"role": "critic"},
        {"role": "user", "content": ["a"]},
        {"role": "assistant", "content": "x", "reasoning": 5},
    ],
)
def test_taken_messages(message: dict[str, Any]) -> None:
    assert decode(messages=[message]).messages == [message]


def test_history() -> None:
    messages: list[dict[str, Any]] = [
        *HI,
        {"role": "assistant", "content": None, "tool_calls": [CALL, CALL]},
        {"role": "assistant", "content": "x"},
    ]
    assert history_tool_calls(messages) == 2
    assert not has_media(messages)
    assert not has_media([{"role": "user", "content": [{"type": "text", "text": "a"}, "b"]}])
    assert has_media([{"role": "user", "content": [{"type": "image_url"}]}])
