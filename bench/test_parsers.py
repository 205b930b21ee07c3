"""Cost of every parser name: 4,000 tokens, one a chunk.

`stream` goes through resume, feed and snapshot with each token, as the service does; `feed` is
the parser alone. One group is one kind of output, so that names can be compared; a table of
microseconds a token comes at the end. A few names are measured, all with `--every-parser`.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import parsers
from parsers import Context, Format, Piece
from tests.parsers.bits import SPECIAL_IDS, SPECIALS, load

from .parser_outputs import KINDS, TOKENS, Names, context_of, measures, pieces_of

FEW = ("hermes", "qwen3_coder", "llama3_json", "qwen3", "deepseek_r1")
ROUNDS = 3

Times = dict[tuple[str, str], dict[str, float]]
TIMES = pytest.StashKey[Times]()


def stream(fmt: Format, context: Context, pieces: list[Piece]) -> None:
    current = fmt.start(context, None)
    for piece in pieces:
        current.feed([piece])
        current = fmt.resume(current.snapshot(), context)
    current.finish("length")


def feed(fmt: Format, context: Context, pieces: list[Piece]) -> None:
    current = fmt.start(context, None)
    for piece in pieces:
        current.feed([piece])
    current.finish("length")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    every = metafunc.config.getoption("--every-parser")
    known = parsers.names()
    names = {
        "call": [Names(name, None) for name in known["tool"]],
        "content": [Names(name, None) for name in known["tool"]],
        "reasoning": [Names(None, name) for name in known["reasoning"]],
    }
    cases = [
        pytest.param(kind, how, name, id=f"{kind}-{how.__name__}-{name}")
        for kind in KINDS
        for how in (stream, feed)
        for name in names[kind]
        if every or str(name) in FEW
    ]
    metafunc.parametrize(("kind", "how", "names"), cases)


# The processor's time: the work is its alone, and other processes do not count.
@pytest.mark.benchmark(timer=time.process_time)
def test_parser(
    benchmark: BenchmarkFixture,
    request: pytest.FixtureRequest,
    kind: str,
    how: Callable[[Format, Context, list[Piece]], None],
    names: Names,
) -> None:
    fmt = load(*names, SPECIALS, SPECIAL_IDS)
    context, pieces = context_of(names), pieces_of(fmt, names, kind)
    assert measures(kind, fmt.parse(pieces, context, finish_reason="length"))
    benchmark.group = f"{kind}, {how.__name__}"
    benchmark.pedantic(how, (fmt, context, pieces), rounds=ROUNDS, warmup_rounds=1)  # type: ignore[no-untyped-call]  # theirs
    if benchmark.stats is not None:  # None with --benchmark-disable
        each = 1e6 * benchmark.stats.stats.min / TOKENS
        times = request.config.stash.setdefault(TIMES, {})
        times.setdefault((kind, how.__name__), {})[str(names)] = each
