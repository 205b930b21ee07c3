"""Templates render as in vLLM, and the right one is chosen."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import Environment

from render_service.content_format import detect_content_format
from render_service.errors import RequestError
from render_service.hub import ModelFiles, StartupError
from render_service.template import ChatTemplate
from render_service.template_source import (
    REQUEST_TEMPLATE_LENGTH,
    REQUEST_TEMPLATES,
    ChatTemplates,
    Source,
    find_templates,
    operator_template,
)
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


PUBLISHED = lines("published")


@pytest.mark.parametrize("file", sorted({line["template"] for line in PUBLISHED}))
def test_published_templates(models_dir: Path, file: str) -> None:
    path = models_dir / "templates" / file
    if not path.is_file():
        pytest.skip(f"no {path}")
    source = path.read_text(encoding="utf-8")
    for line in PUBLISHED:
        if line["template"] == file:
            assert rendered(line["request"], source) == answer(line), line["name"]


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


# Which template


def named(**sources: str) -> ChatTemplates:
    found = {name: Source(text, name) for name, text in sources.items()}
    return ChatTemplates(found, special_tokens={})


def test_tool_use_serves_requests_with_tools() -> None:
    templates = named(default="a", tool_use="b", rag="c")
    assert templates.pick().source == "a"
    assert templates.pick(tools=[]).source == "b"
    assert named(default="a").pick(tools=[]).source == "a"


def test_a_request_names_a_template_or_brings_one() -> None:
    templates = named(default="a", rag="c")
    assert templates.pick(source="rag").source == "c"
    assert templates.pick(source="own").source == "own"
    assert templates.pick(source="own") is templates.pick(source="own")


def test_no_template() -> None:
    for templates in (named(), named(rag="a"), named(tool_use="a")):
        assert templates.default is None
        with pytest.raises(RequestError, match="you must provide a chat template"):
            templates.pick()
    assert named(tool_use="a").pick(tools=[]).source == "a"


def test_templates_of_requests_are_kept_in_bounds() -> None:
    templates = named(default="a")
    first = templates.pick(source="0")
    for number in range(REQUEST_TEMPLATES):
        templates.pick(source=str(number + 1))
    assert templates.pick(source="0") is not first
    long = "x" * (REQUEST_TEMPLATE_LENGTH + 1)
    assert templates.pick(source=long) is not templates.pick(source=long)


@pytest.mark.parametrize("source", ["{% if %}", "{{" + "(" * 100_000, "{{ 1 | foo }}"])
def test_a_broken_template_of_a_request(source: str) -> None:
    with pytest.raises(RequestError) as refused:
        named(default="a").pick(source=source)
    assert refused.value.status == 400


@pytest.mark.parametrize("name", ["default", "tool_use"])
def test_a_broken_template_of_the_model(name: str) -> None:
    with pytest.raises(StartupError, match=r"chat template .*, line 2: .*expression"):
        named(**{name: "a\n{% if %}"})


def test_a_broken_template_that_serves_no_request_does_no_harm() -> None:
    templates = named(default="a", rag="{% if %}")
    with pytest.raises(RequestError):
        templates.pick(source="rag")


# Where templates come from


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., ModelFiles]:
    def make(**texts: str) -> ModelFiles:
        for name, text in texts.items():
            path = tmp_path / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return ModelFiles("test", tmp_path)

    return make


def texts(found: dict[str, Source]) -> dict[str, str]:
    return {name: source.text for name, source in found.items()}


def test_sources_in_their_order(files: Callable[..., ModelFiles]) -> None:
    stored = files(chat_template_dot_json='{"chat_template": "e"}')
    assert find_templates(None, ModelFiles("x", Path("nowhere")), {}) == {}
    assert texts(find_templates(None, stored, {})) == {"default": "e"}
    config = {"chat_template": "d"}
    assert texts(find_templates(None, stored, config)) == {"default": "d"}
    config = {"chat_template": {"default": "d", "tool_use": "t"}}
    assert texts(find_templates(None, stored, config)) == {"default": "d", "tool_use": "t"}
    pairs = {"chat_template": [{"name": "default", "template": "d"}]}
    assert texts(find_templates(None, stored, pairs)) == {"default": "d"}
    stored = files(additional_chat_templates__rag_dot_jinja="r")
    assert texts(find_templates(None, stored, config)) == {"rag": "r"}
    stored = files(chat_template_dot_jinja="c\r\n")
    found = find_templates(None, stored, config)
    assert texts(found) == {"default": "c\n", "rag": "r"}
    assert [source.origin for source in found.values()] == [
        "chat_template.jinja",
        "additional_chat_templates/rag.jinja",
    ]
    assert texts(find_templates("{{ a }}", stored, config)) == {"default": "{{ a }}"}


def test_a_malformed_chat_template_setting() -> None:
    for value in (3, [{"name": "default"}], ["x"]):
        with pytest.raises(StartupError, match="neither text nor a list"):
            find_templates(None, ModelFiles("x", Path("nowhere")), {"chat_template": value})


def test_chat_template_flag(tmp_path: Path) -> None:
    path = tmp_path / "t.jinja"
    path.write_text("é\n", encoding="utf-8")
    assert operator_template(str(path)) == Source("é\n", str(path))
    inline = "{{ messages }}" * 500
    assert operator_template(inline) == Source(inline, "--chat-template, inline")
    assert operator_template("{\0").text == "{\0"
    for wrong in ("no/such/file.jinja", str(tmp_path), "a\0"):
        with pytest.raises(StartupError, match="looks like a path"):
            operator_template(wrong)
    path.write_bytes(b"\xff")
    with pytest.raises(StartupError, match="not UTF-8"):
        operator_template(str(path))
