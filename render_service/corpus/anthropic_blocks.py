"""Anthropic Messages: conversations, block by block."""

from __future__ import annotations

from typing import Any

from .case import MESSAGES, Case
from .fields import HI, each

USE = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"town": "Bergen"}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "rain"}
THOUGHT = {"type": "thinking", "thinking": "Ask.", "signature": "s"}
HISTORY = [
    {"role": "user", "content": "Weather?"},
    {"role": "assistant", "content": [THOUGHT, {"type": "text", "text": "Let me see."}, USE]},
    {"role": "user", "content": [RESULT]},
    {"role": "assistant", "content": "Rain."},
    *HI,
]
PICTURE = {"type": "image", "source": {"type": "url", "url": "http://a/b"}}
BILLING = "x-anthropic-billing-header: cch=1;"


def message(name: str, **fields: Any) -> Case:
    return Case(name, MESSAGES, {"model": "qwen3", "max_tokens": 50, "messages": HI, **fields})


def text(words: Any) -> dict[str, Any]:
    return {"type": "text", "text": words}


def blocks(role: str, *given: Any) -> dict[str, Any]:
    return {"role": role, "content": list(given)}


def change(kind: str, name: str) -> dict[str, Any]:
    return {"type": f"tool_{kind}", "tool": {"type": "tool_reference", "name": name}}


def result(content: Any) -> dict[str, Any]:
    return blocks("user", {"type": "tool_result", "tool_use_id": "t", "content": content})


def conversation_cases() -> list[Case]:
    conversations: list[Any] = [
        None,
        "Hi",
        {},
        [],
        ["Hi"],
        [{}],
        [{"role": "user"}],
        [{"content": "Hi"}],
        [{"role": "tool", "content": "Hi"}],
        [{"role": "user", "content": None}],
        [{"role": "user", "content": 5}],
        [{"role": "user", "content": ""}],
        [{"role": "user", "content": []}],
        [{"role": "user", "content": ["Hi"]}],
        [{"role": "user", "content": "Hi", "name": "ann"}],
        [{"role": "assistant", "content": "Hello"}],
        [*HI, {"role": "assistant", "content": "I am"}],
        [*HI, {"role": "assistant", "content": ""}, *HI],
        [*HI, blocks("assistant"), *HI],
        [blocks("user", text("a"))],
        [blocks("user", text("a"), text("b"))],
        [blocks("user", text(""), text("b"))],
        [blocks("user", text(""))],
        [blocks("user", text(None))],
        [blocks("user", text(5))],
        [blocks("user", {**text("a"), "cache_control": {"type": "ephemeral"}})],
        [blocks("user", {"text": "a"})],
        [blocks("user", {"type": "document", "source": {}})],
        [blocks("user", PICTURE)],
        [blocks("user", text("a"), PICTURE)],
        [blocks("user", {"type": "image", "source": {"media_type": "image/png", "data": "AA"}})],
        [blocks("user", {"type": "image"})],
        [blocks("user", {"type": "image", "source": "x"})],
        # Thinking
        [*HI, blocks("assistant", THOUGHT, text("Hello")), *HI],
        [*HI, blocks("assistant", THOUGHT), *HI],
        [*HI, blocks("assistant", THOUGHT, THOUGHT, text("Hello"))],
        [*HI, blocks("assistant", {"type": "thinking"}, text("Hello"))],
        [*HI, blocks("assistant", {"type": "thinking", "thinking": ""}, text("Hello"))],
        [*HI, blocks("assistant", {"type": "redacted_thinking", "data": "x"}, text("Hello"))],
        [*HI, blocks("assistant", {"type": "redacted_thinking", "data": "x"}), *HI],
        [blocks("user", THOUGHT, text("Hi"))],
        # Tools
        HISTORY,
        [*HI, blocks("assistant", USE)],
        [*HI, blocks("assistant", USE, {**USE, "id": "toolu_2"})],
        [*HI, blocks("assistant", {**USE, "input": None})],
        [*HI, blocks("assistant", {**USE, "input": {"é": [1, {"b": None}]}})],
        [*HI, blocks("assistant", {**USE, "input": "x"})],
        [*HI, blocks("assistant", {"type": "tool_use", "id": "a"})],
        [*HI, blocks("assistant", {"type": "tool_use", "name": "weather"})],
        [*HI, blocks("assistant", {**USE, "caller": {"type": "direct"}})],
        [blocks("user", USE)],
        [blocks("user", USE, text("a"))],
        [blocks("user", RESULT)],
        [blocks("user", RESULT, {**RESULT, "tool_use_id": "toolu_2", "content": "sun"})],
        [blocks("user", text("a"), RESULT, text("b"))],
        [blocks("user", {"type": "tool_result"})],
        [blocks("user", {**RESULT, "is_error": True})],
        [blocks("user", {**RESULT, "is_error": "x"})],
        [result("")],
        [result(None)],
        [result(5)],
        [result([])],
        [result([text("a"), text("b")])],
        [result([{"type": "text"}])],
        [result(["a"])],
        [result([{}])],
        [result([{"type": "search_result", "title": "x"}, text("a")])],
        [result([text("a"), PICTURE])],
        [result([{"type": "image"}])],
        [result([{"type": "image", "source": {"type": "url"}}])],
        [result([{"type": "tool_reference", "tool_name": "weather"}])],
        [result([{"type": "tool_reference", "name": "weather"}, text("a")])],
        [result([{"type": "tool_reference"}])],
        [*HI, blocks("assistant", {**RESULT, "content": "rain"})],
        [*HI, blocks("assistant", {**RESULT, "content": [text("é")]})],
        [*HI, blocks("assistant", {**RESULT, "content": None})],
        [blocks("user", {"type": "tool_reference", "tool_name": "weather"}, text("a"))],
        # System messages between the others
        [{"role": "system", "content": "Be brief."}, *HI],
        [*HI, {"role": "system", "content": "Be brief."}, *HI],
        [*HI, blocks("system", text("Be "), text("brief.")), *HI],
        [*HI, blocks("system", text(BILLING), text("brief.")), *HI],
        [{"role": "system", "content": BILLING + "\nBe brief."}, *HI],
        [{"role": "system", "content": ""}, *HI],
        [blocks("system"), *HI],
        [blocks("system", THOUGHT, PICTURE), *HI],
        [{"role": "system", "content": "Be brief."}],
    ]
    return [
        *[message(f"messages {i}", messages=given) for i, given in enumerate(conversations)],
        message("number as text of a result", messages=[result([text(5)])]),
        message("word as source of a result", messages=[result([{**PICTURE, "source": "x"}])]),
        message(
            "number as name of a tool",
            messages=[result([{"type": "tool_reference", "tool_name": 5}])],
        ),
        *each(
            message,
            "system",
            "Be brief.",
            "",
            None,
            5,
            [],
            ["Be brief."],
            [text("Be "), text("brief.")],
            [text(BILLING), text("Be brief.")],
            [text(None), text("")],
            [{**text("Be brief."), "cache_control": {"type": "ephemeral"}}],
            [PICTURE, text("Be brief.")],
            [{"type": "other"}],
            [change("addition", "weather")],
            BILLING + "\nBe brief.",
        ),
        message("system twice", system="A", messages=[{"role": "system", "content": "B"}, *HI]),
    ]
