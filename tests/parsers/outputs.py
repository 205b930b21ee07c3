"""Hypothesis strategies: model outputs in pieces, and ways to cut them."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import strategies as st

from parsers import Context, Piece, Special, Tool

from .families import BY_REASONING, BY_TOOL, FAMILIES

TOOLS = (
    Tool(
        "look",
        {
            "type": "object",
            "properties": {
                "text": {"type": "string"},
                "days": {"type": "integer"},
                "where": {"type": "object"},
                "maybe": {"type": ["string", "null"]},
            },
        },
    ),
    Tool("run", None),
)

SPECIALS = {
    "<think>": 1,
    "</think>": 2,
    "<tool_call>": 3,
    "</tool_call>": 4,
    "<|im_start|>": 5,
    "<|im_end|>": 6,
    "<|python_tag|>": 7,
}
SPECIALS |= {
    text: 100 + n
    for n, text in enumerate(sorted({t for f in FAMILIES.values() for t in f.added} - {*SPECIALS}))
}
SPECIAL_IDS = {5, 6}
# The vocabularies: with the call tags, and without.
PLAIN = {text: token for text, token in SPECIALS.items() if "tool_call" not in text}

WORDS = st.sampled_from(
    [
        "Hm",
        " the",
        " café",
        "日本",
        "👩‍👩‍👧‍👦",
        "<",
        "<b>",
        "{",
        "}",
        ";",
        '"',
        "\\",
        "1.5",
        "</",
        "a<t",
        ">",
    ]
)
BLANKS = st.sampled_from([" ", "\n", "\n\n", "\t", "  "])
MARKUP = st.sampled_from(
    [
        *SPECIALS,
        "<function=look>", "<function=", "</function>", "<parameter=text>", "<parameter=days>",
        "</parameter>", "< parameter = maybe>", "< / parameter >", "look", "; ",
        '{"name": "look", "arguments": ', '{"name": "run", "parameters": {', '"text": "', '"a": ',
        '{"arguments": {"a": [1, 2]}, "name": "run"}', "}}", "}", "[", "]", ", ", ": ", "true",
        "null", "-1", "1e3", "12", '"x"', "\\u00e9", "\\ud83d\\ude00", "\\n", '\\"', "NaN",
        "<tool", "_call>", "</func", "tion>", "<thi", "nk>", "</para", "meter>",
    ]
)  # fmt: skip

JSON_TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12
) | st.sampled_from(
    ["</tool_call>", "</think>", "<tool_call>", "a </parameter", '"\\', "{}", "é\n"]
)
JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | JSON_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(JSON_TEXT, inner, max_size=3),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(
    st.sampled_from(["text", "days", "where", "maybe", "other", "ключ"]), JSON_VALUES, max_size=4
)
CALLS = st.tuples(st.sampled_from(["look", "run", "no_such"]), ARGUMENTS)


def pieces_from(text: str, vocab: dict[str, int]) -> list[Piece]:
    """The text as a tokenizer with these special tokens would give it back."""
    split = re.split(f"({'|'.join(map(re.escape, vocab))})", text)
    return [Special(part) if part in vocab else part for part in split if part]


@st.composite
def written_call(draw: st.DrawFn, tool: str) -> tuple[str, str, dict[str, Any]]:
    """A call as its model writes it: its text, its name, its arguments."""
    name, arguments = draw(CALLS)
    family = BY_TOOL.get(tool)
    if family and family.call:
        return family.call(name, arguments), name, arguments
    if tool == "qwen3_coder":
        body = "".join(
            f"<parameter={key}>\n{_plain(value)}\n</parameter>\n"
            for key, value in arguments.items()
        )
        return f"<tool_call>\n<function={name}>\n{body}</function>\n</tool_call>", name, arguments
    key = "parameters" if tool == "llama3_json" else "arguments"
    separators = draw(st.sampled_from([(", ", ": "), (",", ":")]))
    ascii_only = draw(st.booleans())
    body = json.dumps(
        {"name": name, key: arguments}, ensure_ascii=ascii_only, separators=separators
    )
    return body if tool == "llama3_json" else f"<tool_call>\n{body}\n</tool_call>", name, arguments


def _plain(value: Any) -> str:
    """A value between tags, without what could end it."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return re.sub(r"</?", "", text)


@st.composite
def well_formed(draw: st.DrawFn, tool: str | None, reasoning: str | None) -> str:
    """Reasoning, content and calls, as a model that does all right writes them."""
    prose = st.text("abc é日\n .,", max_size=12)
    text = ""
    if reasoning:
        family = BY_REASONING.get(reasoning)
        opens, closes = family.think if family else ("<think>", "</think>")
        text = f"{draw(st.sampled_from([opens, '']))}{draw(prose)}{closes}{draw(BLANKS)}"
    for _ in range(draw(st.integers(0, 3)) if tool else 0):
        text += draw(prose) + draw(written_call(tool or ""))[0]
        text += draw(st.sampled_from(["", "\n", "; "])) if tool == "llama3_json" else "\n"
    return text + draw(prose)


def bits(tool: str | None, reasoning: str | None) -> st.SearchStrategy[str]:
    """Markup of the base families, and of those that the names belong to."""
    families = [BY_TOOL.get(tool or ""), BY_REASONING.get(reasoning or "")]
    own = [bit for f in families if f for bit in (*f.markup, *f.added, *f.think)]
    return MARKUP | st.sampled_from(own) if own else MARKUP


@st.composite
def outputs(
    draw: st.DrawFn, tool: str | None, reasoning: str | None, vocab: dict[str, int]
) -> list[Piece]:
    """Well-formed, mutated and random outputs."""
    kind = draw(st.sampled_from(["well-formed", "mutated", "soup"]))
    markup = bits(tool, reasoning)
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
        if chunks and draw(st.booleans()):
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
