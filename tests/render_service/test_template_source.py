"""The right template is chosen, from the right place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from render_service.errors import RequestError
from render_service.hub import ModelFiles, StartupError
from render_service.template_source import (
    REQUEST_TEMPLATE_LENGTH,
    REQUEST_TEMPLATES,
    ChatTemplates,
    Source,
    find_templates,
    operator_template,
)

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


UNCOMPILED = [
    "{% break %}",
    "{{ " + "1" * 5000 + " }}",
    "{{ 10 ** 5000 }}",
    "{% for m in messages %}" * 25 + "{% endfor %}" * 25,
]
"""Templates that Jinja parses and then fails on with an error that is not its own."""


@pytest.mark.parametrize("source", ["{% if %}", "{{" + "(" * 100_000, "{{ 1 | foo }}", *UNCOMPILED])
def test_a_broken_template_of_a_request(source: str) -> None:
    with pytest.raises(RequestError) as refused:
        named(default="a").pick(source=source)
    assert refused.value.status == 400


@pytest.mark.parametrize("name", ["default", "tool_use"])
def test_a_broken_template_of_the_model(name: str) -> None:
    with pytest.raises(StartupError, match=r"chat template .*, line 2: .*expression"):
        named(**{name: "a\n{% if %}"})


@pytest.mark.parametrize("source", UNCOMPILED)
def test_a_template_of_the_model_that_does_not_compile(source: str) -> None:
    with pytest.raises(StartupError, match="chat template default: "):
        named(default=source)


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
