"""What generated outputs are made of: vocabulary, tools, bits of text, calls as models write them.

Shared by the Hypothesis strategies (`outputs.py`) and the plain generators (`random_outputs.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

import parsers
from parsers import Format, Piece, Special, Tool
from parsers.registry import REASONING_FORMATS, TOOL_FORMATS

from .families import BY_REASONING, BY_TOOL, FAMILIES, Family

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
                "size": {"type": "number"},
                "flag": {"type": "boolean"},
                "tags": {"type": "array", "items": {"type": "integer"}},
                "level": {"anyOf": [{"enum": [1, "a"]}, {"type": "null"}]},
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
    for n, text in enumerate(
        sorted({t for f in FAMILIES.values() for t in (*f.added, *f.tokens)} - {*SPECIALS})
    )
}
SPECIAL_IDS = {5, 6}
# The vocabularies: with these tokens, and without some of them.
PLAIN = {
    text: n
    for text, n in SPECIALS.items()
    if text not in ("<tool_call>", "</tool_call>", "[ARGS]", "[THINK]", "[/THINK]")
}

WORDS = (
    "Hm", " the", " café", "日本", "👩‍👩‍👧‍👦", "<", "<b>", "{", "}", ";", '"', "\\", "1.5", "</",
    "a<t", ">",
)  # fmt: skip
BLANKS = (" ", "\n", "\n\n", "\t", "  ")
MARKUP = (
    *SPECIALS,
    "<function=look>", "<function=", "</function>", "<parameter=text>", "<parameter=days>",
    "</parameter>", "< parameter = maybe>", "< / parameter >", "look", "; ",
    '{"name": "look", "arguments": ', '{"name": "run", "parameters": {', '"text": "', '"a": ',
    '{"arguments": {"a": [1, 2]}, "name": "run"}', "}}", "}", "[", "]", ", ", ": ", "true",
    "null", "-1", "1e3", "12", '"x"', "\\u00e9", "\\ud83d\\ude00", "\\n", '\\"', "NaN",
    "<tool", "_call>", "</func", "tion>", "<thi", "nk>", "</para", "meter>",
)  # fmt: skip
# Strings that arguments like to hold.
TRICKY = ("</tool_call>", "</think>", "<tool_call>", "a </parameter", '"\\', "{}", "é\n")
PARAMETERS = (
    "text", "days", "where", "maybe", "size", "flag", "tags", "level", "other", "ключ",
)  # fmt: skip
# Strings that look like something else.
LITERALS = (
    "true", "False", "null", "None", "12", "-0.5", "1e3", "NaN", "[1, 2", "[1, 2]", '{"a": 1}',
    "{'a': (1,)}", "0x1F", "'x'", "f(1)",
)  # fmt: skip
NAMES = ("look", "run", "no_such")
PROSE = "abc é日\n .,"
SEPARATORS = ((", ", ": "), (",", ":"))


def load(
    tool: str | None,
    reasoning: str | None = None,
    vocab: Mapping[str, int] = SPECIALS,
    special_ids: Collection[int] = (),
) -> Format:
    """The format, with the family's response template for names that read one."""
    family = BY_TOOL.get(tool or "") or BY_REASONING.get(reasoning or "")
    texts = {token: text for text, token in vocab.items()}
    return parsers.load(
        tool,
        reasoning,
        vocab,
        special_ids,
        response_template=family and family.response_template,
        decode=lambda ids: "".join(texts.get(token, "") for token in ids),
    )


def pieces_from(text: str, vocab: Mapping[str, int]) -> list[Piece]:
    """The text as a tokenizer with these special tokens would give it back."""
    if not vocab:
        return [text] if text else []
    split = re.split(f"({'|'.join(map(re.escape, vocab))})", text)
    return [Special(part) if part in vocab else part for part in split if part]


def seen(fmt: Format, vocab: Mapping[str, int]) -> dict[str, int]:
    """The special tokens that come as such; others are text (see `Format.specials`)."""
    return {text: token for text, token in vocab.items() if token in fmt.specials}


def write_call(
    tool: str,
    name: str,
    arguments: dict[str, Any],
    separators: tuple[str, str] = (", ", ": "),
    *,
    ascii_only: bool = False,
) -> str:
    """A call as the tool name's model writes it. JSON of the base families may be spelt so."""
    family = tool_family(tool)
    if family and family.call:
        return family.call(name, arguments)
    tool = _own_name(tool)
    if tool == "qwen3_coder":
        body = "".join(
            f"<parameter={key}>\n{_plain(value)}\n</parameter>\n"
            for key, value in arguments.items()
        )
        return f"<tool_call>\n<function={name}>\n{body}</function>\n</tool_call>"
    key = "parameters" if tool == "llama3_json" else "arguments"
    body = json.dumps(
        {"name": name, key: arguments}, ensure_ascii=ascii_only, separators=separators
    )
    return body if tool == "llama3_json" else f"<tool_call>\n{body}\n</tool_call>"


def _plain(value: Any) -> str:
    """A value between tags, without what could end it."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return re.sub(r"</?", "", text)


def _own_name(tool: str) -> str:
    """The name of the format that an alias means."""
    return TOOL_FORMATS[tool].name if tool in TOOL_FORMATS else tool


def tool_family(tool: str | None) -> Family | None:
    """None for the base families, and without a name."""
    return BY_TOOL.get(tool or "") or BY_TOOL.get(_own_name(tool or ""))


def reasoning_family(reasoning: str | None) -> Family | None:
    """None for the base families, and without a name."""
    form = REASONING_FORMATS.get(reasoning or "")
    return BY_REASONING.get(reasoning or "") or (BY_REASONING.get(form.name) if form else None)


def think_tags(reasoning: str) -> tuple[str, str]:
    family = reasoning_family(reasoning)
    return family.think if family else ("<think>", "</think>")


def gaps(tool: str) -> tuple[str, ...]:
    """What may stand after a call."""
    return ("", "\n", "; ") if _own_name(tool) == "llama3_json" else ("\n",)


def markup_of(tool: str | None, reasoning: str | None) -> tuple[str, ...]:
    """Markup of the families that the names belong to."""
    families = [tool_family(tool), reasoning_family(reasoning)]
    return tuple(bit for f in families if f for bit in (*f.markup, *f.added, *f.tokens, *f.think))
