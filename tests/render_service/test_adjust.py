"""What parsers change in a request besides its constraints. Values from vLLM 0.33.0's parsers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from render_service.adjust import joins_special_tokens
from render_service.protocol.chat import decode_chat_request
from render_service.settings import Settings

HI = [{"role": "user", "content": "Hi"}]
TOOL = {"type": "function", "function": {"name": "weather"}}


@pytest.mark.parametrize(
    ("tool", "reasoning", "fields", "joined"),
    [
        ("kimi_k3", None, {"tools": [TOOL]}, True),
        ("kimi_k3", None, {"tools": [TOOL], "tool_choice": "none"}, False),
        ("kimi_k3", None, {}, False),
        ("kimi_k3", "qwen3", {}, True),
        (None, "kimi_k3", {}, True),
        ("hermes", "kimi_k3", {"tools": [TOOL]}, True),
        ("hermes", "qwen3", {"tools": [TOOL]}, False),
    ],
)
def test_parsers_join_special_tokens(
    tool: str | None, reasoning: str | None, fields: dict[str, Any], joined: bool
) -> None:
    request = decode_chat_request(json.dumps({"messages": HI, **fields}).encode())
    given = Settings(
        tool_call_parser=tool, enable_auto_tool_choice=True, reasoning_parser=reasoning
    )
    assert joins_special_tokens(given, request) is joined
