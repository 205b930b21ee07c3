"""States come back through clients: a malformed one is a ValueError, and none ever crashes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers import Content, Context

from .outputs import SPECIALS, outputs, pieces_from
from .support import characters
from .test_properties import AUTO, COMBINATIONS, every_combination, loaded, modest

CONTINUATION = pieces_from(
    'x": 1, "y": "z"}}\n</tool_call></parameter></function> <tool_call>\n'
    '{"name": "run", "arguments": {}}</tool_call> <function=a><parameter=b>c',
    SPECIALS,
)
ODD = st.sampled_from(
    [None, True, -1, 0, 1, 2, 3, 10**30, 1.5, "", "x", "{", '"', "\\", [], {}, ["s"]]
)
LETTERS = st.sampled_from([*'^skw:v,.{}[]q"\\u1e-', "call", "value", "content", "key", "{[{"])


@every_combination
@modest
@given(data=st.data())
def test_a_changed_state_is_refused_or_harmless(
    tool: str | None, reasoning: str | None, data: st.DataObject
) -> None:
    fmt = loaded(tool, reasoning)
    stream = fmt.start(AUTO, None)
    pieces = characters(data.draw(outputs(tool, reasoning, SPECIALS)))
    stream.feed(pieces[: data.draw(st.integers(0, len(pieces)))])
    state = changed(stream.snapshot(), data)
    try:
        resumed = fmt.resume(state, AUTO)
    except ValueError:
        return
    resumed.feed(CONTINUATION)
    json.dumps(resumed.snapshot())
    resumed.finish("stop")


def changed(node: Any, data: st.DataObject) -> Any:
    """The state with some of its values replaced, dropped or repeated."""
    if isinstance(node, list) and node and data.draw(st.integers(0, 9)):
        at = data.draw(st.integers(0, len(node) - 1))
        how = data.draw(st.sampled_from(["in", "in", "in", "drop", "twice"]))
        if how == "in":
            return [changed(item, data) if i == at else item for i, item in enumerate(node)]
        return node[:at] + node[at + 1 :] if how == "drop" else [*node, node[at]]
    return data.draw(LETTERS) if isinstance(node, str) else data.draw(ODD)


NO_STATES: list[object] = [
    None,
    1,
    "x",
    [],
    {},
    [""],
    ["", ["nowhere", ""], None, [0, 0, ""]],
    ["", ["content", ""], [0], [0, 0, ""]],
    ["", ["content", ""], None, [0, 9, ""]],
    ["", ["content", 1], None, [0, 0, ""]],
    ["", ["content", ""], None, [-1, 0, ""]],
]


@pytest.mark.parametrize("state", NO_STATES)
def test_what_is_no_state(state: object) -> None:
    for tool, reasoning in COMBINATIONS:
        with pytest.raises(ValueError, match="malformed parser state"):
            loaded(tool, reasoning).resume(state, AUTO)


IN_CALL = ["call", "<tool_call>"]
NO_CALLS: list[list[object]] = [
    [0],
    [3, "v", ["s", "{", ""]],
    [1, "k", ["s", "", ""]],
    [1, "v", None],
    [0, ",", None],
    [2, "?", None],
    [2, ",", ["s", "", ""]],
    [1, "v", ["?", "", ""]],
    [1, "v", ["s", "(", ""]],
    [1, "v", ["s", "{" * 300, ""]],
    [1, "v", [",", "", ""]],
    [1, "v", ["k", "[", ""]],
    [0, "v", ["s", "", ""], 1, "", "n", [0, 0, 0]],
    [0, "v", ["s", "", ""], "f", "", "n", [0, 0]],
    [0, "v", ["s", "", ""], "f", "", "n", [0, 0, -1]],
    [1, "v", ["s", "", ""], "f", "", "n", [0, 0, 0]],
]


@pytest.mark.parametrize("call", NO_CALLS)
def test_what_is_no_call(call: list[object]) -> None:
    with pytest.raises(ValueError, match="malformed parser state"):
        loaded("hermes", None).resume(["", IN_CALL, call, [1, 0, ""]], AUTO)


def test_a_name_that_is_no_json_rejects_the_call() -> None:
    """Only a forged state can hold one."""
    call = [0, "v", ["s", "", ""], None, "{\\", "n", [1, 0, 0]]
    stream = loaded("hermes", None).resume(["", IN_CALL, call, [0, 0, ""]], AUTO)
    assert stream.feed(['"} ok']) == [Content('<tool_call>{\\"} ok')]


def test_a_state_of_another_request_is_refused() -> None:
    """Without tools there is no call to be in."""
    fmt = loaded("hermes", None)
    stream = fmt.start(AUTO)
    stream.feed(['<tool_call>{"name": "run", "arguments": {'])
    with pytest.raises(ValueError, match="malformed"):
        fmt.resume(stream.snapshot(), Context())


def test_a_snapshot_is_short() -> None:
    """Plain text leaves next to nothing behind."""
    stream = loaded("hermes", "qwen3").start(AUTO, [1, 2])
    assert stream.feed(["Hello " * 1000]) == [Content("Hello " * 1000)]
    assert stream.snapshot() == ["", ["content", ""], None, [0, 1, ""]]


@pytest.mark.parametrize("tool", ["gemma4", "functiongemma"])
def test_a_body_without_its_bracket_is_no_call(tool: str) -> None:
    """Found by fuzzing: a state whose call has not begun, before text that begins none."""
    stream = loaded(tool, None).resume(["", ["body", ""], None, [0, 1, ""]], AUTO)
    assert stream.feed(["x"]) + stream.finish("stop") in ([], [Content("x")])
