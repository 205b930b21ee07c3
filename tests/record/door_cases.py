"""Responses and Messages requests for servers of all kinds: flags, parsers, models."""

from __future__ import annotations

from typing import Any

from render_service.corpus.anthropic_blocks import HISTORY as TURNS
from render_service.corpus.anthropic_blocks import message
from render_service.corpus.anthropic_tools import CLOCK as TIME
from render_service.corpus.anthropic_tools import WEATHER as TOWN
from render_service.corpus.case import Case
from render_service.corpus.fields import HI, each
from render_service.corpus.response_items import (
    CALL,
    HISTORY,
    RESULT,
    USER,
    response,
    said,
    text,
    typed,
)
from render_service.corpus.response_tools import CLOCK, FILES, SEARCH, WEATHER

LONG = "word " * 300


def door_cases(model: str) -> list[Case]:
    return [*response_cases(), *message_cases(model)]


def response_cases() -> list[Case]:
    return [
        response("plain"),
        response("instructions", instructions="Be brief."),
        response("model", model="beta"),
        response("tools", tools=[WEATHER]),
        response("tools none", tools=[WEATHER], tool_choice="none"),
        response("tools required", tools=[WEATHER, CLOCK], tool_choice="required"),
        response(
            "tools named", tools=[WEATHER, FILES], tool_choice={"type": "function", "name": "read"}
        ),
        response("tools strict", tools=[{**WEATHER, "strict": True}]),
        response("tools single", tools=[WEATHER], parallel_tool_calls=False),
        response("tools required of a server", tools=[SEARCH], tool_choice="required"),
        response("tools of a server", tools=[SEARCH]),
        response("tool hidden", tools=[FILES], tool_choice={"type": "custom", "name": "patch"}),
        response(
            "tools required and format",
            tools=[WEATHER],
            tool_choice="required",
            text={"format": {"type": "json_object"}},
        ),
        *[
            response(
                f"tools {choice} and constraint",
                tools=[WEATHER],
                tool_choice=choice,
                structured_outputs={"regex": "a"},
            )
            for choice in ("none", "auto", "required")
        ],
        response("history", tools=[WEATHER], input=HISTORY),
        response("continue", input=[USER, said(text("I am"), status="incomplete")]),
        *each(response, "reasoning", {"effort": "none"}, {"effort": "low"}),
        *each(response, "max_output_tokens", 0, 10, 60, 257, None),
        *each(response, "truncation", "auto", "disabled", None, input=LONG),
        response("truncate with output", truncation="auto", input=LONG, max_output_tokens=50),
        response("truncate without output", truncation="auto", input=LONG, max_output_tokens=0),
        response("template", chat_template_kwargs={"chat_template": "{{ messages[0].content }}"}),
        response("temperature", temperature=1.0),
    ]


def message_cases(model: str) -> list[Case]:
    def few(name: str, **fields: Any) -> Case:
        return message(name, **{"model": model, **fields})

    return [
        few("plain"),
        few("system", system="Be brief."),
        few("system between", messages=[*HI, {"role": "system", "content": "Be brief."}, *HI]),
        few("tools", tools=[TOWN]),
        few("tools none", tools=[TOWN], tool_choice={"type": "none"}),
        few("tools any", tools=[TOWN, TIME], tool_choice={"type": "any"}),
        few("tool named", tools=[TOWN], tool_choice={"type": "tool", "name": "weather"}),
        few("tool unknown", tools=[TOWN], tool_choice={"type": "tool", "name": "x"}),
        few("tools strict", tools=[{**TOWN, "strict": True}]),
        few("choice alone", tool_choice={"type": "any"}),
        few("history", tools=[TOWN], messages=TURNS),
        few("thinking off", thinking={"type": "disabled"}),
        few("effort", output_config={"effort": "low"}),
        few("too long", messages=[{"role": "user", "content": LONG}]),
        *each(few, "max_tokens", 10, 60, 257),
        few("template", chat_template_kwargs={"chat_template": "{{ messages[0].content }}"}),
        few("temperature", temperature=1.0),
    ]


def earlier_cases() -> list[Case]:
    """`previous_input_messages`, which count for gpt-oss; and what does not count for it."""
    call = {"function": {"name": "weather", "arguments": '{"town": "Bergen"}'}}
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]

    def harmony(role: str, content: Any, **fields: Any) -> dict[str, Any]:
        return {"author": {"role": role}, "content": content, **fields}

    earlier: list[list[Any]] = [
        [{"role": "system", "content": "x"}, {"role": "developer", "content": "x"}, USER],
        [USER, {"role": "assistant", "content": "Hello"}],
        [{"role": "user", "content": parts}, {"role": "assistant", "content": parts}],
        [USER, {"role": "assistant", "content": None, "tool_calls": [call, {}]}],
        [{"role": "tool", "name": "weather", "content": "rain"}],
        [{"role": "tool", "name": "functions.weather", "content": parts}],
        [{"role": "tool", "content": "rain"}],
        [{"role": "critic", "content": "x"}],
        [{"content": "x"}],
        [harmony("user", "Hi"), harmony("assistant", "Hm", channel="analysis")],
        [harmony("assistant", parts, channel="final")],
        [
            harmony(
                "assistant",
                "{}",
                channel="commentary",
                recipient="functions.f",
                content_type="json",
            ),
            {
                "author": {"role": "tool", "name": "functions.f"},
                "content": [{"type": "text", "text": "x"}],
                "channel": "commentary",
                "recipient": "assistant",
            },
        ],
        [harmony("system", "x"), harmony("developer", "x")],
        [harmony("critic", "x")],
        [harmony("user", None)],
    ]
    return [
        *[
            response(f"earlier {index}", previous_input_messages=messages)
            for index, messages in enumerate(earlier)
        ],
        response("earlier alone", input="", previous_input_messages=[USER]),
        response("earlier and items", input=[USER], previous_input_messages=[USER]),
        response("instructions of items", input=[{"role": "system", "content": "A"}, USER]),
        response(
            "instructions twice", instructions="B", input=[{"role": "system", "content": "A"}, USER]
        ),
        response(
            "instructions later", input=[USER, {"role": "developer", "content": [typed("A")]}]
        ),
        response("no instructions", instructions="", input=[{"role": "system", "content": "A"}]),
        response("previews", tools=[{"type": "web_search_preview"}]),
        response("previews and a tool", tools=[{"type": "web_search_preview"}, WEATHER]),
        response("servers", tools=[{"type": "mcp", "server_label": "s"}]),
        response("servers and a tool", tools=[{"type": "mcp", "server_label": "s"}, WEATHER]),
        response("outputs in parts", input=[CALL, {**RESULT, "output": [typed("a"), typed("b")]}]),
        response("reuse", kv_transfer_params={"prompt_token_ids": [5, 6]}),
        response("media", media_io_kwargs={"image": {"a": 1}}),
        response("constraint", structured_outputs={"regex": "a"}),
        response("format", text={"format": {"type": "json_object"}}),
        *each(response, "reasoning", {"effort": "max"}, {"effort": "high"}, {"effort": None}),
    ]
