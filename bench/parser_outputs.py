"""Outputs of 4,000 tokens in each parser name's syntax: reasoning, content, one long call."""

from __future__ import annotations

import re
from typing import NamedTuple

from parsers import Context, Format, Piece, Result, Special
from parsers.registry import REASONING_FORMATS
from tests.parsers.bits import (
    SPECIALS,
    TOOLS,
    pieces_from,
    seen,
    think_tags,
    tool_family,
    write_call,
)

TOKENS = 4000
KINDS = ("reasoning", "content", "call")

# Prose and code, as calls that write files carry them.
TEXT = """Let me see: naïve café, 東京 is 3.5 km away, "quoted" and a < b.
def area(width: float, height: float) -> float:
    if width <= 0:
        raise ValueError(f"no width: {width}\\n")
    return {"area": width * height}["area"]

"""
# About as long as the tokens of models are.
_TOKEN = re.compile(r" ?\w{1,6}| ?[^\w\s]|\n +|\s")


class Names(NamedTuple):
    """The tool name or the reasoning name that is measured."""

    tool: str | None
    reasoning: str | None

    def __str__(self) -> str:
        return self.tool or self.reasoning or ""


def text_of(names: Names, kind: str, repeats: int = 100) -> str:
    """More than 4,000 tokens of any tokenizer; the call is one whose argument is long."""
    if kind == "reasoning":
        return think_tags(names.reasoning or "")[0] + TEXT * repeats
    if kind == "call":
        return write_call(names.tool or "", "look", {"text": TEXT * repeats})
    family = tool_family(names.tool)
    return (family.lead if family else "") + TEXT * repeats


def context_of(names: Names) -> Context:
    """A request with tools that has the model reason."""
    form = REASONING_FORMATS.get(names.reasoning or "")
    switches = form.switches if form else ()
    return Context(tools=TOOLS, tool_choice="auto", template_kwargs=dict.fromkeys(switches, True))


def pieces_of(fmt: Format, names: Names, kind: str) -> list[Piece]:
    """The first 4,000 tokens of such an output, each a piece."""
    tokens = [
        token
        for piece in pieces_from(text_of(names, kind), seen(fmt, SPECIALS))
        for token in ([piece] if isinstance(piece, Special) else _TOKEN.findall(piece))
    ]
    assert len(tokens) >= TOKENS
    return tokens[:TOKENS]


def measures(kind: str, result: Result) -> bool:
    """Whether the output is what it is meant to be, as far as all names have it in common: one
    keeps reasoning in the content, one a value until it is whole.
    """
    if kind == "call":
        return len(result.calls) == 1
    text = (result.reasoning or "") + (result.content or "")
    return len(text) > TOKENS and not result.calls
