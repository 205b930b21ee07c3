"""What is held back has bounds, and they depend on the text alone, not on how it is cut."""

from __future__ import annotations

import json

import pytest

from parsers import Context, Piece, Special, Tool
from parsers.limits import MAX_HEAD

from .outputs import pieces_from
from .support import Joined, characters, streamed
from .test_properties import AUTO, SPECIALS, loaded


def parsed(
    tool: str, pieces: list[Piece], reasoning: str | None = None, context: Context = AUTO
) -> Joined:
    fmt = loaded(tool, reasoning)
    whole = streamed(fmt, context, [1, 2], [pieces])
    chars = [[piece] for piece in characters(pieces)]
    assert streamed(fmt, context, [1, 2], chars, resumed=True) == whole
    return whole


LONG_NAME = "n" * 129


@pytest.mark.parametrize(
    ("text", "content", "calls"),
    [
        (f"<function={LONG_NAME}", f"<function={LONG_NAME}", []),
        (f"<function={LONG_NAME}><function=run>", f"<function={LONG_NAME}>", [("run", "{}")]),
        (f"<function={LONG_NAME[1:]}>", "", [(LONG_NAME[1:], "{}")]),
        (
            f"<function=run><parameter={LONG_NAME}>1</parameter><parameter=a>2</parameter></function>",
            f"<parameter={LONG_NAME}>1</parameter>",
            [("run", '{"a": "2"}')],
        ),
    ],
)
def test_names_are_short(text: str, content: str, calls: list[tuple[str, str]]) -> None:
    assert parsed("qwen3_coder", [text]) == ("", content, calls)


@pytest.mark.parametrize("count", [256, 257, 300, 5000])
@pytest.mark.parametrize("tool", ["hermes", "qwen3_coder"])
def test_blanks(tool: str, count: int) -> None:
    """Too many to be framing are content, before a call and after the tag that opens one."""
    blanks, call = "\n" * count, {"hermes": "<tool_call>", "qwen3_coder": "<function=run>"}[tool]
    if tool == "hermes":
        call += '{"name": "run", "arguments": {}}'
    held = count <= 256
    kept = "" if held else blanks
    assert parsed(tool, [blanks + call]) == ("", kept, [("run", "{}")])
    if tool == "qwen3_coder":
        opened = [Special("<tool_call>"), blanks, "<function=run></function>"]
        # The tag is content then; white space at the end of content is not, while it is short.
        kept = "<tool_call>" + ("" if held else blanks)
        assert parsed(tool, opened) == ("", kept, [("run", "{}")])


def test_blanks_that_were_let_go_stay_content() -> None:
    blanks = "\n" * 300
    text = f"a{blanks}<function=run></function>{blanks}b \n<function=run></function>\n"
    calls = [("run", "{}")] * 2
    assert parsed("qwen3_coder", [text]) == ("", f"a{blanks}{blanks}b", calls)


@pytest.mark.parametrize("tool", ["llama3_json", "hermes"])
def test_an_object_must_become_a_call_soon(tool: str) -> None:
    """But for the arguments, which may come before the name."""
    key = "parameters" if tool == "llama3_json" else "arguments"
    tag = "" if tool == "llama3_json" else "<tool_call>"
    room = MAX_HEAD - len(json.dumps({"x": "", "name": "run", key: 0})) + len("0}")
    for more in range(-1, 3):
        text = tag + json.dumps({"x": "y" * (room + more), "name": "run", key: {}})
        expected = ("", "", [("run", "{}")]) if more < 0 else ("", text, [])
        assert parsed(tool, [text]) == expected
    value = {"a": ["y" * 2000, 1.50, "é"]}
    early = tag + json.dumps({key: value, "name": "run"})
    assert parsed(tool, [early]) == ("", "", [("run", json.dumps(value, ensure_ascii=False))])
    twice = tag + "{" + f'"{key}": {json.dumps(value)}, ' * 2 + '"name": "run"}'
    assert parsed(tool, [twice]) == ("", twice, [])
    broken = tag + '{"x": "' + "y" * 200 + '" nope' + "z" * 2000
    assert parsed(tool, [broken]) == ("", broken, [])


def test_an_endless_name_of_a_call_is_text() -> None:
    text = '<tool_call>{"name": "' + "n" * 300 + '", "arguments": {}}</tool_call> So.'
    assert parsed("hermes", [text]) == ("", text, [])


def test_white_space_that_ends_a_value() -> None:
    """Short, it is none of it; longer, it has been sent."""
    for blanks, kept in ((255, 0), (256, 256), (300, 256), (600, 512)):
        value = f"a{' ' * blanks}"
        text = f'<dots_function_call><invoke name="look"><parameter name="text">{value}</parameter>'
        arguments = json.dumps({"text": f"a{' ' * kept}"})
        assert parsed("dots", [text + "</invoke></dots_function_call>"])[2] == [("look", arguments)]


def test_deep_arguments_are_broken_off() -> None:
    text = '<tool_call>{"name": "run", "arguments": ' + "[" * 300 + "</tool_call> ok"
    assert parsed("hermes", [text]) == ("", "[" * 44 + " ok", [("run", "[" * 256)])


def test_special_tokens_end_what_looked_like_a_marker() -> None:
    """One that is no marker in a gap is looked at again by the region after it."""
    for piece in ("<think>", "<|im_end|>", "<|python_tag|>"):
        assert parsed("hermes", ["<tool", Special(piece), "_call>"])[1] == f"<tool{piece}_call>"
    # One that is dropped breaks it too.
    assert parsed("hermes", ["<tool", Special("<|im_end|>"), "_call>"], "qwen3")[1] == "<tool_call>"
    text = '<tool_call>{"name": "run", "arguments": {}}</tool_call>'
    # `</think>` is markup of the answer, though not of the gap after a call.
    pieces = [*pieces_from(text, SPECIALS), "\n", Special("</think>"), "So."]
    assert parsed("hermes", pieces, "qwen3") == ("", "\nSo.", [("run", "{}")])
    pieces = ["<function=run></func", Special("</tool_call>"), "b"]
    assert parsed("qwen3_coder", pieces) == ("", "</funcb", [("run", "{}")])


def test_names_of_calls_can_be_sent() -> None:
    text = '<tool_call>{"name": "a\\ud800", "arguments": {}}'
    assert parsed("hermes", [text])[2] == [("a?", "{}")]


def test_arguments_before_the_name_wait_for_it() -> None:
    text = '<tool_call>{"arguments": {"a":1}, "name": "run", "name": "x", "b": [1]}</tool_call>'
    fmt = loaded("hermes", None)
    stream = fmt.start(AUTO)
    assert stream.feed([text[:40]]) == []
    assert parsed("hermes", [text]) == ("", "", [("run", '{"a": 1}')])


def test_schemas_that_are_none() -> None:
    """What a client may send as a schema never fails."""
    for parameters in ({"properties": []}, {"properties": {"a": 1}}, {"properties": None}, {}):
        context = Context(tools=(Tool("f", parameters),), tool_choice="auto")
        text = "<function=f><parameter=a>1</parameter></function>"
        assert parsed("qwen3_coder", [text], context=context)[2] == [("f", '{"a": "1"}')]


@pytest.mark.parametrize("tool", ["hermes", "qwen3_coder", "step3p5", "llama3_json"])
def test_one_opening_marker_after_another_is_not_kept_for_ever(tool: str) -> None:
    fmt = loaded(tool, None)
    opener = Special("<tool_call>") if "<tool_call>" in fmt.specials.values() else "<tool_call>"
    stream = fmt.start(AUTO, None)
    for _ in range(200):
        stream.feed([opener])
        stream = fmt.resume(stream.snapshot(), AUTO)
        assert len(json.dumps(stream.snapshot())) <= 1024
    parsed(tool, [opener] * 200)
