"""Anthropic Messages: tools, choices of tools, and the grammars that come of them."""

from __future__ import annotations

from typing import Any

from .anthropic_blocks import HISTORY, blocks, change, message, text
from .case import Case
from .fields import HI, JSON_SCHEMA, each

WEATHER = {
    "name": "weather",
    "description": "The weather in a town.",
    "input_schema": {
        "type": "object",
        "properties": {"town": {"type": "string"}},
        "required": ["town"],
    },
}
CLOCK: dict[str, Any] = {"name": "clock", "input_schema": {}}


def defined(tool: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_addition", "tool": {"type": "tool_definition", "definition": tool}}


def tool_cases() -> list[Case]:
    def changed(name: str, *changes: Any, **fields: Any) -> Case:
        turns = [*HI, blocks("system", *changes), *HI]
        return message(f"changed {name}", messages=turns, tools=[WEATHER, CLOCK], **fields)

    return [
        *each(message, "tools", [], None, "x", [{}], ["x"], [CLOCK]),
        message("tool", tools=[WEATHER]),
        message("two tools", tools=[WEATHER, CLOCK]),
        message("tool extras", tools=[{**WEATHER, "cache_control": {}, "type": "custom"}]),
        message("tool loose", tools=[{**WEATHER, "strict": False, "defer_loading": True}]),
        message("tool nulls", tools=[{**WEATHER, "strict": None, "description": None}]),
        message("tool typed", tools=[{"name": "a", "input_schema": {"type": "string"}}]),
        message("tool null type", tools=[{"name": "a", "input_schema": {"type": None}}]),
        message("tool no schema", tools=[{"name": "a"}]),
        message("tool null schema", tools=[{"name": "a", "input_schema": None}]),
        message("tool bad name", tools=[{**WEATHER, "name": 5}]),
        message("tool bad strict", tools=[{**WEATHER, "strict": "maybe"}]),
        message("tool of the server", tools=[{"type": "bash_20250124", "name": "bash"}]),
        message("system and tools", system="A", tools=[WEATHER]),
        message("tool history", tools=[WEATHER], messages=HISTORY),
        *each(
            message,
            "tool_choice",
            {"type": "auto"},
            {"type": "any"},
            {"type": "none"},
            {"type": "tool", "name": "weather"},
            {"type": "tool"},
            {"type": "tool", "name": ""},
            {"type": "x"},
            {},
            None,
            "auto",
            5,
        ),
        *[
            message(f"choice {index}", tool_choice=given, tools=[WEATHER, CLOCK])
            for index, given in enumerate(
                [
                    {"type": "auto"},
                    {"type": "none"},
                    {"type": "auto", "disable_parallel_tool_use": False},
                    {"type": "auto", "disable_parallel_tool_use": "x"},
                    {"type": "none", "disable_parallel_tool_use": True},
                    {"type": "tool", "name": "other"},
                    {"type": "auto", "name": "weather"},
                ]
            )
        ],
        message("choice without any tool", tools=[], tool_choice={"type": "any"}),
        message("named without any tool", tools=[], tool_choice={"type": "tool", "name": "a"}),
        # Tools that come and go
        changed("addition", change("addition", "weather")),
        changed("addition of other", change("addition", "other")),
        changed("removal", change("removal", "weather")),
        changed("removal of other", change("removal", "other")),
        changed("removal and back", change("removal", "weather"), change("addition", "weather")),
        changed("all removed", change("removal", "weather"), change("removal", "clock")),
        changed("removed twice", change("removal", "weather"), change("removal", "weather")),
        changed("defined", defined({"name": "new", "input_schema": {}})),
        changed("redefined", defined({**WEATHER, "description": "Other."})),
        changed("defined badly", defined({"name": "new"})),
        changed("removal by definition", {**defined(WEATHER), "type": "tool_removal"}),
        changed("without tool", {"type": "tool_addition"}),
        changed("of other type", {"type": "tool_addition", "tool": {"type": "x"}}),
        changed("with text", text("Note."), change("removal", "clock")),
        changed("named is gone", change("removal", "clock"), tool_choice={"type": "auto"}),
        message(
            "deferred tool added",
            tools=[{**WEATHER, "defer_loading": True}],
            messages=[blocks("system", change("addition", "weather")), *HI],
        ),
        message("defined without tools", messages=[blocks("system", defined(WEATHER)), *HI]),
        message("changed by user", messages=[blocks("user", change("addition", "weather"))]),
    ]


def call_grammar_cases() -> list[Case]:
    """Requests whose answer holds a grammar that vLLM builds for the tool parser."""
    strict = {**WEATHER, "strict": True}
    schema = {"format": {"type": "json_schema", "schema": JSON_SCHEMA}}
    return [
        *[
            message(f"grammar choice {index}", tool_choice=given, tools=[WEATHER, CLOCK])
            for index, given in enumerate(
                [
                    {"type": "any"},
                    {"type": "any", "disable_parallel_tool_use": True},
                    {"type": "auto", "disable_parallel_tool_use": True},
                    {"type": "tool", "name": "weather"},
                    {"type": "tool", "name": "clock", "disable_parallel_tool_use": True},
                ]
            )
        ],
        message("grammar strict", tools=[strict]),
        message("grammar strict none", tools=[strict], tool_choice={"type": "none"}),
        message("grammar format", tools=[strict], output_config=schema),
        message("grammar format loose", tools=[WEATHER], output_config=schema),
        message(
            "grammar format any", tools=[WEATHER], output_config=schema, tool_choice={"type": "any"}
        ),
        message(
            "grammar removed",
            tools=[WEATHER, CLOCK],
            tool_choice={"type": "tool", "name": "clock"},
            messages=[blocks("system", change("removal", "clock")), *HI],
        ),
    ]
