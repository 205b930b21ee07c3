"""CPU time a token by parser name: prose, a token at a time, the state carried from each to next.

In this process and without a model: the tokens that a format needs are made up. What a name costs
beside another is what is told; the service around it is measured over HTTP.
"""

from __future__ import annotations

import re
import time
from typing import NamedTuple

import parsers
from parsers import Context, Format, Piece, Tool

from .parse_input import Names, from_text

TEXT = """Let me see: naïve café, 東京 is 3.5 km away, "quoted" and a < b.
def area(width: float, height: float) -> float:
    return {"area": width * height}["area"]

"""
_TOKEN = re.compile(r" ?\w{1,6}| ?[^\w\s]|\n +|\s")  # about as long as the tokens of models
ROUNDS = 2


class ParserCost(NamedTuple):
    """kind: `tool` or `reasoning`. names: all of one format. token_us: microseconds a token."""

    kind: str
    names: tuple[str, ...]
    token_us: float


def formats() -> list[parsers.Facts]:
    """Those that need no model."""
    return [f for f in parsers.describe() if not set(f.names) & set(parsers.FROM_TEMPLATE)]


def cost(facts: parsers.Facts, tokens: int) -> ParserCost:
    """The fastest of a few rounds."""
    name = facts.names[0]
    names = Names(name, None) if facts.kind == "tool" else Names(None, name)
    fmt = from_text(names, "", None, 1).format
    words = _TOKEN.findall(TEXT)
    pieces = (words * (tokens // len(words) + 1))[:tokens]
    seconds = min(_seconds(fmt, pieces) for _ in range(ROUNDS))
    return ParserCost(facts.kind, facts.names, 1e6 * seconds / tokens)


def _seconds(fmt: Format, pieces: list[Piece]) -> float:
    context = Context(tools=(Tool("look", None),), tool_choice="auto")
    begun = time.process_time()
    stream = fmt.start(context, None)
    for piece in pieces:
        stream.feed([piece])
        stream = fmt.resume(stream.snapshot(), context)
    return time.process_time() - begun
