"""Cut and resume generated outputs of every parser name, as many as wanted.

    python -m tests.long.parser_cuts --cases 200000 --seed 1

A case is a name or a pair of names, an output and a way to cut it. Its events, once adjacent ones
are joined, must be those of the whole output, in the same order and also through a snapshot after
each chunk, no snapshot too large, no text out more often than it came in, and the arguments of its
calls JSON or a prefix of it. A failing case is shrunk and printed; the exit code is then 1.
The short run in `tests/parsers/test_cuts.py` is part of the tests.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from random import Random
from typing import NamedTuple

import parsers
from parsers import Content, Context, Event, Format, Piece, Reasoning, Special, ToolCall
from parsers.format import joined
from tests.parsers import random_outputs
from tests.parsers.bits import PLAIN, SPECIAL_IDS, SPECIALS, TOOLS, load, seen
from tests.parsers.json_prefix import is_json_prefix
from tests.parsers.random_outputs import Chunks
from tests.parsers.support import characters
from tests.parsers.test_bounds import BOUND, value_held

SHOWN = 20
"""Failing cases that are printed."""
SHRINKING = 10.0
"""Seconds until a failing case is printed as it then is."""
ADDED = Counter("<think>")
"""What a parser may write that the model did not: `minimax_m2_append_think` does. Newlines beside,
which stand between messages, or for those that are spelt as escapes.
"""


@dataclass(frozen=True, slots=True)
class Case:
    tool: str | None
    reasoning: str | None
    plain: bool
    context: Context
    prompt: list[int] | None
    chunks: Chunks
    resumed: bool


class Outcome(NamedTuple):
    """largest: characters of the largest state, without the value that it may hold whole."""

    events: list[Event]
    called: bool
    largest: int


@dataclass(slots=True)
class Report:
    cases: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


@cache
def loaded(tool: str | None, reasoning: str | None, plain: bool) -> Format | None:
    """None where the names do not go together, or not with the vocabulary."""
    try:
        return load(tool, reasoning, PLAIN if plain else SPECIALS, SPECIAL_IDS)
    except ValueError:
        return None


def names_in_turn(rng: Random) -> Iterator[tuple[str | None, str | None]]:
    """All names alone, then with these all pairs that may be configured, again and again."""
    known = parsers.names()
    alone = [(tool, None) for tool in known["tool"]] + [(None, r) for r in known["reasoning"]]
    pairs = alone + list(product(known["tool"], known["reasoning"]))
    while True:
        yield from alone
        rng.shuffle(pairs)
        yield from (pair for pair in pairs if loaded(*pair, False))


def fault(case: Case) -> str | None:
    """What is wrong with the case; None for nothing."""
    fmt = loaded(case.tool, case.reasoning, case.plain)
    assert fmt
    try:
        whole = streamed(fmt, case.context, case.prompt, [glued(case.chunks)])
        parts = streamed(fmt, case.context, case.prompt, case.chunks, resumed=case.resumed)
        if parts[:2] != whole[:2]:
            uncut = streamed(fmt, case.context, case.prompt, case.chunks)
            return "snapshot" if case.resumed and whole[:2] == uncut[:2] else "chunking"
    except Exception as error:
        return f"raises {type(error).__name__}"
    if not all(is_json_prefix(call.arguments) for call in joined(whole.events)[2]):
        return "arguments"
    if repeated(whole.events, glued(case.chunks)):
        return "repeated"
    return "state" if parts.largest > BOUND else None


def streamed(
    fmt: Format,
    context: Context,
    prompt: Sequence[int] | None,
    chunks: Chunks,
    *,
    resumed: bool = False,
) -> Outcome:
    """`resumed`: through JSON after each chunk, with as much of the context as the format needs."""
    stream, needed = fmt.start(context, prompt), fmt.needs(context)
    events: list[Event] = []
    largest = 0
    for chunk in chunks:
        events += stream.feed(chunk)
        if resumed:
            state = stream.snapshot()
            held = value_held(stream._decoder)
            largest = max(largest, size_of(state) - sum(map(size_of, held)))
            stream = fmt.resume(json.loads(json.dumps(state)), needed)
    events += stream.finish("stop")
    return Outcome(merged(events), stream.called, largest)


def repeated(events: list[Event], pieces: list[Piece]) -> bool:
    """Whether a character is text more often than the output has it."""
    text = "".join(e.text for e in events if isinstance(e, (Content, Reasoning)))
    return bool(Counter(text.replace("\n", "")) - Counter("".join(pieces)) - ADDED)


def size_of(value: object) -> int:
    """Characters as JSON has them; those of a text each count once, also a newline, since what
    holds text back is bounded in characters of it.
    """
    if isinstance(value, list):
        return 2 * max(1, len(value)) + sum(map(size_of, value))
    return len(value) + 2 if isinstance(value, str) else len(json.dumps(value))


def merged(events: list[Event]) -> list[Event]:
    """Adjacent events of one kind are one."""
    found: list[Event] = []
    for event in events:
        last = found[-1] if found else None
        if last and type(last) is type(event) and not isinstance(event, ToolCall):
            *index, text = event
            *before, start = last
            if index == before:
                found[-1] = type(event)(*index, start + text)  # type: ignore[arg-type,call-arg]  # of one kind
                continue
        found.append(event)
    return found


def glued(chunks: Chunks) -> list[Piece]:
    """All in one chunk, text in as few pieces as there can be."""
    pieces: list[Piece] = []
    for chunk in chunks:
        for piece in chunk:
            if pieces and not {type(pieces[-1]), type(piece)} - {str}:
                pieces[-1] += piece
            else:
                pieces.append(piece)
    return pieces


def cases(rng: Random) -> Iterator[Case]:
    """Without end: four ways to cut each output, the last two with resuming.

    Some outputs have special tokens that the format did not ask for.
    """
    for tool, reasoning in names_in_turn(rng):
        plain = rng.random() < 0.3 and loaded(tool, reasoning, True) is not None
        fmt = loaded(tool, reasoning, plain)
        vocab = PLAIN if plain else SPECIALS
        if fmt and rng.random() < 0.8:
            vocab = seen(fmt, vocab)
        pieces = random_outputs.output(rng, tool, reasoning, vocab)
        context = random_outputs.context(rng, random_outputs.told(rng, tool, reasoning))
        case = Case(tool, reasoning, plain, context, random_outputs.prompt(rng, vocab), [], False)
        for resumed in (False, False, True):
            yield replace(case, chunks=random_outputs.cut(rng, pieces), resumed=resumed)
        yield replace(case, chunks=[[c] for c in characters(pieces)], resumed=True)


def run(count: int, seed: int, seconds: float | None = None) -> Report:
    """count: cases; fewer where the seconds are over before."""
    report = Report()
    end = None if seconds is None else time.monotonic() + seconds
    for case in cases(Random(seed)):
        if report.cases >= count or (end is not None and time.monotonic() > end):
            break
        report.cases += 1
        name = "+".join(filter(None, (case.tool, case.reasoning)))
        report.names[name] += 1
        found = fault(case)
        if found is None:
            continue
        report.kinds[found] += 1
        shown = f"{name}: {found}"
        if len(report.failures) < SHOWN and not any(f.startswith(shown) for f in report.failures):
            report.failures.append(f"{shown}\n{described(shrunk(case, found))}")
    return report


def shrunk(case: Case, found: str) -> Case:
    """The case without what it does not need to fail in the same way."""
    end = time.monotonic() + SHRINKING

    def fails(chunks: Chunks) -> bool:
        return fault(replace(case, chunks=chunks)) == found

    again = True
    while again:
        again = False
        for smaller in _smaller(case.chunks):
            if time.monotonic() > end:
                return case
            if fails(smaller):
                case, again = replace(case, chunks=smaller), True
                break
    for context in _simpler(case.context):
        if fault(replace(case, context=context)) == found:
            case = replace(case, context=context)
    return case


def _smaller(chunks: Chunks) -> Iterator[Chunks]:
    for size in (8, 4, 2, 1):
        for at in range(0, len(chunks), size):
            yield chunks[:at] + chunks[at + size :]
    for at, chunk in enumerate(chunks):
        if at and len(chunks) > 2:  # one cut less
            yield [*chunks[: at - 1], glued([chunks[at - 1], chunk]), *chunks[at + 1 :]]
        for place, piece in enumerate(chunk):
            rest = [*chunk[:place], *chunk[place + 1 :]]
            if rest:
                yield [*chunks[:at], rest, *chunks[at + 1 :]]
            if isinstance(piece, Special) or len(piece) == 1:
                continue
            for size in sorted({len(piece) // 2, 3, 1} - {0}, reverse=True):
                for start in range(0, len(piece), size):
                    less = piece[:start] + piece[start + size :]
                    if less:
                        shorter = [*chunk[:place], less, *chunk[place + 1 :]]
                        yield [*chunks[:at], shorter, *chunks[at + 1 :]]


def _simpler(context: Context) -> Iterator[Context]:
    yield Context(tools=context.tools, tool_choice=context.tool_choice, named_tool="look")
    yield Context(tools=TOOLS, tool_choice="auto")


def described(case: Case) -> str:
    """As Python, to be pasted into a test."""
    fmt = loaded(case.tool, case.reasoning, case.plain)
    assert fmt
    chunks = [[_shown(piece) for piece in chunk] for chunk in case.chunks]
    context = case.context
    try:
        whole = streamed(fmt, context, case.prompt, [glued(case.chunks)])
        parts = streamed(fmt, context, case.prompt, case.chunks, resumed=case.resumed)
    except Exception as error:
        whole, parts = error, None  # type: ignore[assignment]  # only shown
    return (
        f"  vocabulary {'PLAIN' if case.plain else 'SPECIALS'}, prompt {case.prompt}, "
        f"resumed {case.resumed}\n"
        f"  tools {bool(context.tools)}, {context.tool_choice}, "
        f"parallel {context.parallel_tool_calls}, reasoning {context.include_reasoning}, "
        f"{dict(context.template_kwargs)}\n"
        f"  chunks [{', '.join('[' + ', '.join(chunk) + ']' for chunk in chunks)}]\n"
        f"  whole  {whole}\n  cut    {parts}"
    )


def _shown(piece: Piece) -> str:
    return f"Special({str(piece)!r})" if isinstance(piece, Special) else repr(piece)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, help="End after so long.")
    args = parser.parse_args(argv)
    report = run(args.cases, args.seed, args.seconds)
    print("\n".join(report.failures))
    print(
        f"{report.cases} cases of {len(report.names)} names and pairs, seed {args.seed}: "
        + ", ".join(
            f"{report.kinds[kind]} {what}"
            for kind, what in (
                ("chunking", "chunking differences"),
                ("snapshot", "snapshot differences"),
                ("arguments", "arguments that are no JSON"),
                ("repeated", "texts that are repeated"),
                ("state", "states that are too large"),
            )
        )
        + "".join(f", {n} times {k}" for k, n in report.kinds.items() if k.startswith("raises"))
    )
    return 1 if report.kinds else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
