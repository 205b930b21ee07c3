"""Patterns found in text as it comes: in linear time, whatever the pattern and the text are.

All ways to match run side by side, one character at a time, in the order in which a backtracking
matcher would try them (Pike's machine): so the leftmost match is found, and of those at one place
the one that Perl's rules prefer. What may still become a match, or a longer one, is known; text
longer than `MAX_HEAD` is no match, so that what is held back is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping
from typing import NamedTuple

from .limits import MAX_HEAD
from .pattern_syntax import (
    AHEAD,
    BEGIN,
    CHAR,
    CLOSE,
    END,
    JUMP,
    MATCH,
    OPEN,
    SPLIT,
    Node,
    PatternError,
    groups,
    program,
)
from .scanner import Scanner

LOOK = 3
"""Characters that are looked at before it is tried whether a match begins."""
MAX_RUN = MAX_HEAD // 2
"""Of characters that a match may begin with any number of, as white space, so many count: one run
of them and what follows are then looked at together, and the whole still fits into `MAX_HEAD`."""

_Saves = tuple[tuple[str, str, int], ...]
_Thread = tuple[int, int, _Saves]  # the step that takes the next character, the start, groups


class Found(NamedTuple):
    """A match; without an end, where one may begin or still grow. groups: of those with names."""

    start: int
    end: int | None
    groups: Mapping[str, str]


class Pattern:
    """Immutable. source: what it was read from. Raises PatternError where it may match no text.

    first: an expression of how each match begins. is_short: a match may have so few characters.
    """

    __slots__ = ("_code", "_first", "first", "is_short", "names", "source")

    def __init__(self, tree: Node, source: str = "") -> None:
        self.source = source
        self.names = tuple(dict.fromkeys(groups(tree)))
        self._code = program(tree)
        steps = self._reached(0)
        if steps is None:
            raise PatternError(f"{source!r} may match no text at all")
        self.first = self._ways(steps, LOOK) or r"(?!)"
        self._first = re.compile(self.first, re.DOTALL)
        self.is_short = self._ends_within(0, LOOK)

    def search(
        self,
        text: str,
        at: int = 0,
        *,
        final: bool = False,
        begins: bool = False,
        anchored: bool = False,
    ) -> Found | None:
        """The first match from `at` on.

        final: no text follows. begins: the text begins all text. anchored: only at `at`.
        """
        run = self.run(text, at, final=final, begins=begins, anchored=anchored)
        while True:
            try:
                next(run)
            except StopIteration as done:
                found: Found | None = done.value
                return found

    def run(
        self, text: str, at: int, *, final: bool, begins: bool, anchored: bool = False
    ) -> Generator[int, None, Found | None]:
        """The search, step by step: each yields a place before which no match begins."""
        best: Found | None = None
        live: list[_Thread] = []
        seen: set[int] = set()
        start, end = at, len(text)
        while True:
            before = live.copy()
            if best is None and not (anchored and at > start):
                if not live and not anchored:
                    yield at
                    found = self._first.search(text, at)
                    at = found.start() if found else end
                best = self._add(live, seen, (0, at, ()), text, at, final, begins)
            if not live:
                if best is not None or at == end or anchored:
                    return best
                at += 1
                continue
            if at == end:
                return best if final else Found(live[0][1], None, {})
            char, threads, live, seen, won = text[at], live, [], set(), None
            at += 1
            for step, begun, saves in threads:
                if at - begun > MAX_HEAD or not self._code[step].test(char):
                    continue
                won = self._add(live, seen, (step + 1, begun, saves), text, at, final, begins)
                if won is not None:
                    best = won
                    break
            if won is None and live and live == before:
                at = self._past_run(threads, char, text, at, min(end - 1, live[0][1] + MAX_HEAD))

    def _past_run(self, threads: list[_Thread], char: str, text: str, at: int, end: int) -> int:
        """The end of the characters that change as little as this one, which changed nothing."""
        steps = (self._code[step] for step, _, _ in threads)
        alike = "".join(f"(?{'=' if step.test(char) else '!'}{step.source})" for step in steps)
        found = re.compile(f"(?:{alike}.)*", re.DOTALL).match(text, at, end)
        return found.end() if found else at

    def _add(
        self,
        live: list[_Thread],
        seen: set[int],
        thread: _Thread,
        text: str,
        at: int,
        final: bool,
        begins: bool,
    ) -> Found | None:
        """Follow the steps that take no character; the match where they lead to one."""
        step, begun, saves = thread
        waiting = [(step, saves)]
        while waiting:
            step, saves = waiting.pop()
            if step in seen:
                continue
            seen.add(step)
            code = self._code[step]
            op = code.op
            if op == CHAR:
                live.append((step, begun, saves))
            elif op == MATCH:
                if at > begun or (final and at == len(text)):
                    return _found(text, begun, at, saves)
            elif op == SPLIT:
                waiting += ((code.other, saves), (code.to, saves))
            elif op == JUMP:
                waiting.append((code.to, saves))
            elif op in (OPEN, CLOSE, AHEAD):
                waiting.append((step + 1, (*saves, (op, code.name, at))))
            elif (begins and at == 0) if op == BEGIN else (final and at == len(text)):
                waiting.append((step + 1, saves))
        return None

    def _reached(self, step: int, allowed: Iterable[str] = ()) -> list[int] | None:
        """The steps that may take the next character; None where none needs to come.

        allowed: characters that may come before. The end of all text is not reached.
        """
        found: list[int] = []
        waiting, seen = [step], set()
        while waiting:
            step = waiting.pop()
            if step in seen:
                continue
            seen.add(step)
            code = self._code[step]
            if code.op == MATCH:
                return None
            if code.op == CHAR:
                found.append(step)
                if any(code.test(char) for char in allowed):
                    waiting.append(step + 1)
            elif code.op == SPLIT:
                waiting += (code.to, code.other)
            elif code.op != END:
                waiting.append(code.to if code.op == JUMP else step + 1)
        return found

    def _ways(self, steps: Iterable[int], depth: int) -> str:
        """An expression of what these may take next: so many characters, or fewer and the text's
        end.
        """
        return "|".join(dict.fromkeys(self._way(step, depth) for step in steps))

    def _way(self, step: int, depth: int) -> str:
        after = self._reached(step + 1) if depth > 1 else None
        source = self._code[step].source
        if after is None:
            return source
        if depth == LOOK and step in after:  # only there: nested runs would take cubic time
            after = [at for at in after if at != step]
            source += f"{{1,{MAX_RUN}}}" + ("+" if self._ends_run(step, after) else "")
        return rf"{source}(?:\Z|{self._ways(after, depth - 1)})" if after else rf"{source}\Z"

    def _ends_run(self, step: int, after: Iterable[int]) -> bool:
        """Whether what comes after a run of characters is seen to be none of them."""
        sources = [self._code[at].source for at in after]
        test = self._code[step].test
        return all(text == re.escape(text[-1]) and not test(text[-1]) for text in sources)

    def _ends_within(self, step: int, count: int) -> bool:
        """Whether a match may end after so many characters more."""
        steps = self._reached(step)
        return steps is None or (
            count > 0 and any(self._ends_within(at + 1, count - 1) for at in steps)
        )

    def spelt_with(self, characters: str) -> bool:
        """Whether these characters alone may make a match."""
        return self._reached(0, characters) is None


def _found(text: str, start: int, end: int, saves: _Saves) -> Found:
    opened: dict[str, int] = {}
    found: dict[str, str] = {}
    for op, name, at in saves:
        if op == AHEAD:
            end = at
        elif op == OPEN:
            opened[name] = at
        else:
            found[name] = text[opened[name] : at]
    return Found(start, end, found)


class PatternScanner(Scanner):
    """Finds any of `patterns`, by marker; of two at one place the longer counts, then the first.

    begins: the text that is matched begins all text.
    """

    __slots__ = ("_begins", "_first", "_long", "_patterns")

    def __init__(self, patterns: Mapping[str, Pattern], *, begins: bool = False) -> None:
        self._patterns = dict(patterns)
        self._begins = begins
        self._first = re.compile("|".join(p.first for p in self._patterns.values()), re.DOTALL)
        self._long = not any(pattern.is_short for pattern in self._patterns.values())

    def search(self, text: str) -> tuple[int, int, str]:
        first = self._first.search(text)
        if first is None:
            return len(text), len(text), ""
        if self._long and first.end() == len(text):
            return first.start(), len(text), ""
        runs = {
            marker: pattern.run(text, first.start(), final=False, begins=self._begins)
            for marker, pattern in self._patterns.items()
        }
        order = {marker: at for at, marker in enumerate(runs)}
        held, best, to = len(text), (len(text), 0, 0), ""
        while runs:  # side by side, so that none goes on far behind the first match of all
            for marker, run in tuple(runs.items()):
                try:
                    if next(run) <= min(held, best[0]):
                        continue
                    found = None
                except StopIteration as done:
                    found = done.value
                del runs[marker]
                if found and found.end is None:
                    held = min(held, found.start)
                elif found:
                    ranked = found.start, -found.end, order[marker]
                    best, to = min((best, to), (ranked, marker))
        if not to or best[0] >= held:
            return held, len(text), ""
        return best[0], -best[1], to

    def match(self, text: str, *, final: bool = False) -> tuple[int, str] | None:
        best = (0, "")
        for marker, pattern in self._patterns.items():
            found = pattern.search(text, final=final, begins=self._begins, anchored=True)
            if found is None:
                continue
            if found.end is None:
                return len(text), ""
            best = max(best, (found.end, marker), key=lambda end_marker: end_marker[0])
        return best if best[1] else None
