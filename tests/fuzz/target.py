"""A fuzz target: a function over bytes that may refuse them in one documented way only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

CORPUS = Path(__file__).parent / "corpus"


class Target(NamedTuple):
    """run: takes an input and says in a word what came of it; what it raises is a fault.
    seeds: inputs to begin with. words: what inputs are written with.
    heads: first lines of inputs, where these choose what reads the rest.
    """

    run: Callable[[bytes], str]
    seeds: Sequence[bytes]
    words: Sequence[bytes] = ()
    heads: Sequence[bytes] = ()


def corpus(name: str) -> list[bytes]:
    """The inputs that are kept for a target; a folder that libFuzzer reads as well."""
    return [path.read_bytes() for path in sorted((CORPUS / name).glob("*"))]
