"""Streams at vLLM's pace: what has come after each chunk is what vLLM had sent, as recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import parsers
from parsers import Arguments, Content, Context, Event, Piece, Reasoning, Special, Tool, ToolCall
from parsers.format import Format
from parsers.pace import REASONINGS, TOOLS, PaceError
from parsers.paced_stream import PacedStream, is_paced

from .support import context_of, format_of, recorded

GOLDEN = Path(__file__).parents[1] / "golden" / "pace"
FILES = sorted(path.stem for path in GOLDEN.glob("*.jsonl"))

# Reasoning, content, and name and arguments of each call.
Sent = tuple[str, str, dict[int, list[str]]]


def streams(file: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The case of golden/parsers, and what was recorded of it chunk by chunk."""
    cases = {case["name"]: case for case in recorded(file)[1]}
    with (GOLDEN / f"{file}.jsonl").open(encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            yield cases[line["name"]], line


def chunks(fmt: Format, line: dict[str, Any]) -> list[list[Piece]]:
    specials = set(fmt.specials.values())
    return [
        [
            piece
            if isinstance(piece, str)
            else Special(piece[0])
            if piece[0] in specials
            else piece[0]
            for piece in step[0]
        ]
        for step in line["steps"]
    ]


def add(sent: Sent, events: list[Event]) -> Sent:
    reasoning, content, calls = sent
    for event in events:
        match event:
            case Reasoning(text):
                reasoning += text
            case Content(text):
                content += text
            case ToolCall(index, name, _):
                calls.setdefault(index, ["", ""])[0] += name
            case Arguments(index, text):
                calls.setdefault(index, ["", ""])[1] += text
    return reasoning, content, calls


def theirs(line: dict[str, Any]) -> Iterator[Sent]:
    reasoning, content = "", ""
    calls: dict[int, list[str]] = {}
    for _, more_reasoning, more_content, parts in line["steps"]:
        reasoning, content = reasoning + more_reasoning, content + more_content
        for index, name, arguments in parts:
            call = calls.setdefault(index, ["", ""])
            call[0] += name
            call[1] += arguments
        yield reasoning, content, calls


def resumed(fmt: Format, stream: PacedStream, context: Context) -> PacedStream:
    saved = json.loads(json.dumps(stream.snapshot()))
    assert is_paced(saved)
    again = fmt.resume(saved, context)
    assert isinstance(again, PacedStream)
    return again


@pytest.mark.parametrize("file", FILES)
def test_each_chunk_brings_what_vllms_brings(file: str) -> None:
    """Resumed after every chunk of one token."""
    fmt = format_of(file).at_vllm_pace()
    for case, line in streams(file):
        context = context_of(case["request"])
        stream = fmt.start(context, case["prompt_ids"])
        assert isinstance(stream, PacedStream)
        sent: Sent = "", "", {}
        parts = chunks(fmt, line)
        for number, (part, expected) in enumerate(zip(parts, theirs(line), strict=True)):
            events = stream.feed(part)
            if line["plan"] == "one":
                stream = resumed(fmt, stream, context)
            if number == len(parts) - 1:
                events += stream.finish(case["finish_reason"])
            sent = add(sent, events)
            assert sent == expected, f"{case['name']} ({line['plan']}), chunk {number}"


@pytest.mark.parametrize("file", FILES)
def test_released_at_any_chunk_the_answer_is_the_same(file: str) -> None:
    fmt = format_of(file).at_vllm_pace()
    for case, line in streams(file):
        context = context_of(case["request"])
        *_, whole = theirs(line)
        parts = chunks(fmt, line)
        if line["plan"] == "one" and len(parts) > 60:
            continue
        for place in range(0, len(parts), 9):
            stream = fmt.start(context, case["prompt_ids"])
            sent: Sent = "", "", {}
            for number, part in enumerate(parts):
                assert isinstance(stream, PacedStream)
                stream.keeps_pace = number < place
                sent = add(sent, stream.feed(part))
                stream = resumed(fmt, stream, context)
            sent = add(sent, stream.finish(case["finish_reason"]))
            assert sent == whole, f"{case['name']} ({line['plan']}), from chunk {place} on"


CALLING = Context(tools=(Tool("run", None),), tool_choice="auto")


@pytest.mark.parametrize("rest", ["", ", oh</tool_call>"])
def test_a_name_that_is_out_is_no_content(rest: str) -> None:
    """The output ends, or goes wrong, before the arguments of a call whose name vLLM has sent."""
    stream = format_of("hermes@plain").at_vllm_pace().start(CALLING)
    events = stream.feed(["Well. ", '<tool_call>{"name": "run"'])
    events += stream.feed([rest] if rest else [])
    assert add(("", "", {}), events + stream.finish("length"))[2] == {0: ["run", ""]}
    assert not any("name" in event.text for event in events if isinstance(event, Content))


def test_what_json_does_not_know_is_sent_once() -> None:
    stream = format_of("hermes@plain").at_vllm_pace().start(CALLING)
    sent: Sent = "", "", {}
    for piece in ['<tool_call>{"name": "run", "arguments": {"a": NaN', ', "b": 1', "}}"]:
        sent = add(sent, stream.feed([piece]))
    assert sent[2] == {0: ["run", '{"a": NaN, "b": 1}']}


def test_every_pace_is_recorded() -> None:
    formats = [format_of(file) for file in FILES]
    assert {fmt.tool for fmt in formats} >= set(TOOLS)
    assert {fmt.reasoning for fmt in formats} >= set(REASONINGS)


def test_names_without_a_pace() -> None:
    with pytest.raises(PaceError, match="not known for pythonic"):
        parsers.load("pythonic", None, {}).at_vllm_pace()


@pytest.mark.parametrize(
    "policy",
    [
        [[0, 1, ""], ["", "", "", "", None, None], [0]],
        [[0, 1, ""], ["x", "text", "", "", None, None], [0, 1]],
        [[0, 1, ""], ["", "", "", "", 3, None], [0, 1]],
        [[0, 1, ""], ["", "", "", "", None, [0, "name"]], [0, 1]],
        [[0, 1, ""], ["", "", "", "", None, [-1, "name", ""]], [0, 1]],
        [[0, 1], ["", "", "", "", None, None], [0, 1]],
    ],
)
def test_malformed_snapshots(policy: list[Any]) -> None:
    fmt = format_of("hermes+qwen3").at_vllm_pace()
    with pytest.raises(ValueError, match="malformed"):
        fmt.resume(["", ["content", ""], None, policy], Context())
