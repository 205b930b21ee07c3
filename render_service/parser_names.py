"""Whether parser names are known; a misspelled one is answered with its near matches."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

import parsers

from .hub import StartupError


def check_parser_names(tool: str | None, reasoning: str | None) -> None:
    """Raises StartupError. vLLM takes an empty name for none."""
    known = parsers.names()
    for flag, name, names in (
        ("--tool-call-parser", tool, known["tool"]),
        ("--reasoning-parser", reasoning, known["reasoning"]),
    ):
        if name and name not in names:
            raise StartupError(f"unknown {flag} {name!r}: {_near(name, names)}")


def _near(name: str, names: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, names, n=5, cutoff=0.5)
    return f"did you mean {', '.join(close)}?" if close else f"known are {', '.join(sorted(names))}"
