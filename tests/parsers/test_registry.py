"""Names, aliases, and what a vocabulary must have."""

from __future__ import annotations

import pytest

import parsers
from parsers import Special
from parsers.parts import CONTENT, ReasoningFormat, ToolFormat
from parsers.regions import ROUTED, STATUSES, Sink
from parsers.registry import PAIRS, REASONING_FORMATS, TOOL_FORMATS

from .outputs import SPECIAL_IDS, SPECIALS


def test_names() -> None:
    names = parsers.names()
    assert {"hermes", "llama4_json", "qwen3_xml"} <= set(names["tool"])
    assert {"deepseek_r1", "qwen3", "step5"} <= set(names["reasoning"])
    assert all(found == sorted(found) for found in names.values())


def test_aliases_are_the_same_format() -> None:
    aliases = {"qwen3_json": "hermes", "qwen3_xml": "qwen3_coder", "llama4_json": "llama3_json"}
    for alias, name in aliases.items():
        assert TOOL_FORMATS[alias] is TOOL_FORMATS[name]
        assert parsers.load(alias, vocab=SPECIALS).tool == name
    assert REASONING_FORMATS["step5"] is REASONING_FORMATS["deepseek_r1"]


def test_only_one_part() -> None:
    assert parsers.load("hermes").reasoning is None
    assert parsers.load(reasoning="qwen3").tool is None


def test_unknown_names() -> None:
    with pytest.raises(
        parsers.UnknownParserError, match=r"invalid tool call parser: nope .*hermes"
    ):
        parsers.load("nope")
    with pytest.raises(parsers.UnknownParserError, match=r"invalid reasoning parser: nope .*qwen3"):
        parsers.load(reasoning="nope")


def test_formats_of_one_syntax() -> None:
    both, calls, thoughts = (
        parsers.load("openai", "openai_gptoss", SPECIALS),
        parsers.load("openai", None, SPECIALS),
        parsers.load(None, "openai_gptoss", SPECIALS),
    )
    assert (calls.tool, calls.reasoning) == ("openai", None)
    assert (thoughts.tool, thoughts.reasoning) == (None, "openai_gptoss")
    assert both.reasoning_ended([], {}) is True
    assert calls.reasoning_ended([], {}) is None
    for tool, reasoning in (("openai", "qwen3"), ("hermes", "openai_gptoss")):
        with pytest.raises(parsers.CombinationError, match=rf"{reasoning} and .* {tool} cannot"):
            parsers.load(tool, reasoning, SPECIALS)


def test_missing_markers() -> None:
    with pytest.raises(
        parsers.MissingMarkerError, match=r"--reasoning-parser step5 .*'<think>' and"
    ):
        parsers.load(reasoning="step5", vocab={})
    with pytest.raises(
        parsers.MissingMarkerError, match=r"--tool-call-parser llama3_json .*python_tag"
    ):
        parsers.load("llama3_json", vocab={"<think>": 1})


def test_specials_are_the_markers_and_what_is_dropped() -> None:
    fmt = parsers.load("hermes", "deepseek_r1", SPECIALS, SPECIAL_IDS)
    assert set(fmt.specials.values()) == {"<think>", "</think>", "<tool_call>", "</tool_call>"}
    assert all(isinstance(piece, Special) for piece in fmt.specials.values())
    dropping = parsers.load("qwen3_coder", "qwen3", SPECIALS, SPECIAL_IDS)
    assert {"<|im_start|>", "<|im_end|>"} <= set(dropping.specials.values())
    assert dropping.specials[3] == "<tool_call>"


def test_reasoning_ended() -> None:
    assert parsers.load("hermes").reasoning_ended([1], {}) is None
    qwen3 = parsers.load(reasoning="qwen3", vocab=SPECIALS)
    assert qwen3.reasoning_ended([1, 2, 9], {}) is True
    assert qwen3.reasoning_ended([1, 2, 9, 5], {}) is False
    assert qwen3.reasoning_ended([1], {"enable_thinking": False}) is True
    assert parsers.load(reasoning="qwen3", vocab={}).reasoning_ended([1, 2], {}) is False


@pytest.mark.parametrize("part", [*TOOL_FORMATS.values(), *REASONING_FORMATS.values()])
def test_tables_are_whole(part: ToolFormat | ReasoningFormat) -> None:
    """Every marker leads to a region, and every region knows what to do with other text."""
    whole = next((pair for pair in PAIRS if part in pair), (part,))
    known = {CONTENT, ROUTED, *(name for own in whole for name in own.regions)}
    if isinstance(part, ReasoningFormat):
        assert {part.start, part.ended} <= known
    assert {to.region for to in part.content.values()} <= known
    for region in part.regions.values():
        assert {to.region for to in region.on.values()} <= known
        if region.sink in (Sink.GAP, Sink.HOLD, Sink.START, Sink.CAPTURE):
            assert region.otherwise in known
        if region.sink is Sink.BODY:
            assert set(region.on) >= STATUSES
