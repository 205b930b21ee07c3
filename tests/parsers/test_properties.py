"""Properties 1 to 6 of a parser, over every registered name and combination."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import parsers
from parsers import FROM_TEMPLATE, Context, Format, Piece, Special
from parsers.registry import PAIRS

from .bits import load, seen
from .families import BY_TOOL, FAMILIES
from .json_prefix import is_json_prefix
from .outputs import (
    PLAIN,
    SPECIAL_IDS,
    SPECIALS,
    TOOLS,
    contexts,
    cut,
    outputs,
    pieces_from,
    well_formed,
    written_call,
)
from .support import added, characters, streamed

NAMES = parsers.names()
# Aliases are the same formats (see test_registry.py), and have golden files of their own.
TOOL_NAMES = [name for name in NAMES["tool"] if load(name).tool == name]
REASONING_NAMES = [name for name in NAMES["reasoning"] if load(None, name).reasoning == name]
# All names alone; with each other where they belong together; the first families crossed.
COMBINATIONS = [
    *((name, None) for name in TOOL_NAMES),
    *((None, name) for name in REASONING_NAMES),
    *product(("hermes", "llama3_json", "qwen3_coder"), ("deepseek_r1", "qwen3")),
    *sorted(
        {
            (tool, reasoning)
            for family in FAMILIES.values()
            for tool, reasoning in family.golden.values()
            if tool in TOOL_NAMES and reasoning in REASONING_NAMES
        }
    ),
]
AUTO = Context(tools=TOOLS, tool_choice="auto")
PROMPTS: list[list[int] | None] = [None, [], [9, 1], [9, 1, 2], [2, 5, 9], [1, 3]]

every_combination = pytest.mark.parametrize(("tool", "reasoning"), COMBINATIONS)
modest = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


@cache
def loaded(tool: str | None, reasoning: str | None, *, plain: bool = False) -> Format:
    vocab = PLAIN if plain else SPECIALS
    return load(tool, reasoning, vocab, SPECIAL_IDS)


def beside(tool: str) -> str:
    """The reasoning that goes with a tool name where any would do."""
    if tool in FROM_TEMPLATE:
        return tool
    return next((pair[1].name for pair in PAIRS if pair[0].name == tool), "qwen3")


@every_combination
@modest
@given(data=st.data())
def test_chunks_and_snapshots_change_nothing(
    tool: str | None, reasoning: str | None, data: st.DataObject
) -> None:
    plain = data.draw(st.booleans())
    fmt = loaded(tool, reasoning, plain=plain)
    pieces = data.draw(outputs(tool, reasoning, seen(fmt, PLAIN if plain else SPECIALS)))
    context, prompt = data.draw(contexts()), data.draw(st.sampled_from(PROMPTS))
    whole = streamed(fmt, context, prompt, [pieces])
    assert streamed(fmt, context, prompt, data.draw(cut(pieces))) == whole
    assert streamed(fmt, context, prompt, data.draw(cut(pieces)), resumed=True) == whole
    assert streamed(fmt, context, prompt, [[c] for c in characters(pieces)], resumed=True) == whole


@every_combination
@modest
@given(data=st.data())
def test_the_state_is_bounded(tool: str | None, reasoning: str | None, data: st.DataObject) -> None:
    """1 KiB, and the text since the last event, which is what can be held back."""
    fmt = loaded(tool, reasoning)
    pieces = data.draw(outputs(tool, reasoning, seen(fmt, SPECIALS)))
    context = data.draw(contexts())
    stream, silent = fmt.start(context, None), 0
    for piece in characters(pieces * 3):
        silent = 0 if stream.feed([piece]) else silent + len(piece.encode())
        size = len(json.dumps(stream.snapshot(), ensure_ascii=False).encode())
        assert size <= 1024 + 4 * silent


@every_combination
@modest
@given(data=st.data())
def test_nothing_is_lost(tool: str | None, reasoning: str | None, data: st.DataObject) -> None:
    """Words put anywhere outside the markup come out again, or were in markup cut short."""
    fmt = loaded(tool, reasoning)
    text = data.draw(well_formed(tool, reasoning))
    words = [f"w{n}w" for n in range(6)]
    tags = data.draw(st.lists(st.sampled_from(["", "<tool_call>", "</tool_call>", "</think>",
        "<think>", "</function>", "<function=look>", "<parameter=text>", "</parameter>", " ", "{",
        "}", "; ", "<"]), min_size=6, max_size=6))  # fmt: skip
    vocab = seen(fmt, SPECIALS)
    pieces = pieces_from(text, vocab)
    for word, tag in zip(words, tags, strict=True):
        pieces += pieces_from(f"{word} {tag}", vocab)
    stream = fmt.start(AUTO, None)
    events = stream.feed(pieces)
    held = json.dumps(stream.snapshot(), ensure_ascii=False)
    found = added(events + stream.finish("stop"))
    out = json.dumps(found, ensure_ascii=False)
    for word in words:
        assert word in out or word in held


@every_combination
@modest
@given(data=st.data())
def test_arguments_are_json(tool: str | None, reasoning: str | None, data: st.DataObject) -> None:
    fmt = loaded(tool, reasoning)
    pieces = data.draw(outputs(tool, reasoning, seen(fmt, SPECIALS)))
    _, _, calls = streamed(fmt, AUTO, None, [pieces])
    for _, arguments in calls:
        assert is_json_prefix(arguments), arguments


@pytest.mark.parametrize("tool", TOOL_NAMES)
@modest
@given(data=st.data())
def test_well_formed_calls_come_out_as_they_are(tool: str, data: st.DataObject) -> None:
    fmt = loaded(tool, None)
    text, name, arguments = data.draw(written_call(tool))
    pieces = pieces_from(text, seen(fmt, SPECIALS))
    reasoning, content, calls = streamed(fmt, AUTO, None, [pieces])
    if tool in BY_TOOL and BY_TOOL[tool].known and all(name != offered.name for offered in TOOLS):
        assert (reasoning, calls) == ("", [])
        assert content.strip()
        assert text.startswith(content.strip())  # a closing tag may be dropped
        return
    assert (reasoning, content) == ("", "")
    assert [call[0] for call in calls] == [name]
    if tool == "qwen3_coder" or (tool in BY_TOOL and not BY_TOOL[tool].exact):
        assert list(json.loads(calls[0][1])) == list(arguments)
    else:
        assert calls[0][1] == json.dumps(arguments, ensure_ascii=False)


LONG: dict[str, Callable[[int], list[Piece]]] = {
    "text": lambda n: [" word"] * n,
    "lines": lambda n: ["a <b\n"] * n,
    "reasoning": lambda n: [Special("<think>"), *[" word"] * n],
    "json string": lambda n: ['<tool_call>{"name": "run", "arguments": {"a": "', *[" wörd\\n"] * n],
    "json numbers": lambda n: ['<tool_call>{"name": "run", "arguments": [', *["1.50, "] * n],
    "bare json": lambda n: ['{"name": "run", "parameters": {"a": "', *[" word"] * n],
    "plain object": lambda n: ["{", *['"key": "value", '] * n],
    "parameter": lambda n: ["<function=run><parameter=a>", *[" word\n<b"] * n],
    "parameters": lambda n: ["<function=run>", *["<parameter=a>1</parameter>"] * n],
    "tags": lambda n: [Special("<tool_call>"), Special("</tool_call>")] * n,
    "open tags": lambda n: ["<tool_call>"] * n,
    "blanks": lambda n: ["\n"] * n,
    "calls": lambda n: ['<tool_call>{"name": "run", "arguments": {}}</tool_call>\n'] * n,
}


@pytest.mark.parametrize("what", LONG)
@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_work_grows_as_the_output(tool: str, what: str) -> None:
    """Lines run for N and 4N pieces, each piece resumed from a snapshot."""
    fmt = loaded(tool, beside(tool))

    def run(count: int) -> None:
        stream = fmt.start(AUTO, [1, 2] if what != "reasoning" else [1])
        for piece in LONG[what](count):
            stream = fmt.resume(stream.snapshot(), AUTO)
            stream.feed([piece])
        stream.finish("length")

    small, large = lines_run(lambda: run(25)), lines_run(lambda: run(100))
    assert large <= 4.4 * small


@pytest.mark.parametrize("what", LONG)
@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_a_long_output_in_one_piece(tool: str, what: str) -> None:
    """All at once: the same events, and work that grows as the text."""
    fmt = loaded(tool, beside(tool))

    def run(count: int) -> Any:
        pieces = LONG[what](count)
        if not any(isinstance(piece, Special) for piece in pieces):
            pieces = ["".join(pieces)]
        stream = fmt.start(AUTO, [1, 2])
        return added(stream.feed(pieces) + stream.finish("length"))

    small, large = lines_run(lambda: run(250)), lines_run(lambda: run(1000))
    assert large <= 4.4 * small
    assert run(500) == streamed(fmt, AUTO, [1, 2], [[piece] for piece in LONG[what](500)])


def lines_run(work: Callable[[], object]) -> int:
    """How many lines of Python the work executes."""
    count = 0

    def trace(frame: Any, event: str, arg: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


CHILD = """
import json, sys
import parsers
from tests.parsers.bits import SPECIAL_IDS, SPECIALS, load
from tests.parsers.test_properties import AUTO
for line in sys.stdin:
    tool, reasoning, state, piece, special = json.loads(line)
    fmt = load(tool, reasoning, SPECIALS, SPECIAL_IDS)
    stream = fmt.resume(state, AUTO)
    events = stream.feed([parsers.Special(piece) if special else piece])
    named = [[type(event).__name__, *event] for event in events]
    print(json.dumps([named, stream.snapshot()]), flush=True)
"""


def test_a_snapshot_crosses_processes() -> None:
    """Every piece of one output a combination is parsed in another process."""
    text = 'Hm.</think>So: <tool_call>\n{"name": "look", "arguments": {"text": "é\\u00e9"'
    kinds = {kind.__name__: kind for kind in (
        parsers.Reasoning, parsers.Content, parsers.ToolCall, parsers.Arguments
    )}  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin
        assert child.stdout
        for tool, reasoning in COMBINATIONS:
            fmt = loaded(tool, reasoning)
            pieces = characters(pieces_from(text, SPECIALS))
            stream, events = fmt.start(AUTO, None), []
            state = stream.snapshot()
            for piece in pieces:
                special = isinstance(piece, Special)
                print(
                    json.dumps([tool, reasoning, state, piece, special]),
                    file=child.stdin,
                    flush=True,
                )
                named, state = json.loads(child.stdout.readline())
                events += [kinds[name](*fields) for name, *fields in named]
            events += fmt.resume(state, AUTO).finish("length")
            assert added(events) == streamed(fmt, AUTO, None, [pieces])
        child.stdin.close()
