"""Values that are XML: entities and CDATA, however they are cut, and malformed states."""

from __future__ import annotations

import pytest

import parsers
from parsers import Context, Tool

from .support import characters, streamed

TEXT = {"type": "object", "properties": {"a": {"type": "string"}}}
AUTO = Context(tools=(Tool("f", TEXT),), tool_choice="auto")
FORMAT = parsers.load("minicpm5")


@pytest.mark.parametrize(
    ("value", "arguments"),
    [
        ("&lt;&amp;lt;&#65;&#x41;&gt;", '{"a": "<&lt;AA>"}'),
        ("&nbsp;&;&#;&&#12345678; &lt", '{"a": "&nbsp;&;&#;&&#12345678; &lt"}'),
        ("<![CDATA[&lt;</param></function>]]>", '{"a": "&lt;</param></function>"}'),
        ("&l<![CDATA[t;]]>&lt;", '{"a": "&lt;<"}'),
        ("<![CDATA[a]]]]><![CDATA[>b]]>", '{"a": "a]]>b"}'),
        ("a ]]> b <![CDATA b", '{"a": "a ]]> b <![CDATA b"}'),
        ("</function> so", '{"a": "</function> so"}'),
    ],
)
def test_values(value: str, arguments: str) -> None:
    text = f'<function name="f"><param name="a">{value}</param></function>'
    whole = streamed(FORMAT, AUTO, None, [[text]])
    assert whole == ("", "", [("f", arguments)])
    chunks = [[piece] for piece in characters([text])]
    assert streamed(FORMAT, AUTO, None, chunks, resumed=True) == whole


def test_a_value_left_open_ends_where_the_next_call_begins() -> None:
    text = '<function name="f"><param name="a">x</function> <function name="f"></function>'
    assert streamed(FORMAT, AUTO, None, [[text]]) == ("", "", [("f", '{"a": "x"}'), ("f", "{}")])


@pytest.mark.parametrize(
    ("value", "arguments"),
    [
        ("{'a': 'x', 'b': '2'}", '{"a": "x", "b": 2}'),
        ('{"a": 1, "c": "x"}', '{"a": "1", "c": "x"}'),
        ('{"c": 1}', '{"arguments": {"c": 1}}'),
        ("x", '{"arguments": "x"}'),
    ],
)
def test_parameters_wrapped_in_one(value: str, arguments: str) -> None:
    schema = {"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}
    context = Context(tools=(Tool("f", schema),), tool_choice="auto")
    text = f'<function name="f"><param name="arguments">{value}</param></function>'
    chunks = [[piece] for piece in characters([text])]
    assert streamed(FORMAT, context, None, chunks, resumed=True)[2] == [("f", arguments)]


@pytest.mark.parametrize(
    "state", [[], [[1, 1, 1, "", "a", "", "f"], 0], [[1, 1, 1, "", "a", "", "f"], 0, "&" * 11]]
)
def test_malformed_states(state: object) -> None:
    with pytest.raises(ValueError, match="malformed"):
        FORMAT.resume(["", ["value", ""], state, [1, 0, ""]], AUTO)
