"""What a response template's patterns spell, for the grammar of outputs that follow it.

A pattern without repetitions and classes is a few texts; one that is more has no grammar. Text at
the beginning of a message may stand without the anchor in front, which the prompt has. Source: the
helpers of vLLM 0.33.0's `parser/response_template_grammar.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

from parsers.pattern_syntax import (
    Ahead,
    Cat,
    Char,
    Edge,
    Either,
    Group,
    Node,
    PatternError,
    Repeat,
    parsed,
)
from parsers.response_template import Delimiter, Field

START, AHEAD = "\0", "\1"
"""In a text that a pattern spells: where the message begins, and before what only follows it."""
MAX_TEXTS = 16

_META = re.compile(r"[.^$*+?{}\[\]\\|()]")
_CONTROLS = {"\\n": "\n", "\\r": "\r", "\\t": "\t"}
_PLAIN = re.compile(r"(?:\\[^0-9A-Za-z]|\\[nrt]|\(\?[:=]|[^\\\[\]{}.*+$(])*", re.DOTALL)
_ONE_CLASS = re.compile(r"\\([wS])\+|\[\^((?:\\.|[^\]\\])+)\]\+")
# Classes of the grammar library take white space only as escapes.
_IN_CLASS = {" ": " ", "\t": r"\t", "\n": r"\n", "\r": r"\r"} | {c: "\\" + c for c in "\\]^-["}

Anchors = Sequence[str] | None
"""What a message begins after, empty where that is no text; None not at its beginning."""


def texts(pattern: str, *, at_start: bool = False, ahead: bool = False) -> list[str] | None:
    """The texts that a pattern spells, None where they are not known.

    at_start: `^` is allowed, at the beginning. ahead: so is what only follows, after `AHEAD`.
    """
    if not _PLAIN.fullmatch(pattern):
        return None
    try:
        found = _spelt(parsed(pattern))
    except (PatternError, RecursionError):
        return None
    if any(text.count(AHEAD) > ahead for text in found):
        return None
    if not at_start:
        return None if any(START in text for text in found) else found
    return [t.removeprefix(START) for t in found if START not in t[1:] and t != START]


def openers(field: Field, anchors: Anchors = None) -> list[str] | None:
    """The texts that open a field; with anchors those at the beginning of a message."""
    if field.opens is None:
        return None
    found = spelt(field.opens, at_start=anchors is not None)
    return found and continued(found, anchors, expression(field.opens))


def closers(field: Field) -> list[str] | None:
    """The texts that close a field, none where only the end of the output does."""
    return [] if field.closes is None else spelt(field.closes)


def spelt(delimiter: Delimiter, *, at_start: bool = False) -> list[str] | None:
    return list(delimiter.literals) or texts(delimiter.pattern.source, at_start=at_start)


def expression(delimiter: Delimiter) -> re.Pattern[str]:
    escaped = "|".join(map(re.escape, sorted(delimiter.literals, key=len, reverse=True)))
    return re.compile(escaped or delimiter.pattern.source, re.DOTALL)


def continued(found: list[str], anchors: Anchors, opener: re.Pattern[str]) -> list[str]:
    """Also what is left of each text behind an anchor, if the opener is found in it."""
    rests = [
        text[len(anchor) :]
        for text, anchor in product(found, anchors or ())
        if text.startswith(anchor) and text != anchor
    ]
    return list(dict.fromkeys([*found, *(rest for rest in rests if _ends_with(opener, rest))]))


def split_group(pattern: str, name: str) -> tuple[str, str, str] | None:
    """The pattern before the group, in it, and behind it."""
    opens = f"(?P<{name}>"
    before, found, rest = pattern.partition(opens)
    if not found:
        return None
    depth, in_class, at = 1, False, 0
    while at < len(rest):
        char = rest[at]
        if char == "\\":
            at += 1
        elif in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
        elif char in "()":
            depth += 1 if char == "(" else -1
            if not depth:
                return before, rest[:at], rest[at + 1 :]
        at += 1
    return None


def call_opener(opener: tuple[str, str, str], name: str, anchors: Anchors) -> str:
    """The pattern that opens a call of what `name`, a pattern, matches."""
    before, _, after = opener
    if anchors is not None and before and (found := texts(before, at_start=True)):
        found = continued(found, anchors, re.compile(before))
        before = f"(?:{'|'.join(map(escaped, found))})"
    return before + name + after


def other_names(pattern: str, names: Sequence[str]) -> str | None:
    """A pattern of what `pattern` matches besides the names; None if it is no class, repeated."""
    if not names:
        return pattern
    found = _ONE_CLASS.fullmatch(pattern)
    if found is None:
        return None
    negated = found[2] or {"w": r"\W", "S": r"\s"}[found[1]]

    def none_of(chars: Iterable[str]) -> str:
        return f"[^{negated}{class_of(chars)}]"

    tree: dict[str, Any] = {}
    for name in names:
        node = tree
        for char in name:
            node = node.setdefault(char, {})
        node[""] = {}

    def rest(node: dict[str, Any], *, first: bool = False) -> str:
        """Of a name, so that the whole is none of the names."""
        ways = [none_of(set(node) - {""}) + none_of(()) + "*"]
        ways += [escaped(char) + rest(child) for char, child in node.items() if char]
        return f"(?:{'|'.join(ways)})" + ("" if first or "" in node else "?")

    return rest(tree, first=True)


def not_empty(ends: Iterable[str]) -> str:
    """The beginning of text that is not empty and begins with none of `ends`.

    Each way leaves the spelling of all ends, with a character that begins none of them.
    """
    ends = [end for end in ends if end]
    first = {end[0] for end in ends}
    begun = dict.fromkeys(["", *(end[:cut] for end in ends for cut in range(1, len(end)))])
    ways = []
    for text in begun:
        if not any(end in text for end in ends):
            after = {end[len(text)] for end in ends if end != text and end.startswith(text)}
            ways.append(f"{escaped(text)}[^{class_of(first | after)}]")
    return "|".join(ways)


def escaped(text: str) -> str:
    return _META.sub(r"\\\g<0>", text)


def class_of(chars: Iterable[str]) -> str:
    return "".join(_IN_CLASS.get(char, char) for char in sorted(chars))


def _ends_with(opener: re.Pattern[str], text: str) -> bool:
    return any(opener.fullmatch(text, at) for at in range(len(text)))


def _spelt(node: Node) -> list[str]:
    """Raises PatternError where there are too many, or others than these."""
    if isinstance(node, Char):
        return [_CONTROLS.get(node.source, node.source[-1])]
    if isinstance(node, Edge):
        return [START]
    if isinstance(node, Group):
        return _spelt(node.node)
    if isinstance(node, Ahead):
        return [AHEAD + text for text in _spelt(node.node)]
    if isinstance(node, Either):
        return _few(dict.fromkeys(text for option in node.options for text in _spelt(option)))
    if isinstance(node, Cat):
        found = [""]
        for item in node.items:
            found = _few(a + b for a, b in product(found, _spelt(item)))
        return _few(dict.fromkeys(found))
    if isinstance(node, Repeat) and not node.lazy:
        return ["", *_spelt(node.node)]
    raise PatternError("a lazy repetition")


def _few(found: Iterable[str]) -> list[str]:
    listed = list(found)
    if len(listed) > MAX_TEXTS:
        raise PatternError("too many texts")
    return listed
