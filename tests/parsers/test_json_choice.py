"""Forced calls as plain JSON, for formats whose `forced` says so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from parsers import Context, Special, Tool
from parsers.format import Format
from parsers.formats.hermes import HERMES
from parsers.formats.json_choice import JSON_CHOICE
from parsers.formats.think import DEEPSEEK_R1

from .support import characters, streamed

FORMAT = Format(replace(HERMES, forced=JSON_CHOICE), DEEPSEEK_R1, {"<think>": 1, "</think>": 2}, ())
TOOLS = (Tool("f"), Tool("g"))
REQUIRED = Context(tools=TOOLS, tool_choice="required")
NAMED = Context(tools=TOOLS, tool_choice="named", named_tool="f")

_CASES: list[tuple[Context, str, str, list[tuple[str, str]]]] = [
    (REQUIRED, '[{"name": "f", "parameters": {"a":1}}]', "", [("f", '{"a": 1}')]),
    (
        REQUIRED,
        '\n[ {"name": "f", "parameters": {}} ,\n {"name": "g", "parameters": {"b": "]}"}} ]\n',
        "",
        [("f", "{}"), ("g", '{"b": "]}"}')],
    ),
    (REQUIRED, '[{"description": "d", "name": "f", "parameters": {}}]', "", [("f", "{}")]),
    (REQUIRED, '[{"name": "f", "parameters": {"a": [1, ', "", [("f", '{"a": [1')]),
    (REQUIRED, "Just [text] and {x}.", "Just [text] and {x}.", []),
    (REQUIRED, "So [", "So [", []),
    (REQUIRED, '[{"name": "f"}]', '[{"name": "f"}]', []),
    (REQUIRED, '[{"name": "f", "parameters": {}}] then', " then", [("f", "{}")]),
    (REQUIRED, '[{"name": "f", "parameters": {}} so', " so", [("f", "{}")]),
    (NAMED, '{"a":1, "b" : [ 1,2 ]}', "", [("f", '{"a":1, "b" : [ 1,2 ]}')]),
    (
        NAMED,
        ' {"a": "\\u00e9\\/", "n": 1E5, "t":true}\n',
        "",
        [("f", ' {"a": "\\u00e9\\/", "n": 1E5, "t":true}\n')],
    ),
    (NAMED, "{}", "", [("f", "{}")]),
    (NAMED, "{ }", "", [("f", "{ }")]),
    (NAMED, '{\n "a": "x', "", [("f", '{\n "a": "x')]),
    (NAMED, '{"a": tru', "", [("f", '{"a": tru')]),
    (NAMED, '{"a": "x\ny", "b": NaN}', "", [("f", '{"a": "x\\ny", "b": null}')]),
    (NAMED, '{"a": {', "", [("f", '{"a": {')]),
    (NAMED, '{"a": {}', "", [("f", '{"a": {}')]),
    (NAMED, '{"a": 1,}', "}", [("f", '{"a": 1,')]),
    (NAMED, '{"a": [1,]}', "]}", [("f", '{"a": [1,')]),
    (NAMED, '{"a": 1} and {"b": 2}', 'and {"b": 2}', [("f", '{"a": 1} ')]),
    (NAMED, "A {x} brace.", "A {x} brace.", []),
    (NAMED, "{ ", "", [("f", "{ ")]),
    (NAMED, " " * 300 + "{}", " " * 300 + "{}", []),
    (NAMED, " {} ", "", [("f", " {} ")]),
    (NAMED, "{x}", "x}", [("f", "{")]),
    (NAMED, "Just text.", "Just text.", []),
]  # fmt: skip


@pytest.mark.parametrize(("context", "text", "content", "calls"), _CASES)
def test_forced_calls(
    context: Context, text: str, content: str, calls: list[tuple[str, str]]
) -> None:
    pieces = ["Hm.", Special("</think>"), text]
    result = FORMAT.parse(pieces, context)
    assert (result.reasoning, result.content) == ("Hm.", content)
    assert [tuple(call) for call in result.calls] == calls
    for resumed in (False, True):
        chunks = [[piece] for piece in characters(pieces)]
        assert streamed(FORMAT, context, None, chunks, resumed=resumed) == ("Hm.", content, calls)


@pytest.mark.parametrize("codec", [[], ["", []], [1, ["^", "", ""]], ["", ["s", "x", ""]]])
def test_malformed_states_are_refused(codec: Any) -> None:
    state = ["", ["content", ""], codec, FORMAT.start(NAMED, None).snapshot()[3]]
    with pytest.raises(ValueError, match="malformed"):
        FORMAT.resume(state, NAMED)
