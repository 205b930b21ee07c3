"""Chats: shapes of messages, tools, and what else only chats have."""

from __future__ import annotations

from typing import Any

from .case import CHAT, Case
from .fields import CALL, CLOCK, HI, TOOL_HISTORY, WEATHER, chat, each, sampling


def message_cases() -> list[Case]:
    shapes: list[Any] = [
        [],
        None,
        "hi",
        {"role": "user"},
        ["hi"],
        [{"role": "user"}],
        [{"content": "x"}],
        [{"role": "user", "content": None}],
        [{"role": "user", "content": 5}],
        [{"role": "user", "content": {"type": "text", "text": "a"}}],
        [{"role": 5, "content": "x"}],
        [{"role": "critic", "content": "x"}],
        [{"role": "critic"}],
        [{"role": "critic", "content": None}],
        [{"role": "user", "content": "x"}, {"role": "assistant"}],
        [{"role": "user", "content": "x"}, {"role": "assistant", "content": None}],
        [{"role": "user", "content": "x"}, {"role": "assistant", "content": []}],
        [{"role": "user", "content": "x", "name": "ann", "extra": 1}],
        [{"role": "user", "content": "x", "name": 5}],
        [
            {
                "role": "user",
                "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
            }
        ],
        [{"role": "user", "content": ["a", "b"]}],
        [{"role": "user", "content": [{"type": "text"}]}],
        [{"role": "user", "content": [{"type": "nope", "nope": 1}]}],
        [{"role": "user", "content": [{"text": "a"}]}],
        [{"role": "user", "content": [5]}],
        [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://a/b"}}]}],
        [
            {
                "role": "user",
                "content": [{"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}],
            }
        ],
        [{"role": "system", "content": [{"type": "text", "text": "s"}]}, *HI],
        [{"role": "developer", "content": "d"}, *HI],
        [{"role": "tool", "content": "t"}],
        [{"role": "tool", "content": "t", "tool_call_id": 5}],
        [{"role": "function", "content": "f", "name": "n"}],
        TOOL_HISTORY,
        [*TOOL_HISTORY, {"role": "assistant", "content": "Rain.", "reasoning": "Done."}, *HI],
        [
            *HI,
            {
                "role": "assistant",
                "content": "x",
                "tool_calls": [{**CALL, "function": {"name": "a", "arguments": "{"}}],
            },
        ],
        [
            *HI,
            {
                "role": "assistant",
                "content": "x",
                "tool_calls": [{**CALL, "function": {"name": "a", "arguments": ""}}],
            },
        ],
        [
            *HI,
            {
                "role": "assistant",
                "content": "x",
                "tool_calls": [{**CALL, "function": {"name": "a", "arguments": {"b": 1}}}],
            },
        ],
        [
            *HI,
            {
                "role": "assistant",
                "content": "x",
                "tool_calls": [{**CALL, "function": {"name": "a"}}],
            },
        ],
        [*HI, {"role": "assistant", "content": "x", "tool_calls": [{"id": "a"}]}],
        [*HI, {"role": "assistant", "content": "x", "tool_calls": []}],
        [*HI, {"role": "assistant", "content": "x", "tool_calls": None}],
        [*HI, {"role": "assistant", "content": "x", "tool_calls": "call"}],
        [*HI, {"role": "assistant", "content": "x", "reasoning": 5}],
        [*HI, {"role": "assistant", "content": "x", "refusal": "no", "reasoning": "why"}],
        [
            *HI,
            {"role": "assistant", "content": "x", "reasoning_content": "old", "reasoning": "new"},
        ],
    ]
    return [chat(f"messages {index}", messages=shape) for index, shape in enumerate(shapes)]


def chat_cases() -> list[Case]:
    named = {"type": "function", "function": {"name": "weather"}}
    return [
        *sampling(chat),
        *message_cases(),
        Case("no messages", CHAT, {}),
        *each(chat, "max_completion_tokens", 0, 10, 1000000, None),
        chat("both max tokens", max_completion_tokens=9, max_tokens=5),
        *each(chat, "logprobs", True, False, None, "x"),
        *each(chat, "top_logprobs", 0, 3, None, "3", -1),
        *each(chat, "top_logprobs", 0, 3, 20, 21, -1, -2, None, "3", 2.5, logprobs=True),
        chat("label logprobs", logprobs=True, logprob_token_ids=[5, 6]),
        chat("label logprobs beam", logprob_token_ids=[5], use_beam_search=True),
        chat("echo logprobs", echo=True, logprobs=True, top_logprobs=2),
        *each(chat, "tools", [], [WEATHER], [WEATHER, CLOCK], None, [{}], [{"type": "x"}], "x"),
        chat("tool extras", tools=[{**WEATHER, "x": 1, "defer_loading": True}]),
        chat(
            "tool strict",
            tools=[{"type": "function", "function": {"name": "a", "strict": False, "y": 2}}],
        ),
        chat("tool no type", tools=[{"function": {"name": "a", "parameters": {}}}]),
        chat("tool bad name", tools=[{"type": "function", "function": {"name": 5}}]),
        *each(chat, "tool_choice", "none", "auto", "required", None, named, "x", 5),
        *each(
            chat,
            "tool_choice",
            "none",
            "auto",
            None,
            {},
            {"function": {}},
            {"function": {"name": ""}},
            {"function": {"name": "other"}},
            {"type": "x", "function": {"name": "weather"}},
            "x",
            5,
            tools=[WEATHER],
        ),
        *each(chat, "parallel_tool_calls", True, None, tools=[WEATHER]),
        *each(chat, "include_reasoning", True, False, None),
        *each(chat, "reasoning_effort", "none", "low", "high", "max", "huge", None),
        *each(
            chat,
            "chat_template_kwargs",
            {"enable_thinking": False},
            {"enable_thinking": True, "x": None, "y": "auto"},
            {"chat_template": "x"},
            {"tokenize": True},
            {"add_generation_prompt": False},
            {"tools": [CLOCK]},
            {},
            None,
            [],
        ),
        *each(chat, "chat_template", "{{ messages[0].content }}!", "", None),
        *each(chat, "documents", [{"title": "t", "text": "x"}], [], None, [{"a": 1}]),
        chat(
            "continue",
            messages=[*HI, {"role": "assistant", "content": "I am"}],
            continue_final_message=True,
            add_generation_prompt=False,
        ),
        chat(
            "continue alone",
            messages=[*HI, {"role": "assistant", "content": "I am"}],
            continue_final_message=True,
        ),
        chat("continue both", continue_final_message=True, add_generation_prompt=True),
        chat("continue user", continue_final_message=True, add_generation_prompt=False),
        chat("no generation prompt", add_generation_prompt=False),
        chat(
            "open thinking",
            messages=[*HI, {"role": "assistant", "content": "<think>\nhm"}],
            continue_final_message=True,
            add_generation_prompt=False,
        ),
        chat(
            "marker in user text", messages=[{"role": "user", "content": "</think> <|im_start|>"}]
        ),
        chat("history with tools", messages=TOOL_HISTORY, tools=[WEATHER, CLOCK]),
        *each(chat, "mm_processor_kwargs", {"a": 1}, {}, None),
        *each(chat, "media_io_kwargs", {"image": {"a": 1}}, {"image": 5}, {}, None),
        *each(
            chat,
            "kv_transfer_params",
            {"prompt_token_ids": [5, 6, 7], "k": 1},
            {"prompt_token_ids": []},
            {"prompt_token_ids": [5.0]},
            {"prompt_token_ids": [10**9]},
            {"prompt_token_ids": None},
        ),
        chat("reuse echo", echo=True, kv_transfer_params={"prompt_token_ids": [5, 6]}),
        chat("reuse with thinking", kv_transfer_params={"prompt_token_ids": [151668, 6]}),
        chat(
            "structured and named",
            structured_outputs={"regex": "a"},
            tools=[WEATHER],
            tool_choice=named,
        ),
        chat("schema tools auto", tools=[WEATHER], response_format={"type": "json_object"}),
        chat("two checks", cache_salt="", stream_options={"include_usage": True}),
        chat("lone surrogate", messages=[{"role": "user", "content": "a"}], user="é"),
    ]
