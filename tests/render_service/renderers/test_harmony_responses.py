"""Responses requests for gpt-oss, where recorded answers (test_golden.py) do not say it."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from render_service import responses
from render_service.errors import RequestError
from render_service.loading import load_model
from render_service.model import Model
from render_service.settings import Settings
from render_service.tokenize import tokenize

from ..family_models import make
from ..test_odd_values import ODD, paths, written

EARLIER: list[dict[str, Any]] = [
    {
        "author": {"role": "tool", "name": "functions.f"},
        "content": [{"type": "text", "text": "x"}],
        "channel": "commentary",
        "recipient": "assistant",
        "content_type": "json",
    },
    {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]},
    {"role": "tool", "name": "f", "content": [{"text": "x"}]},
    {"role": "user", "content": ["a", {"text": "b"}]},
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, model_folder: Callable[[str], Path]) -> Model:
    folder = make("gptoss", model_folder("gptoss").parent, tmp_path_factory.mktemp("model"))
    return load_model(Settings(model=str(folder)))


def ids(model: Model, body: bytes) -> list[int]:
    found: list[int] = json.loads(responses.responses(model, body, None).body)["token_ids"]
    return found


def of_input(model: Model, *items: Any) -> list[int]:
    return ids(model, json.dumps({"input": items}).encode())


def test_odd_earlier_messages_are_rendered_or_refused(model: Model) -> None:
    body = {"input": "Hi", "previous_input_messages": EARLIER}
    assert ids(model, json.dumps(body).encode())
    for path in paths(body):
        for odd in ODD:
            with suppress(RequestError):
                ids(model, written(body, path, odd).encode("latin-1"))


def test_outputs_in_parts_are_one_text(model: Model) -> None:
    call = {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c"}
    output = {"type": "function_call_output", "call_id": "c", "output": "ab"}
    parts = [{"type": "input_text", "text": text} for text in "ab"]
    assert of_input(model, call, output) == of_input(model, call, {**output, "output": parts})


def test_instructions_without_text_are_none(model: Model) -> None:
    user = {"role": "user", "content": "Hi"}
    assert of_input(model, user, {"role": "system", "content": ""}) == of_input(model, user)


@pytest.mark.parametrize("fields", [{}, {"add_generation_prompt": True}])
def test_tokenize_refuses_to_go_on_and_to_begin(model: Model, fields: dict[str, Any]) -> None:
    """As for the chat request that vLLM makes of it, where both are written out."""
    body = {"messages": [{"role": "user", "content": "Hi"}], "continue_final_message": True}
    with pytest.raises(RequestError, match="Cannot set both"):
        tokenize(model, json.dumps(body | fields).encode(), None)
    tokenize(model, json.dumps(body | {"add_generation_prompt": False}).encode(), None)
