"""Regular expressions that can be matched in linear time as text comes, as programs.

Characters, classes, groups, alternatives, repetitions (greedy and lazy), `^`, `$`, `\\A`, `\\Z`,
and `(?=...)` where nothing follows it. `.` matches newlines too; `$` only the end. What needs to
look elsewhere (back references, other lookarounds, word boundaries) or changes what characters
mean (flags) is refused. `patterns.py` runs the programs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

MAX_PROGRAM = 2000
"""Instructions of one pattern; counted repetitions are written out."""

_QUANTIFIER = re.compile(r"(?:([*+?])|\{(\d+)(?:(,)(\d*))?\}|\{,(\d+)\})(\??)")
_MOST = {"*": None, "+": None, "?": 1}
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:[dDsSwWnrtfv]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^0-9a-zA-Z])", re.DOTALL)
_GROUP = re.compile(r"\((?:\?:|\?P<(\w+)>|(\?=)|(?!\?))")


class PatternError(ValueError):
    """The pattern is none, or not one of those that are read here."""


class Char(NamedTuple):
    """One character. source: the expression of it."""

    source: str


class Edge(NamedTuple):
    """The beginning or the end of all text: BEGIN or END."""

    op: str


class Cat(NamedTuple):
    items: tuple[Node, ...]


class Either(NamedTuple):
    options: tuple[Node, ...]


class Repeat(NamedTuple):
    """most: None for any number."""

    node: Node
    least: int
    most: int | None
    lazy: bool


class Group(NamedTuple):
    name: str
    node: Node


class Ahead(NamedTuple):
    node: Node


Node = Char | Edge | Cat | Either | Repeat | Group | Ahead

CHAR, SPLIT, JUMP, OPEN, CLOSE, BEGIN, END, AHEAD, MATCH = (
    "char", "split", "jump", "open", "close", "begin", "end", "ahead", "match",
)  # fmt: skip


@dataclass(slots=True)
class Step:
    """One instruction. to: where it leads, for SPLIT where it rather leads; other: where else.

    source, test: of a CHAR. name: of a group.
    """

    op: str
    to: int = 0
    other: int = 0
    source: str = ""
    test: Callable[[str], object] = bool
    name: str = ""


def parsed(source: str) -> Node:
    """Raises PatternError."""
    try:
        re.compile(source)
    except (re.error, RecursionError, OverflowError) as error:
        raise PatternError(f"{source!r} is no regular expression: {error}") from error
    reader = _Reader(source)
    node = reader.either()
    if not _ends_with_lookaheads(node, last=True):
        raise PatternError(f"{source!r}: something follows a lookahead (?=...)")
    return node


def program(node: Node) -> tuple[Step, ...]:
    """Raises PatternError where it is too long."""
    code: list[Step] = []
    _write(node, code)
    code.append(Step(MATCH))
    return tuple(code)


def groups(node: Node) -> Iterator[str]:
    """The names of its groups."""
    if isinstance(node, Group) and node.name:
        yield node.name
    for inner in _inside(node):
        yield from groups(inner)


def _inside(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Cat):
        return node.items
    if isinstance(node, Either):
        return node.options
    return () if isinstance(node, Char | Edge) else (node.node,)


def _ends_with_lookaheads(node: Node, *, last: bool) -> bool:
    """Whether nothing follows a lookahead."""
    if isinstance(node, Ahead):
        return last and _ends_with_lookaheads(node.node, last=False)
    if isinstance(node, Cat):
        *before, final = node.items or (Cat(()),)
        rest = final is node or not node.items or _ends_with_lookaheads(final, last=last)
        return rest and all(_ends_with_lookaheads(item, last=False) for item in before)
    ends = last and not isinstance(node, Repeat)
    return all(_ends_with_lookaheads(inner, last=ends) for inner in _inside(node))


class _Reader:
    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0

    def _refuse(self, what: str) -> PatternError:
        return PatternError(f"{self.source!r}: {what} cannot be matched as text comes")

    def either(self) -> Node:
        options = [self._cat()]
        while self.source.startswith("|", self.at):
            self.at += 1
            options.append(self._cat())
        return options[0] if len(options) == 1 else Either(tuple(options))

    def _cat(self) -> Cat:
        items: list[Node] = []
        while self.at < len(self.source) and self.source[self.at] not in "|)":
            items.append(self._repeated())
        return Cat(tuple(items))

    def _repeated(self) -> Node:
        node = self._atom()
        while found := _QUANTIFIER.match(self.source, self.at):
            self.at = found.end()
            sign, least, comma, most, only, lazy = found.groups()
            if sign:
                low, high = int(sign == "+"), _MOST[sign]
            elif only:
                low, high = 0, int(only)
            else:
                low = int(least)
                high = (int(most) if most else None) if comma else low
            if self.source.startswith("+", self.at):
                raise self._refuse("a possessive repetition")
            node = Repeat(node, low, high, bool(lazy))
        return node

    def _atom(self) -> Node:
        char = self.source[self.at]
        if char == "(":
            return self._group()
        if found := (_CLASS if char == "[" else _ESCAPE).match(self.source, self.at):
            self.at = found.end()
            return Char(found[0])
        if char == "\\":
            escape = self.source[self.at : self.at + 2]
            if escape not in ("\\A", "\\Z"):
                raise self._refuse(escape)
            self.at += 2
            return Edge(BEGIN if escape == "\\A" else END)
        self.at += 1
        if char in "^$":
            return Edge(BEGIN if char == "^" else END)
        return Char(char if char == "." else re.escape(char))

    def _group(self) -> Node:
        found = _GROUP.match(self.source, self.at)
        if found is None:
            raise self._refuse(self.source[self.at : self.at + 3])
        self.at = found.end()
        inner = self.either()
        self.at += 1  # the closing parenthesis: `re` has found it to be there
        return Ahead(inner) if found[2] else Group(found[1] or "", inner)


def _write(node: Node, code: list[Step]) -> None:
    if len(code) > MAX_PROGRAM:
        raise PatternError(f"a pattern is longer than {MAX_PROGRAM} steps")
    if isinstance(node, Char):
        # Compiled here, so that running a program looks nothing up.
        test = re.compile(node.source, re.DOTALL).match
        code.append(Step(CHAR, source=node.source, test=test))
    elif isinstance(node, Edge):
        code.append(Step(node.op))
    elif isinstance(node, Cat):
        for item in node.items:
            _write(item, code)
    elif isinstance(node, Either):
        _write_either(node, code)
    elif isinstance(node, Repeat):
        _write_repeat(node, code)
    elif isinstance(node, Ahead):
        code.append(Step(AHEAD))
        _write(node.node, code)
    elif not node.name:
        _write(node.node, code)
    else:
        code.append(Step(OPEN, name=node.name))
        _write(node.node, code)
        code.append(Step(CLOSE, name=node.name))


def _write_either(node: Either, code: list[Step]) -> None:
    jumps = []
    for option in node.options[:-1]:
        split = Step(SPLIT, to=len(code) + 1)
        code.append(split)
        _write(option, code)
        jumps.append(Step(JUMP))
        code.append(jumps[-1])
        split.other = len(code)
    _write(node.options[-1], code)
    for jump in jumps:
        jump.to = len(code)


def _write_repeat(node: Repeat, code: list[Step]) -> None:
    for _ in range(node.least):
        _write(node.node, code)
    exits = []
    for _ in range(1 if node.most is None else node.most - node.least):
        start = len(code)
        code.append(Step(SPLIT))
        exits.append(start)
        _write(node.node, code)
        if node.most is None:
            code.append(Step(JUMP, to=start))
    for at in exits:
        step, ways = code[at], (at + 1, len(code))
        step.to, step.other = reversed(ways) if node.lazy else ways
