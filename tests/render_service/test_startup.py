"""The block that is printed at start-up says which parsers are in force."""

from __future__ import annotations

from typing import Any

import pytest

from render_service.loading import load_model
from render_service.settings import Settings
from render_service.startup import describe

HERMES = {"tool_call_parser": "hermes"}
QWEN3 = {"reasoning_parser": "qwen3"}
AUTO = {"enable_auto_tool_choice": True}
OFF = "tool calls none (hermes needs --enable-auto-tool-choice)"


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ({}, "none"),
        (QWEN3, "reasoning qwen3, tool calls none"),
        (HERMES, f"reasoning none, {OFF}"),
        (QWEN3 | HERMES, f"reasoning qwen3, {OFF}"),
        (HERMES | AUTO, "reasoning none, tool calls hermes"),
    ],
)
def test_parsers(settings: dict[str, Any], shown: str) -> None:
    block = describe(load_model(Settings(**settings)), "")
    assert f"\n  parsers     {shown}\n" in block
