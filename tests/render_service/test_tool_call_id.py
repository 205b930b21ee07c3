from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from render_service.tool_call_id import numbers_calls, tool_call_id

from .derender_client import (
    CALL,
    CHAT_TOOLS,
    cut,
    ids_of,
    joined,
    message_of,
    parsed_demo,
    stream,
    whole,
)


def test_the_shape_is_that_of_vllm() -> None:
    assert re.fullmatch(r"chatcmpl-tool-[0-9a-f]{16}", tool_call_id("chatcmpl-1", 0, 0, "f"))


def test_the_same_call_has_the_same_id_everywhere() -> None:
    assert tool_call_id("r", 1, 2, "f") == tool_call_id("r", 1, 2, "f")


def test_requests_choices_and_calls_have_ids_of_their_own() -> None:
    where = [(r, c, i) for r in ("a", "b", "a\0") for c in range(3) for i in range(3)]
    assert len({tool_call_id(*place, "f") for place in where}) == 27


def test_the_id_that_the_model_wrote_is_kept() -> None:
    assert tool_call_id("r", 0, 0, "f", written="functions.f:7", numbered_from=1) == "functions.f:7"


@pytest.mark.parametrize(
    ("config", "numbers"),
    [
        ({"model_type": "kimi_k2"}, True),
        ({"model_type": "x", "text_config": {"model_type": "kimi_k3"}}, True),
        ({"model_type": "qwen3"}, False),
        ({"model_type": ["kimi_k2"], "text_config": 3}, False),
        ({}, False),
    ],
)
def test_kimi_models_number_their_calls(config: dict[str, Any], numbers: bool) -> None:
    assert numbers_calls(config) is numbers


def test_calls_are_numbered_on_from_the_conversation() -> None:
    """As vLLM does for Kimi models, whatever the parser: in a stream as in a whole answer."""
    model = replace(parsed_demo(), config={"model_type": "kimi_k2"})
    called = {"id": "c", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "", "tool_calls": [called, called]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
    ]
    request = {**CHAT_TOOLS, "messages": messages}
    ids = ids_of(model, f"{CALL}\n{CALL}")
    batch = message_of(whole(model, ids, request))["calls"]
    assert [call["id"] for call in batch] == ["functions.get_weather:2", "functions.get_weather:3"]
    assert joined(stream(model, cut(ids, [1] * 99), request, prompt_token_ids=[]))["calls"] == batch
