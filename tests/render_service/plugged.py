"""Helpers of the adapter's tests: models with a plugin's parsers, what one output becomes."""

from __future__ import annotations

from typing import Any

from render_service.model import Model
from render_service.tool_call_id import tool_call_id
from tests.conftest import ROOT

from .derender_client import CHAT_TOOLS, Json, cut, demo, ids_of, prompt_of, stream

PLUGIN = str(ROOT / "tests" / "render_service" / "plugins" / "angle_parsers.py")
TEXT = 'So.</think>Well, <<get_weather {"city": "Zürich 🏔️"}>> <<get_weather#own1 {"a": 1}>>'
PLUGINS = {"tool_parser_plugin": PLUGIN, "reasoning_parser_plugin": PLUGIN}
NAMES = {"tool_call_parser": "angle", "enable_auto_tool_choice": True}


def plugged(reasoning: str | None = "until_think_ends", **settings: Any) -> Model:
    return demo(**{**PLUGINS, **NAMES, "reasoning_parser": reasoning, **settings})


def streamed(model: Model, text: str, size: int, request: Json = CHAT_TOOLS) -> list[Json]:
    ids = ids_of(model, text)
    chunks = cut(ids, [size] * len(ids))
    return stream(model, chunks, request, prompt_token_ids=prompt_of(model))


def expected(text: str = "Well,  ", reasoning: str = "So.") -> Json:
    weather = {"name": "get_weather", "args": '{"city": "Zürich 🏔️"}'}
    own = {"id": "own1", "name": "get_weather", "args": '{"a": 1}'}
    return {
        "content": text,
        "reasoning": reasoning,
        "calls": [{"id": derived(), **weather}, own],
        "finish_reason": "tool_calls",
    }


def derived(index: int = 0) -> str:
    return tool_call_id("chatcmpl-1", 0, index, "get_weather")
