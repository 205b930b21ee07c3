"""Every field of a conversation set to every odd value, for each family: answered or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from render_service import render
from render_service.errors import RequestError
from render_service.loading import load_model
from render_service.settings import Settings

from ..family_models import make
from ..test_odd_values import paths, written
from .test_refusals import LIBRARIES, MODELS

ODD = ("null", "true", "-1", "1.5", '""', '"auto"', "[]", "[null]", "[5]", '{"a":1}')
ODD += ('[{"function":5}]', '[{"id":[]}]', '[{"type":[]}]')
CALL = {"id": "123456789", "type": "function", "function": {"name": "f", "arguments": "{}"}}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
TURNS: list[dict[str, Any]] = [
    {"role": "user", "content": [{"type": "text", "text": "Hi"}], "tool_calls": [CALL]},
    {"role": "assistant", "content": None, "reasoning": "so", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "123456789", "content": "x"},
    {"role": "assistant", "content": "y"},
]
EARLIER: list[dict[str, Any]] = [
    {"role": "system", "content": "Be kind.", "tool_calls": [CALL]},
    {"role": "developer", "content": "Be brief.", "tools": [TOOL], "tool_calls": [CALL]},
]
"""Not every family takes these."""


@pytest.mark.parametrize("name", MODELS)
def test_an_odd_value_is_answered_or_refused(name: str, tmp_path: Path) -> None:
    pytest.importorskip(LIBRARIES.get(name, "orjson"), reason="an extra")
    made, mode = MODELS[name]
    folder = make(made, Path(), tmp_path)
    model = load_model(
        Settings(model=str(folder), tokenizer_mode=mode, trust_remote_code=name == "kimi_k3")
    )
    statuses = set()
    for messages in (TURNS[:-1], [*EARLIER, *TURNS]):
        body = {"messages": messages, "tools": [TOOL], "tool_choice": "none"}
        for path in paths(body):
            for odd in ODD:
                raw = written(body, path, odd).encode()
                try:
                    orjson.loads(render.chat(model, raw, None).body)
                    statuses.add(200)
                except RequestError as error:
                    statuses.add(error.status)
                except Exception as error:  # to say which field it was
                    raise AssertionError(f"{path} as {odd}") from error
    assert statuses == {200, 400}
