"""Requests at the door of Anthropic's Messages: fields and their values."""

from __future__ import annotations

from typing import Any

from .anthropic_blocks import PICTURE, blocks, conversation_cases, message
from .anthropic_tools import call_grammar_cases, tool_cases
from .case import MESSAGES, Case
from .fields import HI, JSON_SCHEMA, each


def field_cases() -> list[Case]:
    enabled = {"type": "enabled", "budget_tokens": 1024}
    outputs: list[Any] = [
        {},
        None,
        "x",
        {"effort": "low"},
        {"effort": "max"},
        {"effort": "none"},
        {"effort": None},
        {"format": None},
        {"format": {}},
        {"format": {"type": "json_schema"}},
        {"format": {"type": "json_object"}},
        {"format": {"type": "json_schema", "schema": JSON_SCHEMA}},
        {"format": {"schema": JSON_SCHEMA}},
        {"format": {"json_schema": JSON_SCHEMA}},
        {"format": {"type": "json_schema", "schema": {}}},
        {"format": {"type": "json_schema", "schema": "x"}},
    ]
    budgets: list[Any] = [
        enabled,
        {**enabled, "display": "summarized"},
        {**enabled, "budget_tokens": 1999},
        {**enabled, "budget_tokens": 2000},
        {**enabled, "budget_tokens": "1024"},
    ]
    return [
        Case("empty", MESSAGES, {}),
        Case("no model", MESSAGES, {"messages": HI, "max_tokens": 5}),
        Case("no max tokens", MESSAGES, {"messages": HI, "model": "qwen3"}),
        message("plain"),
        message("unknown field", frobnicate=1, n=3, min_tokens=5, stop="END"),
        *each(message, "model", None, "", "nobody", 5),
        *each(message, "max_tokens", 0, -1, 1, 40000, 1000000, "20", 2.5, None, True, "x"),
        *each(message, "metadata", {"user_id": "u"}, {}, None, "x"),
        *each(message, "stop_sequences", [], ["END"], ["a", ""], ["x"] * 5, "END", [5], None),
        *each(message, "stream", True, False, None, "x", 1),
        *each(message, "temperature", 0, 0.005, 0.7, 1, 2.1, -0.1, None, "0.5", "hot"),
        *each(message, "top_k", -2, -1, 0, 5, None, 5.5),
        *each(message, "top_p", 0, 0.5, 1, 1.5, None),
        *each(
            message,
            "thinking",
            {"type": "enabled"},
            enabled,
            {**enabled, "budget_tokens": 1023},
            {"type": "disabled"},
            {"type": "disabled", "budget_tokens": 5},
            {"type": "adaptive"},
            {"type": "adaptive", "display": "omitted"},
            {"type": "adaptive", "display": "x"},
            {"type": "x"},
            {},
            None,
            "enabled",
            5,
        ),
        *[
            message(f"budget {index}", thinking=given, max_tokens=2000)
            for index, given in enumerate(budgets)
        ],
        message(
            "thinking for the decoder", thinking=enabled, kv_transfer_params={"do_remote_decode": 1}
        ),
        message(
            "thinking not remote", thinking=enabled, kv_transfer_params={"do_remote_decode": False}
        ),
        message(
            "thinking off over kwargs",
            thinking={"type": "disabled"},
            chat_template_kwargs={"enable_thinking": True},
        ),
        message(
            "thinking off with effort",
            thinking={"type": "disabled"},
            output_config={"effort": "max"},
        ),
        *[
            message(f"output_config {index}", output_config=given)
            for index, given in enumerate(outputs)
        ],
        *each(message, "mm_payload", "none", "x"),
        *each(message, "return_mm_kwargs", False, True),
        *each(message, "cache_salt", "abc", "", "a/b", "x" * 129, 5, None),
        message("long cache salt", cache_salt="x" * 2000),
        *each(message, "watermarking", True, None, "x"),
        *each(
            message,
            "kv_transfer_params",
            {"a": {"b": 1}},
            {},
            None,
            "x",
            {"prompt_token_ids": [5, 6, 7], "k": 1},
            {"prompt_token_ids": []},
            {"prompt_token_ids": [10**9]},
        ),
        message(
            "reuse with image",
            messages=[blocks("user", PICTURE)],
            kv_transfer_params={"prompt_token_ids": [5, 6]},
        ),
        *each(message, "ec_transfer_params", {"c": 1}, {}, None),
        *each(message, "vllm_xargs", {"a": 1, "c": [1, "y"]}, {}, {"a": {}}, None),
        message("xargs with transfer", vllm_xargs={"a": 1}, kv_transfer_params={"k": 1}),
        *each(
            message,
            "chat_template_kwargs",
            {"enable_thinking": False},
            {"x": None, "y": "auto"},
            {"chat_template": "x"},
            {"add_generation_prompt": False},
            {},
            None,
            [],
        ),
        message("request id", request_id="mine"),
        message("two wrong", temperature="hot", max_tokens=0),
        message("wrong and invalid", cache_salt="a/b", temperature=9),
    ]


def message_cases() -> list[Case]:
    return [*field_cases(), *conversation_cases(), *tool_cases(), *call_grammar_cases()]
