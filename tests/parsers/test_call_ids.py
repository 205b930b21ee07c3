"""IDs that the model writes for its calls (Kimi K2): the client must see the same ones."""

from __future__ import annotations

import pytest

import parsers
from parsers import Context, Piece, Special, Tool, ToolCall

from .bits import SPECIALS

AUTO = Context(tools=(Tool("run"),), tool_choice="auto")
SECTION, CALL = Special("<|tool_calls_section_begin|>"), Special("<|tool_call_begin|>")
ARGUMENTS, END = Special("<|tool_call_argument_begin|>"), Special("<|tool_call_end|>")


def call(header: str) -> list[Piece]:
    return [CALL, header, ARGUMENTS, "{}", END]


@pytest.mark.parametrize(
    ("header", "name", "written"),
    [
        ("functions.run:0", "run", "functions.run:0"),
        (" \nfunctions.run:12 ", "run", "functions.run:12"),
        ("run:3", "run", "run:3"),
        ("functions.run:3 now", "run", "functions.run:3"),
        ("functions.a:run:4", "a", "functions.a:run:4"),
    ],
)
def test_the_header_is_the_id(header: str, name: str, written: str) -> None:
    fmt = parsers.load("kimi_k2", vocab=SPECIALS)
    events = fmt.start(AUTO).feed([SECTION, *call(header)])
    assert events[0] == ToolCall(0, name, written)
    assert fmt.parse([SECTION, *call(header)], AUTO).ids == (written,)


def test_an_id_for_each_call() -> None:
    fmt = parsers.load("kimi_k2", vocab=SPECIALS)
    pieces = [SECTION, *call("functions.run:7"), *call("functions.run:8")]
    assert fmt.parse(pieces, AUTO).ids == ("functions.run:7", "functions.run:8")


def test_other_formats_have_none() -> None:
    fmt = parsers.load("hermes")
    result = fmt.parse(['<tool_call>{"name": "run", "arguments": {}}</tool_call>'], AUTO)
    assert [made.name for made in result.calls] == ["run"]
    assert result.ids == ()
