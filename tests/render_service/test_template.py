"""Templates render as in vLLM."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import Environment

from render_service.content_format import detect_content_format
from render_service.errors import RequestError
from render_service.template import ChatTemplate
from tests.render_service.golden_chat import SPECIAL_TOKENS, answer, lines, rendered

USER = {"role": "user", "content": "hi"}
# Here vLLM's message names its own functions, or depends on the depth of its stack.
OWN_WORDS = {
    "tools that are none": "Tools should be a list of JSON schemas.",
    "argument conversation": "chat_template_kwargs must not set 'conversation'.",
    "argument model_config": "chat_template_kwargs must not set 'model_config'.",
    "argument tokenizer": "chat_template_kwargs must not set 'tokenizer'.",
    "argument self": "chat_template_kwargs must not set 'self'.",
    "argument messages": "chat_template_kwargs must not set 'messages'.",
    "endless recursion": "maximum recursion depth exceeded",
}
RECORDED = {line["name"]: line for line in lines("templates")}


@pytest.mark.parametrize("line", RECORDED.values(), ids=RECORDED.keys())
def test_recorded(line: dict[str, Any]) -> None:
    request = line["request"]
    got, want = rendered(request, request["chat_template"]), answer(line)
    if "error" in want:
        message = want["error"].pop("message")
        expected = OWN_WORDS.get(line["name"], message.partition("Final message")[0])
        assert got["error"].pop("message").startswith(expected)
    assert got == want


def template(source: str, **own: Any) -> ChatTemplate:
    return ChatTemplate(source, origin="test", special_tokens=SPECIAL_TOKENS, **own)


def render(source: str, **kwargs: Any) -> str:
    return template(source).render([USER], kwargs=kwargs)


# Content format

LOOP = "{% for m in messages %}{% for c in CONTENT %}{{ c.text }}{% endfor %}{% endfor %}"
MACRO = "{% macro text(x) %}{% for c in x %}{% endfor %}{% endmacro %}"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("{{ messages }}", "string"),
        ("{% for m in messages %}{{ m.content }}{% endfor %}", "string"),
        (LOOP.replace("CONTENT", "m.content"), "openai"),
        (LOOP.replace("CONTENT", "m['content'] | list"), "openai"),
        (LOOP.replace("CONTENT", "m.content[1:]"), "openai"),
        (LOOP.replace("CONTENT", "m.parts"), "string"),
        (LOOP.replace("CONTENT", "m[0]"), "string"),
        (LOOP.replace("CONTENT", "content"), "openai"),
        (LOOP.replace("CONTENT", "other"), "string"),
        ("{% set l = messages[1:] %}" + LOOP.replace("in messages", "in l | list"), "string"),
        ("{% set l = messages %}{% set k = l %}{% for m in k %}{% for c in m.content %}"
         "{% endfor %}{% endfor %}", "openai"),
        ("{% set ns = namespace(rest=messages, n=0) %}{% for m in ns.rest %}"
         "{% for c in m.content %}{% endfor %}{% endfor %}", "openai"),
        ("{% set ns = namespace() %}{% set ns.rest = messages %}{% for m in ns.rest %}"
         "{% for c in m.content %}{% endfor %}{% endfor %}", "openai"),
        ("{% set ns.rest = 1 %}{% for m in ns.rest %}{% for c in m.content %}{% endfor %}"
         "{% endfor %}", "string"),
        (MACRO + "{% for m in messages %}{{ text(m.content) }}{% endfor %}", "openai"),
        (MACRO + "{% for m in messages %}{{ text(x=m.content) }}{% endfor %}", "openai"),
        (MACRO + "{% for m in messages %}{{ text(m.role, y=m.content) }}{% endfor %}", "string"),
        (MACRO.replace("in x", "in content"), "string"),
        (MACRO.replace("in x", "in x.y"), "string"),
        (MACRO + "{{ other(1) }}{{ m.text(2) }}", "string"),
        ("{% for a, b in messages %}{% for c in content %}{% endfor %}{% endfor %}", "string"),
        ("{% for a, b in content %}{% endfor %}", "string"),
        ("{% set m = messages if a else b %}{% for c in m.content is string %}{% endfor %}",
         "string"),
    ],
)  # fmt: skip
def test_content_format(source: str, found: str) -> None:
    assert template(source).content_format == found


def test_content_format_may_be_forced() -> None:
    forced = template("{{ messages }}", content_format="openai")
    assert (forced.content_format, forced.detected_format) == ("openai", "string")


def test_content_format_follows_names_round_in_circles() -> None:
    source = "{% set a = messages %}{% set b = a %}{% set a = b %}{% set messages = a %}"
    assert detect_content_format(Environment().parse(source)) == "string"


# Rendering


def test_tools_and_arguments() -> None:
    source = "{{ tools }}|{{ documents }}|{{ add_generation_prompt }}|{{ x }}"
    got = template(source).render(
        [USER], tools=[{"a": 1}], kwargs={"x": 2, "add_generation_prompt": True, "y": 3}
    )
    assert got == "[{'a': 1}]|None|True|2"
    assert render(source) == "None|None|False|"


def test_a_special_token_reaches_the_template_and_may_be_replaced() -> None:
    assert render("{{ eos_token }}") == "<|im_end|>"
    assert render("{{ eos_token }}", eos_token="x") == "x"


def test_rendering_does_not_change_the_messages() -> None:
    messages = [{"role": "assistant", "content": [{"type": "text", "text": "a"}]}]
    source = "{% for m in messages %}{% for c in m.content %}{{ c.text }}{% endfor %}{% endfor %}"
    got = template(source).render(messages, kwargs={"continue_final_message": True})
    assert got == "a"
    assert messages == [{"role": "assistant", "content": [{"type": "text", "text": "a"}]}]


def test_only_the_last_text_is_continued() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "tool_reference", "name": "f"}]
    source = "{% for c in messages[0].content %}{{ c.text }};{% endfor %}"
    got = template(source).render(
        [{"role": "assistant", "content": parts}], kwargs={"continue_final_message": True}
    )
    assert got == "a"


def test_developer_in_parts_becomes_one_system_message() -> None:
    messages = [
        USER,
        {"role": "developer", "content": [{"type": "text", "text": "a"}], "tools": None},
        {"role": "system", "content": [{"type": "tool_reference", "name": "f"}]},
    ]
    got = template("{{ messages | tojson }}").render(messages, kwargs={})
    assert json.loads(got) == [{"role": "system", "content": "a"}, USER]


def test_the_reason_is_the_innermost_that_the_template_gave() -> None:
    class Strange:
        def __str__(self) -> str:
            raise ValueError("cannot be printed")

    with pytest.raises(RequestError, match="cannot be printed"):
        render("{{ x }}", x=Strange())


@given(st.text())
@settings(max_examples=100, deadline=None)
def test_text_passes_unchanged(text: str) -> None:
    got = template("{{ messages[0].content }}{{ messages[0] | tojson }}").render(
        [{"role": "user", "content": text}], kwargs={}
    )
    assert got == text + json.dumps({"role": "user", "content": text}, ensure_ascii=False)
