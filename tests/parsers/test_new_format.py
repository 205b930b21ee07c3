"""A new format is data: two families that no registered name has yet, on the same machine."""

from __future__ import annotations

import pytest

from parsers import Call, Context, Result, Special, Tool
from parsers.codecs.json_object import JsonObject
from parsers.codecs.tagged_parameters import TaggedParameters
from parsers.format import Format
from parsers.parts import CONTENT, ToolFormat
from parsers.regions import BROKEN, DONE, REJECTED, Op, Region, Sink, To, token

from .support import characters, streamed

AUTO = Context(tools=(Tool("f"),), tool_choice="auto")

# A marker, then a JSON array of calls.
ARRAY = ToolFormat(
    name="array",
    codec=JsonObject(),
    content={"<|calls|>": token("list")},
    regions={
        "list": Region(sink=Sink.HOLD, on={"[": To("items")}, otherwise=CONTENT),
        "items": Region(
            sink=Sink.GAP,
            on={"{": To("item", again=True), ",": To("items"), "]": To(CONTENT)},
            otherwise=CONTENT,
        ),
        "item": Region(
            sink=Sink.BODY,
            on={DONE: To("items"), BROKEN: To(CONTENT), REJECTED: To(CONTENT)},
            in_call=True,
        ),
    },
)

# <invoke name="f"><arg k="x">1</arg></invoke>, of which one tag begins another.
INVOKE = ToolFormat(
    name="invoke",
    codec=TaggedParameters(),
    content={'<invoke name="': To("name"), "<invoke": To("bare")},
    regions={
        "bare": Region(sink=Sink.CONTENT),
        "name": Region(
            sink=Sink.CAPTURE, on={'">': To("args", (Op.CALL,))}, otherwise=CONTENT, in_call=True
        ),
        "args": Region(
            sink=Sink.GAP,
            on={'<arg k="': To("key"), "</invoke>": To(CONTENT, (Op.CALL_END,))},
            otherwise=CONTENT,
            in_call=True,
        ),
        "key": Region(
            sink=Sink.CAPTURE, on={'">': To("value", (Op.KEY,))}, otherwise="args", in_call=True
        ),
        "value": Region(sink=Sink.VALUE, on={"</arg>": To("args", (Op.VALUE_END,))}, in_call=True),
    },
)


def test_a_json_array_of_calls() -> None:
    fmt = Format(ARRAY, None, {"<|calls|>": 1}, ())
    pieces = ["Hi ", Special("<|calls|>"), ' [{"name": "f", "arguments": {}}, ']
    pieces += ['{"name": "g", "arguments": {"a":1}}] ok']
    calls = [Call("f", "{}"), Call("g", '{"a": 1}')]
    assert fmt.parse(pieces, AUTO) == Result(None, "Hi  ok", calls)
    assert streamed(fmt, AUTO, None, [[c] for c in characters(pieces)], resumed=True)[2] == calls


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (
            '<invoke name="f"><arg k="x">1</arg></invoke>',
            Result(None, None, [Call("f", '{"x": "1"}')]),
        ),
        ('a <invoke b="', Result(None, 'a  b="', [])),
        ("a <invoke", Result(None, "a ", [])),
    ],
)
def test_a_tag_that_begins_another(text: str, result: Result) -> None:
    fmt = Format(INVOKE, None, {}, ())
    assert fmt.parse([text], AUTO) == result
    assert fmt.parse(list(text), AUTO) == result
