"""Property 7: vLLM's answers, recorded, but for the differences that have a reason."""

from __future__ import annotations

import json
from typing import Any

import pytest

from parsers import Format
from parsers.registry import TOOL_FORMATS

from .differences import REASONS, Difference, reason_of, usual_prompt
from .support import (
    FILES,
    GOLDEN,
    added,
    answer,
    context_of,
    finish_reason,
    format_of,
    is_streamed,
    pieces_of,
    recorded,
    streamed,
    whole,
)

DIFFERENCES: dict[str, dict[str, Any]] = json.loads((GOLDEN / "differences.json").read_text())


@pytest.mark.parametrize("file", FILES)
def test_whole_answers(file: str) -> None:
    for case in recorded(file)[1]:
        ours, theirs = answer(file, case), whole(case)
        different = DIFFERENCES.get(file, {}).get(case["name"])
        if different is None:
            assert ours == theirs, case["name"]
        elif different == "stream":
            assert is_streamed(ours, case), case["name"]
        else:
            assert ours == different, case["name"]


@pytest.mark.parametrize("file", FILES)
def test_streamed_answers_add_up_to_the_whole_one(file: str) -> None:
    """Token by token, resumed after each; only the blanks before content may be more."""
    fmt = format_of(file)
    for case in recorded(file)[1]:
        context, pieces = context_of(case["request"]), pieces_of(case, fmt)
        chunks = [[piece] for piece in pieces]
        reasoning, content, calls = streamed(
            fmt, context, case["prompt_ids"], chunks, resumed=True, reason=case["finish_reason"]
        )
        ours = answer(file, case)
        assert reasoning == (ours["reasoning"] or ""), case["name"]
        assert [list(call) for call in calls] == ours["calls"], case["name"]
        expected = ours["content"] or ""
        if _may_lead_with_blanks(fmt, case):
            content, expected = content.lstrip(), expected.lstrip()
        if ours["content"] == "":  # null or "" is a matter of whole answers
            content = content.strip()
        assert content == expected, case["name"]


def _may_lead_with_blanks(fmt: Format, case: dict[str, Any]) -> bool:
    tool = TOOL_FORMATS.get(fmt.tool or "")
    choice = context_of(case["request"]).tool_choice
    forms = (tool, *tool.variants.values()) if tool else ()
    trims = any(form.trims and choice not in form.forced for form in forms)
    return trims and bool(answer_calls(fmt, case))


def answer_calls(fmt: Format, case: dict[str, Any]) -> list[tuple[str, str]]:
    stream = fmt.start(context_of(case["request"]), case["prompt_ids"])
    return added(stream.feed(pieces_of(case, fmt)) + stream.finish("stop"))[2]


@pytest.mark.parametrize("file", FILES)
def test_called_drives_finish_reason(file: str) -> None:
    fmt = format_of(file)
    for case in recorded(file)[1]:
        stream = fmt.start(context_of(case["request"]), case["prompt_ids"])
        stream.feed(pieces_of(case, fmt))
        stream.finish(case["finish_reason"])
        assert finish_reason(case, stream.called) == answer(file, case)["finish_reason"]


def test_each_difference_is_real_and_has_a_reason() -> None:
    used = set()
    for file, different in DIFFERENCES.items():
        cases = {case["name"]: case for case in recorded(file)[1]}
        asked = usual_prompt(recorded(file)[1])
        for name in different:
            ours, theirs = answer(file, cases[name]), whole(cases[name])
            assert ours != theirs, f"{file}: {name} is no difference"
            reason = reason_of(Difference(cases[name], ours, theirs, asked))
            assert reason, f"{file}: {name} needs a reason"
            used.add(reason)
    assert used == set(REASONS)


@pytest.mark.parametrize("file", FILES)
def test_enough_is_recorded(file: str) -> None:
    cases = recorded(file)[1]
    assert len(cases) >= 40
    assert not any("error" in case["batch"] for case in cases)
