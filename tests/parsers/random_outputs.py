"""The outputs and cuts of `outputs.py` from a plain random generator, a hundred times as fast."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any

from parsers import Context, Piece, Special
from parsers.registry import REASONING_FORMATS, TOOL_FORMATS

from . import bits

Chunks = list[list[Piece]]
PROMPTS: tuple[list[int] | None, ...] = (None, None, [], [9, 1], [9, 1, 2], [2, 5, 9], [1, 3])


def text_of(rng: Random, alphabet: str, most: int = 12) -> str:
    return "".join(rng.choices(alphabet, k=rng.randint(0, most)))


def json_text(rng: Random) -> str:
    if rng.random() < 0.5:
        return rng.choice(rng.choice((bits.TRICKY, bits.LITERALS)))
    return "".join(rng.choices(bits.WORDS + bits.BLANKS, k=rng.randint(0, 4)))


def json_value(rng: Random, depth: int = 2) -> Any:
    kind = rng.randrange(8 if depth else 6)
    if kind == 6:
        return [json_value(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    if kind == 7:
        return {json_text(rng): json_value(rng, depth - 1) for _ in range(rng.randint(0, 3))}
    if kind == 0:
        return rng.choice([None, True, False])
    if kind == 1:
        return rng.choice([0, -1, 12, 10**20])
    if kind == 2:
        return rng.choice([0.5, -2.0, 1e300, 1e-7])
    return json_text(rng)


def written_call(rng: Random, tool: str) -> str:
    keys = rng.sample(bits.PARAMETERS, rng.randint(0, 3))
    return bits.write_call(
        tool,
        rng.choice(bits.NAMES),
        {key: json_value(rng) for key in keys},
        rng.choice(bits.SEPARATORS),
        ascii_only=rng.random() < 0.5,
    )


def well_formed(rng: Random, tool: str | None, reasoning: str | None) -> str:
    text = ""
    if reasoning:
        opens, closes = bits.think_tags(reasoning)
        text = rng.choice([opens, ""]) + text_of(rng, bits.PROSE) + closes + rng.choice(bits.BLANKS)
    for _ in range(rng.randint(0, 3) if tool else 0):
        text += text_of(rng, bits.PROSE) + written_call(rng, tool or "")
        text += rng.choice(bits.gaps(tool or ""))
    return text + text_of(rng, bits.PROSE)


def stretched(rng: Random) -> str:
    """So much of something that a bound of what is held back may be reached (256, 128, 1024)."""
    bit = rng.choice(("\n", " ", "n", "7", "é", '{"a": ', "[", "\\u00e9", " x"))
    return bit * (rng.choice((120, 250, 630, 1010)) + rng.randint(0, 20))


def output(
    rng: Random, tool: str | None, reasoning: str | None, vocab: Mapping[str, int]
) -> list[Piece]:
    """Well-formed, mutated or random."""
    own = bits.markup_of(tool, reasoning)
    kind = rng.randrange(3)
    if kind == 0:
        kinds = (bits.WORDS, bits.BLANKS, bits.MARKUP, *([own, own] if own else []))
        parts = [rng.choice(rng.choice(kinds)) for _ in range(rng.randint(0, 25))]
    else:
        text = well_formed(rng, tool, reasoning)
        parts = [text]
        if kind == 1:
            start = rng.randint(0, len(text))
            end = rng.randint(start, min(len(text), start + 8))
            odd = rng.choice(rng.choice((bits.WORDS, bits.LITERALS, own or bits.MARKUP, ("",))))
            parts = [text[:start], odd, text[end:]][: rng.randint(2, 3)]
    if parts and rng.random() < 0.08:
        place = rng.randrange(len(parts))
        at = rng.randint(0, len(parts[place]))
        parts[place] = parts[place][:at] + stretched(rng) + parts[place][at:]
    if rng.random() < 0.1:  # tokens may also be spelt by text
        vocab = {text: token for text, token in vocab.items() if rng.random() < 0.5}
    # A marker that is spelt over two parts is text.
    return [piece for part in parts for piece in bits.pieces_from(part, vocab)]


def cut(rng: Random, pieces: Sequence[Piece]) -> Chunks:
    """The same output in other chunks: text cut and joined anywhere, also inside a character."""
    if rng.random() < 0.2:
        return cut_bytes(rng, pieces)
    often, joins = rng.choice((0.0, 0.2, 0.6, 1.0)), rng.choice((0.0, 0.3, 0.8))
    chunks: Chunks = []
    for piece in pieces:
        parts: list[Piece] = [piece]
        if not isinstance(piece, Special):
            places = [at for at in range(1, len(piece)) if rng.random() < often]
            ends = [0, *places, len(piece)]
            parts = [piece[a:b] for a, b in pairwise(ends)]
        for part in parts:
            if chunks and rng.random() < joins:
                chunks[-1].append(part)
            else:
                chunks.append([part])
    return chunks


def cut_bytes(rng: Random, pieces: Sequence[Piece]) -> Chunks:
    """Tokens of a few bytes each, as a detokenizer gives their text: a character comes with its
    last byte, so that a chunk may have no text at all.
    """
    most = rng.choice((1, 2, 3, 9))
    chunks: Chunks = []
    for piece in pieces:
        if isinstance(piece, Special):
            chunks.append([piece])
            continue
        decoder, left = getincrementaldecoder("utf-8")(), piece.encode()
        while left:
            size = rng.randint(1, most)
            text, left = decoder.decode(left[:size]), left[size:]
            chunks.append([text] if text or rng.random() < 0.5 else [])
    return chunks


def prompt(rng: Random, vocab: Mapping[str, int]) -> list[int] | None:
    """None, one of `PROMPTS`, or some tokens of the vocabulary."""
    if rng.random() < 0.6 or not vocab:
        return rng.choice(PROMPTS)
    return rng.choices([9, *vocab.values()], k=rng.randint(1, 4))


def told(rng: Random, tool: str | None, reasoning: str | None) -> dict[str, Any]:
    """Template arguments that the formats look at, with values that mean something to them."""
    form, calls = REASONING_FORMATS.get(reasoning or ""), TOOL_FORMATS.get(tool or "")
    known: list[tuple[str, Any]] = [("enable_thinking", False)]
    if form:
        known += [(name, value) for name in form.switches for value in (True, False)]
        known += [*form.off, *((name, value) for name, value, _ in form.starts)]
    if calls:
        known += [*calls.dialects]
    return dict(pair for pair in known if rng.random() < 0.25)


def context(rng: Random, kwargs: Mapping[str, Any]) -> Context:
    return Context(
        tools=rng.choice([bits.TOOLS, bits.TOOLS, ()]),
        tool_choice=rng.choice(["auto", "auto", "none", "required", "named"]),
        named_tool="look",
        parallel_tool_calls=rng.random() < 0.7,
        include_reasoning=rng.random() < 0.8,
        template_kwargs=kwargs,
    )
