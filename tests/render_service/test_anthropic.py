"""/v1/messages/render, where recorded answers (test_render_golden.py) do not say it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from render_service import anthropic, derender
from render_service.anthropic_traits import disabled_thinking_effort, system_comes_first
from render_service.model import Model

from .derender_client import CALL, TOOL, demo, ids_of, parsed_demo

USER = {"role": "user", "content": "a"}
PLAIN = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"
REFUSES_NONE = "{% if reasoning_effort == 'none' %}{{ raise_exception('no') }}{% endif %}" + PLAIN
SYSTEM_FIRST = (
    "{% for m in messages %}{% if m.role == 'system' and not loop.first %}"
    "{{ raise_exception('first') }}{% endif %}{% endfor %}" + PLAIN
)


def answered(model: Model, **fields: Any) -> Any:
    base = {
        "model": model.names[0],
        "max_tokens": 5,
        "messages": [{"role": "user", "content": "a"}],
    }
    return json.loads(anthropic.messages(model, json.dumps(base | fields).encode(), None).body)


@pytest.mark.parametrize(
    ("template", "first"),
    [
        (PLAIN, False),
        (SYSTEM_FIRST, True),
        ("{{ strftime_now('%Y') }}" + PLAIN, True),  # vLLM tries it without this function
        ("{% generation %}a{% endgeneration %}" + PLAIN, True),
        ("{{ messages[9].content }}" + PLAIN, True),
        ("{{ 1 // 0 }}" + PLAIN, True),  # vLLM does not start
    ],
)
def test_templates_that_take_system_messages_first(template: str, first: bool) -> None:
    assert system_comes_first(demo(chat_template=template)) is first


def test_system_messages_move_to_the_start_where_they_must() -> None:
    turns = [
        {"role": "user", "content": "a"},
        {"role": "system", "content": "b"},
        {"role": "user", "content": "c"},
    ]
    for template, prompt in (
        (PLAIN, "[user]a[system]b[user]c"),
        (SYSTEM_FIRST, "[system]b[user]a[user]c"),
    ):
        model = demo(chat_template=template)
        assert answered(model, messages=turns)["token_ids"] == ids_of(model, prompt)


@pytest.mark.parametrize(
    ("template", "effort"),
    [
        (PLAIN, "low"),
        (PLAIN + "{{ reasoning_effort }}", "none"),
        (REFUSES_NONE, "low"),
        (PLAIN + "{% if reasoning_effort in ('none', 'xhigh') %}x{% endif %}", "low"),
    ],
)
def test_the_effort_of_thinking_that_is_disabled(template: str, effort: str) -> None:
    assert disabled_thinking_effort(demo(chat_template=template)) == effort


def test_the_operators_effort_wins() -> None:
    model = demo(chat_template=PLAIN, anthropic_disabled_thinking_effort="high")
    kwargs = answered(model, thinking={"type": "disabled"})["parse_context"]["chat_template_kwargs"]
    assert kwargs["reasoning_effort"] == "high"


def test_the_output_is_derendered_as_a_chats() -> None:
    model = parsed_demo()
    function = TOOL["function"]
    tool = {"name": function["name"], "input_schema": function["parameters"]}
    rendered = answered(model, tools=[tool])
    context = rendered["parse_context"]
    asked = {name: context[name] for name in ("tools", "tool_choice", "chat_template_kwargs")}
    choice = {"index": 0, "finish_reason": "stop", "token_ids": ids_of(model, CALL)}
    body = {
        "generate_response": {"request_id": rendered["request_id"], "choices": [choice]},
        "chat_request": {"messages": [], **asked},
        "prompt_token_ids": rendered["token_ids"],
    }
    answer = json.loads(derender.chat(model, json.dumps(body).encode(), None).body)
    (call,) = answer["choices"][0]["message"]["tool_calls"]
    assert call["function"]["name"] == function["name"]
