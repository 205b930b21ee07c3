"""Properties 1, 2 and 6 in numbers: the short run of `tests/long/parser_cuts.py`."""

from __future__ import annotations

import re

import pytest

import parsers
from parsers import Context, Special
from tests.long import parser_cuts

from . import bits
from .random_outputs import Chunks


def test_no_way_to_cut_or_resume_generated_outputs_changes_them() -> None:
    report = parser_cuts.run(4000, seed=1)
    assert report.cases == 4000
    assert set(report.names) >= {name for names in parsers.names().values() for name in names}
    assert not report.failures, "\n".join(report.failures)


AUTO = Context(tools=bits.TOOLS, tool_choice="auto")
NAMED = Context(tools=bits.TOOLS, tool_choice="named", named_tool="look")
# What long runs found, shrunk: names, request, chunks.
FOUND: list[tuple[str | None, str | None, Context, Chunks]] = [
    ("seed_oss", None, NAMED, [['{"":'], ["{"]]),
    ("gemma4", None, AUTO, [[Special("<|tool_call>"), ":k{ "], ["]"]]),
    # What was kept before the answer came out twice where the request names the tool.
    ("pythonic", "hunyuan_a13b", NAMED, [["  no"]]),
    ("pythonic", "hunyuan_a13b", NAMED, [["\n"], [" " * 200], [" " * 200], ["no"]]),
]


@pytest.mark.parametrize(("tool", "reasoning", "context", "chunks"), FOUND)
def test_what_long_runs_found(
    tool: str | None, reasoning: str | None, context: Context, chunks: Chunks
) -> None:
    for resumed in (False, True):
        case = parser_cuts.Case(tool, reasoning, False, context, None, chunks, resumed)
        assert parser_cuts.fault(case) is None, parser_cuts.described(case)


def test_a_fault_is_found_and_shrunk(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a parser that loses what comes after "Hm" at the end of a chunk."""

    def losing(*args: object, **options: object) -> object:
        chunks = args[3]
        assert isinstance(chunks, list)
        ended = next((at for at, chunk in enumerate(chunks) if chunk[-1] == "Hm"), len(chunks))
        return whole(*args[:3], chunks[: ended + 1], **options)  # type: ignore[arg-type,call-arg]  # as given

    whole = parser_cuts.streamed
    monkeypatch.setattr(parser_cuts, "streamed", losing)
    assert parser_cuts.main(["--cases", "800", "--seed", "3"]) == 1
    printed = capsys.readouterr().out
    assert re.search(r"chunks \[\['Hm'\], \['?.*\]\]\n", printed)
    assert re.search(r"800 cases of \d+ names and pairs, seed 3: [1-9]\d* chunking diff", printed)


def test_the_whole_is_in_one_chunk() -> None:
    special = Special("<think>")
    assert parser_cuts.glued([["a", "b"], ["c", special], [special, "d"]]) == [
        "abc", special, special, "d",
    ]  # fmt: skip
    assert bits.pieces_from("a<think>b", bits.SPECIALS) == ["a", special, "b"]
