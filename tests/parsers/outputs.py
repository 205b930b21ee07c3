"""Hypothesis strategies: model outputs in pieces, and ways to cut them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from parsers import Context, Piece, Special

from . import bits
from .bits import PLAIN, SPECIAL_IDS, SPECIALS, TOOLS, pieces_from

__all__ = [
    "PLAIN", "SPECIALS", "SPECIAL_IDS", "TOOLS", "contexts", "cut", "outputs", "pieces_from",
    "well_formed", "written_call",
]  # fmt: skip

WORDS = st.sampled_from(bits.WORDS)
BLANKS = st.sampled_from(bits.BLANKS)
MARKUP = st.sampled_from(bits.MARKUP)

JSON_TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12
) | st.sampled_from(bits.TRICKY)
JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | JSON_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(JSON_TEXT, inner, max_size=3),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(st.sampled_from(bits.PARAMETERS), JSON_VALUES, max_size=4)
CALLS = st.tuples(st.sampled_from(bits.NAMES), ARGUMENTS)


@st.composite
def written_call(draw: st.DrawFn, tool: str) -> tuple[str, str, dict[str, Any]]:
    """A call as its model writes it: its text, its name, its arguments."""
    name, arguments = draw(CALLS)
    separators, ascii_only = draw(st.sampled_from(bits.SEPARATORS)), draw(st.booleans())
    written = bits.write_call(tool, name, arguments, separators, ascii_only=ascii_only)
    return written, name, arguments


@st.composite
def well_formed(draw: st.DrawFn, tool: str | None, reasoning: str | None) -> str:
    """Reasoning, content and calls, as a model that does all right writes them."""
    prose = st.text(bits.PROSE, max_size=12)
    text = ""
    if reasoning:
        opens, closes = bits.think_tags(reasoning)
        text = f"{draw(st.sampled_from([opens, '']))}{draw(prose)}{closes}{draw(BLANKS)}"
    for _ in range(draw(st.integers(0, 3)) if tool else 0):
        text += draw(prose) + draw(written_call(tool or ""))[0]
        text += draw(st.sampled_from(bits.gaps(tool or "")))
    return text + draw(prose)


@st.composite
def outputs(
    draw: st.DrawFn, tool: str | None, reasoning: str | None, vocab: dict[str, int]
) -> list[Piece]:
    """Well-formed, mutated and random outputs."""
    kind = draw(st.sampled_from(["well-formed", "mutated", "soup"]))
    own = bits.markup_of(tool, reasoning)
    markup = MARKUP | st.sampled_from(own) if own else MARKUP
    if kind == "soup":
        parts = draw(st.lists(WORDS | BLANKS | markup, max_size=25))
    else:
        text = draw(well_formed(tool, reasoning))
        parts = [text]
        if kind == "mutated" and text:
            start = draw(st.integers(0, len(text)))
            end = draw(st.integers(start, min(len(text), start + 8)))
            parts = [text[:start], draw(WORDS | markup | st.just("")), text[end:]]
            parts = parts[: draw(st.integers(2, 3))]
    # A marker that is spelt over two parts is text.
    return [piece for part in parts for piece in pieces_from(part, vocab)]


@st.composite
def cut(draw: st.DrawFn, pieces: list[Piece]) -> list[list[Piece]]:
    """The same output in other chunks: text cut and joined anywhere."""
    chunks: list[list[Piece]] = []
    for piece in pieces:
        rest = piece
        while not isinstance(rest, Special) and len(rest) > 1 and draw(st.booleans()):
            at = draw(st.integers(1, len(rest) - 1))
            chunks.append([rest[:at]])
            rest = rest[at:]
        if draw(st.booleans()) and chunks:
            chunks[-1].append(rest)
        else:
            chunks.append([rest])
    return chunks


def contexts() -> st.SearchStrategy[Context]:
    return st.builds(
        Context,
        tools=st.sampled_from([TOOLS, TOOLS, ()]),
        tool_choice=st.sampled_from(["auto", "auto", "none", "required", "named"]),
        named_tool=st.just("look"),
        parallel_tool_calls=st.booleans(),
        include_reasoning=st.booleans(),
        template_kwargs=st.sampled_from([{}, {}, {"enable_thinking": False}]),
    )
