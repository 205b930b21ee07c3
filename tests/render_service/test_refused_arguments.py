"""Requests whose template arguments the parsers refuse: 400, of prompts and of outputs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from render_service import derender, render
from render_service.errors import RequestError
from render_service.loading import load_model
from render_service.model import Model
from render_service.settings import Settings
from tests.conftest import DEMO_MODEL

TOOLS = [{"type": "function", "function": {"name": "run"}}]
MESSAGE = "Unsupported tool_call_format 'yaml'. Supported values: json, xml, xml_typed."


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model(
        Settings(model=str(DEMO_MODEL), tool_call_parser="k2_horizon", enable_auto_tool_choice=True)
    )


def chat(**fields: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": "hi"}], "tools": TOOLS, **fields}


def test_of_the_prompt_and_of_the_output(model: Model) -> None:
    refused = chat(chat_template_kwargs={"tool_call_format": "yaml"})
    choice = {"index": 0, "token_ids": [5], "finish_reason": "stop"}
    response = {"request_id": "a", "choices": [choice]}
    output = {"generate_response": response, "chat_request": refused, "prompt_token_ids": [5]}
    for door, body in ((render.chat, refused), (derender.chat, output)):
        with pytest.raises(RequestError) as raised:
            door(model, json.dumps(body).encode(), None)
        assert (raised.value.message, raised.value.status) == (MESSAGE, 400)
    for taken in (chat(chat_template_kwargs={"tool_call_format": "json"}), chat()):
        assert render.chat(model, json.dumps(taken).encode(), None).body
