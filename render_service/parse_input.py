"""A saved output made into chunks of pieces, with a model's tokenizer or without any."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import parsers
from parsers import Format, Piece, Special

from .parser_names import check_parser_names
from .usage_error import UsageError


class Names(NamedTuple):
    """What --tool-call-parser and --reasoning-parser say."""

    tool: str | None
    reasoning: str | None


class Source(NamedTuple):
    """chunks: the output, so many units each. prompt: its token IDs, None where none is given."""

    format: Format
    prompt: list[int] | None
    chunks: Iterator[list[Piece]]
    unit: str


def from_model(name: str, names: Names, text: str, prompt: str | None, size: int) -> Source:
    """As the service serves this model: tokens, of which the last may be the end of the output.

    Raises UsageError, also where the vocabulary lacks a marker.
    """
    from .loading import load_model
    from .settings import Settings

    model = load_model(
        Settings(
            model=name,
            tool_call_parser=names.tool,
            reasoning_parser=names.reasoning,
            enable_auto_tool_choice=names.tool is not None,
            parser_backend="native",
        )
    )
    assert model.format is not None  # there is at least one name
    tokenizer = model.tokenizer
    ids = tokenizer.encode(text, add_special_tokens=False)
    if ids and ids[-1] == tokenizer.eos_token_id:
        ids.pop()
    asked = None if prompt is None else tokenizer.encode(prompt, add_special_tokens=False)
    stream = model.detokenizer.start(asked, skip_special_tokens=False, pieces=True)
    chunks = (stream.feed(ids[at : at + size]) for at in range(0, len(ids), size))
    return Source(model.format, asked, chunks, "tokens")


def from_text(names: Names, text: str, prompt: str | None, size: int) -> Source:
    """Characters; the markers that are tokens of such models count as tokens. Raises UsageError."""
    check_parser_names(*names)
    if own := [name for name in names if name in parsers.FROM_TEMPLATE]:
        raise UsageError(f"--model is needed: {own[0]} is what the model's response template says")
    wanted = {("tool", names.tool), ("reasoning", names.reasoning)}
    used = [f for f in parsers.describe() if wanted & {(f.kind, name) for name in f.names}]
    vocab = {token: i for i, token in enumerate({t: 0 for f in used for t in f.vocabulary}, 1)}
    markers = {token for facts in used for token in (*facts.needs, *facts.tokens)}
    try:
        format = parsers.load(
            names.tool,
            names.reasoning,
            vocab,
            [index for token, index in vocab.items() if token not in markers],
        )
    except ValueError as error:
        raise UsageError(str(error)) from error
    asked = None
    if prompt is not None:
        asked = [vocab[piece] for piece in _split(prompt, vocab) if isinstance(piece, Special)]
    specials = set(format.specials.values())
    units = [
        unit
        for piece in _split(text, specials)
        for unit in ([piece] if isinstance(piece, Special) else piece)
    ]
    chunks = (list(_joined(units[at : at + size])) for at in range(0, len(units), size))
    return Source(format, asked, chunks, "characters")


def _split(text: str, tokens: Collection[str]) -> list[Piece]:
    """The text, tokens apart; of two at one place the longer counts."""
    pattern = "|".join(map(re.escape, sorted(tokens, key=len, reverse=True)))
    parts = re.split(f"({pattern})", text) if pattern else [text]
    return [Special(part) if at % 2 else part for at, part in enumerate(parts) if part]


def _joined(units: Sequence[Piece]) -> Iterator[Piece]:
    """Characters that stand together as one piece, as a detokenizer gives them."""
    run: list[str] = []
    for unit in units:
        if not isinstance(unit, Special):
            run.append(unit)
            continue
        if run:
            yield "".join(run)
            run.clear()
        yield unit
    if run:
        yield "".join(run)
