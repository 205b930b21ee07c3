"""Responses and Messages requests for servers of all kinds: flags, parsers, models."""

from __future__ import annotations

from typing import Any

from render_service.corpus.anthropic_blocks import HISTORY as TURNS
from render_service.corpus.anthropic_blocks import message
from render_service.corpus.anthropic_tools import CLOCK as TIME
from render_service.corpus.anthropic_tools import WEATHER as TOWN
from render_service.corpus.case import Case
from render_service.corpus.fields import HI, each
from render_service.corpus.response_items import HISTORY, USER, response, said, text
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
