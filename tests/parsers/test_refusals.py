"""Template arguments that a parser refuses, as vLLM does (`record/parser_refusals.py`)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from parsers import Context, Tool

from .bits import load

LINES = (Path(__file__).parents[1] / "golden" / "parser_refusals.jsonl").read_text("utf-8")
RECORDED = [json.loads(line) for line in LINES.splitlines()]


@pytest.mark.parametrize("line", RECORDED)
def test_arguments_are_refused_as_by_vllm(line: dict) -> None:  # type: ignore[type-arg]  # JSON
    context = Context(tools=(Tool("run"),), tool_choice="auto", template_kwargs=line["kwargs"])
    said = load(line["tool"], line["reasoning"]).refusal(context)
    assert said == (line["message"] or "")


def test_how_calls_are_written_matters_where_there_may_be_some() -> None:
    context = Context(template_kwargs={"tool_call_format": "yaml"})
    assert load("k2_horizon").refusal(context) == ""


def test_others_take_anything() -> None:
    context = Context(template_kwargs={"reasoning_effort": "none", "tool_call_format": "yaml"})
    assert load("hermes", "qwen3").refusal(context) == ""
    assert load("hf", "hf").refusal(context) == ""
