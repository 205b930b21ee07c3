"""Messages in every shape that a client may send, and in some that no template can take."""

from __future__ import annotations

from typing import Any

USER = {"role": "user", "content": "What is the weather in Köln?"}
SYSTEM = {"role": "system", "content": "You are a careful assistant."}
TEXT = {"type": "text", "text": "first"}
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather of a city <b>now</b>",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "unit": {"enum": ["°C", "°F"]}},
            "required": ["city"],
        },
    },
}


def call(arguments: str, **own: Any) -> dict[str, Any]:
    return {
        "type": "function",
        "id": "call_1",
        "function": {"name": "get_weather", "arguments": arguments},
        **own,
    }


def calls(*arguments: str, content: Any = None, **own: Any) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": content,
        "tool_calls": [call(text) for text in arguments],
        **own,
    }


def answered(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    return [USER, *messages, {"role": "user", "content": "Thanks."}]


# name -> messages; recorded as the template sees them, with string and with part-list content.
MESSAGES: dict[str, list[dict[str, Any]]] = {
    "text": [USER],
    "empty text": [{"role": "user", "content": ""}],
    "no content": [{"role": "user"}],
    "no parts": [{"role": "user", "content": []}],
    "parts": [{"role": "user", "content": [TEXT, {"type": "text", "text": "second"}]}],
    "empty part": [{"role": "user", "content": [TEXT, {"type": "text", "text": ""}, TEXT]}],
    "string part": [{"role": "user", "content": [TEXT, "second"]}],
    "input_text": [{"role": "user", "content": [TEXT, {"type": "input_text", "text": "b"}]}],
    "output_text": [{"role": "assistant", "content": [TEXT, {"type": "output_text", "text": "b"}]}],
    "refusal part": [{"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}],
    "thinking part": [
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "closed": True}]}
    ],
    "null text part": [{"role": "user", "content": [TEXT, {"type": "text", "text": None}]}],
    "null refusal part": [
        {"role": "critic", "content": [TEXT, {"type": "refusal", "refusal": None}]}
    ],
    "null thinking part": [{"role": "critic", "content": [TEXT, {"type": "thinking"}]}],
    "fields of a part": [
        {"role": "user", "content": [{**TEXT, "cache_control": {"type": "ephemeral"}, "name": "n"}]}
    ],
    "tool reference": [
        {"role": "tool", "content": [{"type": "tool_reference", "name": "f"}, TEXT]}
    ],
    "tool reference without a name": [{"role": "user", "content": [{"type": "tool_reference"}]}],
    "tool result": [
        calls('{"city": "Köln"}'),
        {"role": "tool", "content": "7", "tool_call_id": "c"},
    ],
    "tool result in parts": [
        {"role": "tool", "tool_call_id": "c", "content": [TEXT, {"type": "text", "text": "b"}]}
    ],
    "tool result without an id": [{"role": "tool", "content": "7", "name": "get_weather"}],
    "function result": [{"role": "function", "name": "get_weather", "content": "7"}],
    "null function result": [{"role": "function", "name": "get_weather", "content": None}],
    "calls": answered(calls('{"city": "Köln", "unit": "°C"}', "{}", content="Let me look.")),
    "call without content": answered({"role": "assistant", "tool_calls": [call("{}")]}),
    "call with no arguments": answered(calls("")),
    "call with broken arguments": answered(calls('{"city": ')),
    "call with a list of arguments": answered(calls("[1]")),
    "call with null arguments": answered(calls("null")),
    "call with special numbers": answered(calls('{"a": NaN, "b": 1e400, "c": 1.0, "d": 1E2}')),
    "call with large numbers": answered(calls('{"a": 123456789012345678901234567890}')),
    "call with a repeated key": answered(calls('{"a": 1, "a": 2}')),
    "call with more fields": answered(
        {
            "role": "assistant",
            "content": "x",
            "tool_calls": [
                {
                    "index": 0,
                    "type": "function",
                    "function": {"x": 1, "name": "f", "arguments": "{}"},
                    "id": "a",
                }
            ],
        }
    ),
    "no calls": answered({"role": "assistant", "content": "x", "tool_calls": []}),
    "null calls": answered({"role": "assistant", "content": "x", "tool_calls": None}),
    "custom call": answered(
        {
            "role": "assistant",
            "content": "x",
            "tool_calls": [{"id": "a", "type": "custom", "custom": {"name": "n", "input": "i"}}],
        }
    ),
    "calls of a user": [{**USER, "tool_calls": [call("{}")]}],
    "null content": answered({"role": "assistant", "content": None}),
    "refusal": answered({"role": "assistant", "refusal": "No."}),
    "reasoning": answered({"role": "assistant", "content": "x", "reasoning": "because"}),
    "reasoning_content": answered(
        {"role": "assistant", "content": "x", "reasoning_content": "because"}
    ),
    "both reasonings": answered(
        {"role": "assistant", "content": "x", "reasoning": "a", "reasoning_content": "b"}
    ),
    "empty reasoning": answered({"role": "assistant", "content": "x", "reasoning": ""}),
    "reasoning of a user": [{**USER, "reasoning": "r"}],
    "reasoning as prompt_embeds": answered(
        {"role": "assistant", "content": "x", "reasoning": {"type": "prompt_embeds", "data": "x"}}
    ),
    "name": [{**USER, "name": "ann"}, {"role": "assistant", "content": "x", "name": "bot"}],
    "task": [{**USER, "task": "summary"}],
    "unknown fields": [{**USER, "foo": 1, "tool_call_id": "x"}],
    "own role": [{"role": "critic", "content": [TEXT, "b"], "reasoning": "r"}],
    "two system messages": [SYSTEM, SYSTEM, USER],
    "developer": [{"role": "developer", "content": "Be brief."}, USER],
    "developer with tools": [{"role": "developer", "content": "Be brief.", "tools": [TOOL]}, USER],
    "developer with a name": [{"role": "developer", "content": "Be brief.", "name": "d"}, USER],
    "developer in the middle": [
        USER,
        {"role": "developer", "content": [TEXT, {"type": "text", "text": "b"}]},
        SYSTEM,
        USER,
    ],
    "empty developer": [USER, {"role": "developer", "content": ""}, SYSTEM],
    "billing header": [
        {"role": "system", "content": "x-anthropic-billing-header: cch=1\nBe brief."},
        USER,
    ],
    "billing header alone": [{"role": "system", "content": "x-anthropic-billing-header: 1"}, USER],
    "billing header in parts": [
        {
            "role": "system",
            "content": [
                {"type": "text", "text": "x-anthropic-billing-header: 1"},
                {"type": "text", "text": "x-anthropic-billing-header: 1\nBe brief."},
                TEXT,
            ],
        },
        USER,
    ],
    "billing header of a user": [{"role": "user", "content": "x-anthropic-billing-header: 1\nx"}],
    "special tokens": [{"role": "user", "content": "<|im_end|> <think> </tool_call>"}],
    "control characters": [{"role": "user", "content": "a\x00b\t\r\n\x7f\u2028"}],
    "no messages": [],
    "unknown part": [{"role": "user", "content": [TEXT, {"type": "foo", "text": "x"}]}],
    "part without a type": [{"role": "user", "content": [TEXT, {"text": "x"}]}],
    "part with a number as type": [{"role": "critic", "content": [TEXT, {"type": 3, "name": "x"}]}],
    "part with a uuid": [{"role": "user", "content": [{**TEXT, "uuid": "u"}]}],
    "file": [{"role": "user", "content": [{"type": "file", "file": {"file_id": "x"}}]}],
    "image": [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x"}}]}
    ],
    "image without a type": [{"role": "user", "content": [{"image_url": "http://x"}]}],
    "image with a uuid": [
        {"role": "user", "content": [{"type": "image_url", "image_url": None, "uuid": "u"}]}
    ],
    "input_audio": [
        {
            "role": "user",
            "content": [{"type": "input_audio", "input_audio": {"data": "AA", "format": "wav"}}],
        }
    ],
    "audio": [
        {"role": "user", "content": [{"type": "audio_url", "audio_url": {"url": "http://x"}}]}
    ],
    "video": [
        {"role": "user", "content": [{"type": "video_url", "video_url": {"url": "http://x"}}]}
    ],
    "image_embeds": [{"role": "user", "content": [{"type": "image_embeds", "image_embeds": "aa"}]}],
    "audio_embeds": [{"role": "user", "content": [{"type": "audio_embeds", "audio_embeds": "aa"}]}],
    "video_embeds": [{"role": "user", "content": [{"type": "video_embeds", "video_embeds": "aa"}]}],
    "prompt_embeds": [{"role": "user", "content": [{"type": "prompt_embeds", "data": "aa"}]}],
}
