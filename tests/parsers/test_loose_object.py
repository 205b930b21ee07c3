"""Objects with bare keys: states, limits, and prompts that open a channel."""

from __future__ import annotations

from typing import Any

import pytest

import parsers
from parsers import Context, Special, Tool
from parsers.codecs.loose_object import LooseObject, Typed
from parsers.limits import MAX_HEAD, MAX_LEVELS
from parsers.snapshot import Malformed

VOCAB = {"<|tool_call>": 1, "<tool_call|>": 2, '<|"|>': 3, "<|channel>": 4, "<channel|>": 5}
VOCAB |= {"<|turn>": 6}
NESTED = {
    "properties": {
        "n": {"type": "array", "items": {"properties": {"x": {"type": "integer"}}}},
        "s": {"type": "string"},
    }
}
AUTO = Context(tools=(Tool("f", NESTED),), tool_choice="auto")
FORMAT = parsers.load("gemma4", "gemma4", VOCAB)


def called(body: str) -> tuple[str | None, list[Any]]:
    pieces = [Special("<|tool_call>"), f"call:f{body}", Special("<tool_call|>")]
    result = FORMAT.parse(pieces, AUTO)
    return result.content, [tuple(call) for call in result.calls]


def test_types_follow_the_schema_at_any_depth() -> None:
    assert called("{n:[{x:1},{x:a,y:2}],s:3}") == (
        None, [("f", '{"n": [{"x": 1}, {"x": "a", "y": "2"}], "s": "3"}')],
    )  # fmt: skip


def test_limits() -> None:
    long = "k" * (MAX_HEAD + 1)
    assert called(f"{{{long}:1}}") == (f"{long}:1}}", [("f", "{")])
    content, calls = called("{a:" + "[" * MAX_LEVELS)
    assert content == "["
    assert calls == [("f", '{"a": ' + "[" * (MAX_LEVELS - 1))]


@pytest.mark.parametrize(
    "saved",
    [
        None, [], ["k", "f", "", "", "", [], [], 0], ["?", "f", "", "", "", [], [], 0, 0],
        ["k", "f", "x", "", "", [""], [0], 0, 0], ["k", "f", "{", "", "", [], [0], 0, 0],
        ["v", "f", "", "", "", [], [], 0, 0], ["k", "f", "{", "", "", [""], [-1], 0, 0],
        ["k", "f", "{", "", "", [1], [0], 0, 0], ["k", "f", "{", "", "", "x", [0], 0, 0],
    ],
)  # fmt: skip
def test_malformed_states(saved: object) -> None:
    with pytest.raises(Malformed):
        LooseObject("<escape>", Typed.JSON).resume(saved, AUTO)


@pytest.mark.parametrize(
    ("prompt", "kwargs", "ended"),
    [
        ([6], {}, True), ([6], {"enable_thinking": True}, False), ([6, 4], {}, False),
        ([4, 6], {}, True), ([6, 4, 5], {"enable_thinking": True}, True),
    ],
)  # fmt: skip
def test_where_a_prompt_leaves_reasoning(
    prompt: list[int], kwargs: dict[str, Any], ended: bool
) -> None:
    assert FORMAT.reasoning_ended(prompt, kwargs) is ended
    result = FORMAT.parse(["Hm."], Context(template_kwargs=kwargs), prompt)
    assert (result.reasoning is not None) is (prompt == [6, 4])
