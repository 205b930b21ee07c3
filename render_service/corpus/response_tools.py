"""Responses requests: tools, choices of tools, and the grammars that come of them."""

from __future__ import annotations

from typing import Any

from .case import Case
from .fields import JSON_SCHEMA, each
from .response_items import HISTORY, response

WEATHER = {
    "type": "function",
    "name": "weather",
    "description": "The weather in a town.",
    "parameters": {
        "type": "object",
        "properties": {"town": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["town"],
    },
}
CLOCK = {"type": "function", "name": "clock"}
SHELL = {"type": "custom", "name": "shell", "description": "Runs a line."}
FILES = {
    "type": "namespace",
    "name": "files",
    "description": "Files of the project.",
    "tools": [
        {"type": "function", "name": "read", "parameters": {"type": "object"}, "strict": True},
        {"type": "function", "name": "weather"},
        {"type": "custom", "name": "patch"},
    ],
}
SEARCH = {"type": "web_search"}


def tool_cases() -> list[Case]:
    def tools(name: str, *given: Any, **fields: Any) -> Case:
        return response(name, tools=list(given), **fields)

    named = {"type": "function", "name": "weather"}
    return [
        *each(response, "tools", [], None, "x", [{}], ["x"], [{"type": "x"}], [{"name": "x"}]),
        tools("tool", WEATHER),
        tools("two tools", WEATHER, CLOCK),
        tools(
            "tool extras",
            {
                **WEATHER,
                "async": True,
                "defer_loading": True,
                "allowed_callers": ["direct"],
                "output_schema": {"a": 1},
                "x": 1,
            },
        ),
        tools("tool loose", {**WEATHER, "strict": False}),
        tools("tool nulls", {**WEATHER, "strict": None, "parameters": None, "description": None}),
        tools("tool bad name", {**WEATHER, "name": 5}),
        tools("tool no name", {"type": "function"}),
        tools("tool bad parameters", {**WEATHER, "parameters": "x"}),
        tools("tool bad strict", {**WEATHER, "strict": "maybe"}),
        tools("tool bad callers", {**WEATHER, "allowed_callers": ["x"]}),
        tools("second tool bad", WEATHER, {"type": "function"}),
        tools("chat tool", {"type": "function", "function": {"name": "weather"}}),
        tools("custom", SHELL),
        tools("custom text", {**SHELL, "format": {"type": "text"}}),
        tools(
            "custom grammar",
            {**SHELL, "format": {"type": "grammar", "syntax": "regex", "definition": "a"}},
        ),
        tools("custom bad format", {**SHELL, "format": {"type": "x"}}),
        tools("namespace", FILES),
        tools("namespace no tools", {**FILES, "tools": []}),
        tools("namespace no description", {"type": "namespace", "name": "n", "tools": []}),
        tools(
            "namespace bad parameters",
            {**FILES, "tools": [{"type": "function", "name": "a", "parameters": 5}]},
        ),
        tools("namespace bad tool", {**FILES, "tools": [{"type": "other"}]}),
        tools("search", SEARCH),
        tools("search and tool", SEARCH, WEATHER),
        tools("search bad", {**SEARCH, "search_context_size": "x"}),
        tools("search preview", {"type": "web_search_preview"}),
        tools("mcp", {"type": "mcp", "server_label": "s", "server_url": "http://a"}),
        tools("mcp bad", {"type": "mcp"}),
        tools("interpreter", {"type": "code_interpreter", "container": {"type": "auto"}}),
        tools("interpreter bad", {"type": "code_interpreter"}),
        tools("file search", {"type": "file_search", "vector_store_ids": ["a"]}),
        tools("file search bad", {"type": "file_search", "vector_store_ids": "a"}),
        tools("computer", {"type": "computer"}),
        tools(
            "computer preview",
            {
                "type": "computer_use_preview",
                "display_height": 1,
                "display_width": 1,
                "environment": "mac",
            },
        ),
        tools("image", {"type": "image_generation"}),
        tools("local shell", {"type": "local_shell"}),
        tools("shell", {"type": "shell"}),
        tools("apply patch", {"type": "apply_patch"}),
        tools("tool search", {"type": "tool_search"}),
        tools("programmatic", {"type": "programmatic_tool_calling"}),
        # Choices
        *each(response, "tool_choice", "none", "auto", "required", None, named, "x", 5),
        *each(response, "tool_choice", {}, {"type": "custom", "name": "x"}, {"type": "mcp"}),
        *[
            tools(f"choice {index}", WEATHER, CLOCK, SHELL, tool_choice=choice)
            for index, choice in enumerate(
                [
                    "none",
                    "auto",
                    None,
                    "x",
                    5,
                    {},
                    {"type": "function"},
                    {"type": "function", "name": ""},
                    {"type": "function", "name": "other"},
                    {"type": "function", "function": {"name": "weather"}},
                    {"type": "custom"},
                    {"type": "web_search_preview"},
                    {"type": "allowed_tools", "mode": "auto", "tools": [{"name": "weather"}]},
                    {"type": "allowed_tools", "mode": "required", "tools": []},
                    {"type": "allowed_tools"},
                    {"type": "mcp", "server_label": "s"},
                    {"type": "apply_patch"},
                    {"type": "shell"},
                    {"type": "other"},
                ]
            )
        ],
        tools("ambiguous", FILES, {**FILES, "name": "more"}, tool_choice=named),
        tools("history", WEATHER, CLOCK, input=HISTORY),
        *each(response, "parallel_tool_calls", True, None, "x", tools=[WEATHER]),
        response("single call without tools", parallel_tool_calls=False),
        *each(response, "max_tool_calls", 1, -1, None, "x"),
    ]


def call_grammar_cases() -> list[Case]:
    """Requests whose answer holds a grammar that vLLM builds for the tool parser."""
    both = [WEATHER, CLOCK, SHELL, FILES]
    schema = {"format": {"type": "json_schema", "name": "n", "schema": JSON_SCHEMA}}
    choices: list[Any] = [
        "required",
        {"type": "function", "name": "weather"},
        {"type": "function", "name": "files__read"},
        {"type": "function", "name": "read"},
        {"type": "custom", "name": "shell"},
        {"type": "custom", "name": "patch"},
        {"type": "function", "name": "clock"},
        {"type": "custom", "name": "weather"},
    ]
    return [
        *[
            response(f"grammar choice {index}", tools=both, tool_choice=choice)
            for index, choice in enumerate(choices)
        ],
        response("grammar required search", tools=[SEARCH], tool_choice="required"),
        response("grammar single search", tools=[SEARCH], parallel_tool_calls=False),
        response("grammar single", tools=[WEATHER], parallel_tool_calls=False),
        response("grammar strict", tools=[{**WEATHER, "strict": True}]),
        response("grammar strict in namespace", tools=[FILES]),
        response("grammar none", tools=[{**WEATHER, "strict": True}], tool_choice="none"),
        response(
            "grammar allowed",
            tools=[{**WEATHER, "strict": True}],
            tool_choice={
                "type": "allowed_tools",
                "mode": "required",
                "tools": [{"name": "weather"}],
            },
        ),
        response("grammar format auto", tools=[{**WEATHER, "strict": True}], text=schema),
        response("grammar format loose", tools=[WEATHER], text=schema),
        response("grammar format single", tools=[WEATHER], text=schema, parallel_tool_calls=False),
        response("grammar format required", tools=[WEATHER], text=schema, tool_choice="required"),
        response(
            "grammar structured auto",
            tools=[{**WEATHER, "strict": True}],
            structured_outputs={"regex": "a+"},
        ),
        response(
            "grammar structured required",
            tools=[WEATHER],
            structured_outputs={"regex": "a+"},
            tool_choice="required",
        ),
        response(
            "grammar structured and format",
            tools=[WEATHER],
            structured_outputs={"regex": "a+"},
            text=schema,
        ),
        response(
            "grammar definitions",
            tools=[
                {
                    "type": "function",
                    "name": "a",
                    "parameters": {"type": "object", "$defs": {"x": {"type": "string"}}},
                },
                CLOCK,
            ],
            tool_choice="required",
        ),
        response(
            "grammar definitions named",
            tools=[
                {
                    "type": "function",
                    "name": "a",
                    "parameters": {"type": "object", "$defs": {"x": {"type": "string"}}},
                }
            ],
            tool_choice={"type": "function", "name": "a"},
        ),
        response(
            "grammar required twice the name", tools=[WEATHER, WEATHER], tool_choice="required"
        ),
        response(
            "grammar named twice the name",
            tools=[WEATHER, {**WEATHER, "parameters": None}],
            tool_choice={"type": "function", "name": "weather"},
        ),
    ]
