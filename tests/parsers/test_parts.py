"""Formats whose output is in parts: Harmony's headers, sections, and malformed states of both."""

from __future__ import annotations

import pytest

import parsers
from parsers import Context, Result, Tool
from parsers.codecs.harmony import ANSWER, CALL, OTHER, THOUGHT, route
from parsers.limits import MAX_HEAD

from .bits import SPECIALS, pieces_from
from .support import Joined, characters, streamed

AUTO = Context(tools=(Tool("f"),), tool_choice="auto")


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("<|channel|>analysis", (THOUGHT, "")),
        ("<|start|>assistant<|channel|>final", (ANSWER, "")),
        ("<|channel|>commentary", (ANSWER, "")),
        ("<|channel|>final json", (ANSWER, "")),
        ("<|channel|>final <|constrain|>json", (ANSWER, "")),
        ("<|channel|>commentary to=functions.f", (CALL, "f")),
        ("<|channel|>commentary to=functions.f<|constrain|>json", (CALL, "f")),
        (" to=f<|channel|>commentary json", (CALL, "f")),
        ("<|start|>assistant to=functions.a.b<|channel|>analysis json", (CALL, "a.b")),
        ("<|channel|>commentary to=python code", (OTHER, "")),
        ("<|channel|>commentary to=browser.search", (OTHER, "")),
        ("<|channel|>analysis to=python code", (THOUGHT, "")),
        ("<|start|>functions.f to=assistant<|channel|>commentary", (OTHER, "")),
        ("", (ANSWER, "")),
        ("<|channel|>", ("", "")),
        ("Hello", ("", "")),
        ("<|channel|>commentary to=f to=g", ("", "")),
        ("<|channel|>final so be it", ("", "")),
    ],
)
def test_headers(header: str, found: tuple[str, str]) -> None:
    assert route(header) == found


@pytest.mark.parametrize("length", [MAX_HEAD, MAX_HEAD + 1, 1000])
def test_text_without_a_header_is_an_answer(length: int) -> None:
    fmt, text = parsers.load("openai", "openai_gptoss", SPECIALS), "a" * length
    assert fmt.parse([text], AUTO) == Result(None, text, [])
    chunks = [[piece] for piece in characters([text])]
    assert streamed(fmt, AUTO, None, chunks, resumed=True) == ("", text, [])


@pytest.mark.parametrize(
    ("include", "text", "result"),
    [
        (True, "<|START_THINKING|> a <|END_THINKING|> b ", ("a", " b", [])),
        (True, "<|START_THINKING|> \n<|END_THINKING|> b", ("", "b", [])),
        (False, "<|START_THINKING|> a <|END_THINKING|> b", ("", " b", [])),
        (True, "<|START_RESPONSE|>a" + " " * 300, ("", "a" + " " * 256, [])),
    ],
)
def test_sections_are_trimmed(include: bool, text: str, result: Joined) -> None:
    fmt = parsers.load("cohere_command3", "cohere_command3", SPECIALS)
    context = Context(include_reasoning=include)
    pieces = pieces_from(text, SPECIALS)
    assert streamed(fmt, context, None, [pieces]) == result
    chunks = [[piece] for piece in characters(pieces)]
    assert streamed(fmt, context, None, chunks, resumed=True) == result


@pytest.mark.parametrize(
    ("tool", "state"),
    [
        ("openai", ["", ["header", ""], ["", [".", "", ""]], [0, 0, ""]]),
        ("openai", ["", ["header", ""], [1, ["^", "", ""]], [0, 0, ""]]),
        ("openai", ["", ["answer", ""], None, [0, 4, ""]]),
        ("cohere_command3", ["", ["content", ""], None, [0, 3, ""]]),
        ("muse_glimmer", ["", ["content", ""], None, [0, 0, "", "x"]]),
    ],
)
def test_malformed_states(tool: str, state: object) -> None:
    with pytest.raises(ValueError, match="malformed"):
        parsers.load(tool, None, SPECIALS).resume(state, AUTO)


def test_the_vocabulary_chooses_mistrals_syntax() -> None:
    both = {"[TOOL_CALLS]": 1, "[ARGS]": 2, "[THINK]": 3, "[/THINK]": 4}
    named = parsers.load("mistral", "mistral", both)
    text = '[THINK]Hm.[/THINK][TOOL_CALLS]f[ARGS]{"a":1}'
    assert named.parse(pieces_from(text, both), AUTO).calls == [("f", '{"a":1}')]
    old = {"[TOOL_CALLS]": 1}
    arrays = parsers.load("mistral", "mistral", old)
    text = '[TOOL_CALLS][{"name": "f", "arguments": {"a":1}}]'
    assert arrays.parse(pieces_from(text, old), AUTO).calls == [("f", '{"a": 1}')]
    with pytest.raises(parsers.MissingMarkerError, match=r"\[TOOL_CALLS\]"):
        parsers.load("mistral", None, {})
