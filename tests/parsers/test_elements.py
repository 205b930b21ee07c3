"""Nested elements become JSON as in vLLM's minimax_m3, by the tool's schema."""

from __future__ import annotations

import json
from typing import Any

import pytest

import parsers
from parsers import Context, Tool
from parsers.codecs.elements import MAX_DEPTH

from .support import streamed

P = "]<]minimax[>["


def tag(name: str, inner: str) -> str:
    return f"{P}<{name}>{inner}{P}</{name}>"


def called(body: str, properties: dict[str, Any]) -> tuple[Any, str]:
    """The arguments, and the content."""
    tools = (Tool("f", {"type": "object", "properties": properties}),)
    text = f'{P}<tool_call>{P}<invoke name="f">{body}{P}</invoke>{P}</tool_call>'
    fmt = parsers.load("minimax_m3")
    context = Context(tools=tools, tool_choice="auto")
    whole = streamed(fmt, context, None, [[text]])
    assert streamed(fmt, context, None, [[c] for c in text], resumed=True) == whole
    return json.loads(whole[2][0][1]), whole[1]


@pytest.mark.parametrize(
    ("schema", "inner", "value"),
    [
        ({"anyOf": [{"type": "null"}, {"type": "array"}]}, tag("item", "1"), ["1"]),
        ({"items": {"type": "integer"}}, tag("item", "1") + tag("item", "2"), [1, 2]),
        ({"properties": {"a": {"type": "integer"}}}, tag("a", "1") + tag("b", "2"), None),
        ({"additionalProperties": {"type": "integer"}}, tag("a", "1"), {"a": 1}),
        ({"type": ["object", "null"]}, tag("a", "1") * 2, {"a": ["1", "1"]}),
        ({"type": "array"}, " ", []),
        ({"type": "object"}, "", {}),
        ({"type": ["array", "string"]}, "", ""),
        ({"oneOf": [{"type": "string"}, 3]}, "x", "x"),
        ({"anyOf": "odd"}, tag("a", "1"), {"a": "1"}),
        (True, "7", "7"),
    ],
)
def test_schemas(schema: Any, inner: str, value: Any) -> None:
    value = {"a": 1, "b": "2"} if value is None else value
    assert called(tag("x", inner), {"x": schema}) == ({"x": value}, "")


def test_text_between_children_is_a_member() -> None:
    body = tag("x", f"so {tag('$text', '1')} on")
    assert called(body, {}) == ({"x": {"$text": "1", "$$text": "so  on"}}, "")


def test_what_is_no_element_is_content() -> None:
    for rest in (tag(" ", "x"), f"{P}<a>", f"{P}<a>{P}</b>", f"{P}</a>", "words", f"{P}<a>{P}x"):
        assert called(tag("x", "1") + rest, {}) == ({"x": "1"}, rest)


def test_depth() -> None:
    def nested(depth: int) -> str:
        return f"{P}<a>" * depth + f"{P}</a>" * depth

    arguments, content = called(nested(MAX_DEPTH), {})
    assert (list(arguments), content) == (["a"], "")
    assert called(nested(MAX_DEPTH + 1), {}) == ({}, nested(MAX_DEPTH + 1))


def test_a_long_name_is_no_call() -> None:
    text = f'{P}<tool_call>{P}<invoke name="{"n" * 200}">{P}</invoke>'
    context = Context(tools=(Tool("f"),), tool_choice="auto")
    assert streamed(parsers.load("minimax_m3"), context, None, [[text]])[2] == []
