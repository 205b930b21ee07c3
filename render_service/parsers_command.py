"""`render-service parsers`: the names that --tool-call-parser and --reasoning-parser take."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Iterator

import parsers

from .stdout import reader_may_leave

TITLES = {"tool": "--tool-call-parser", "reasoning": "--reasoning-parser"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--json", action="store_true", default=False, help="Print JSON instead of text."
    )


def run(args: argparse.Namespace) -> int:
    """Names of one format share a line; below it stands what that format looks for."""
    every = parsers.describe()
    with reader_may_leave():
        if args.json:
            found = [dataclasses.asdict(facts) for facts in every]
            print(json.dumps(found, ensure_ascii=False, indent=2))
        else:
            print("\n".join(line for kind in TITLES for line in _section(kind, every)))
    return 0


def _section(kind: str, every: list[parsers.Facts]) -> Iterator[str]:
    formats = [facts for facts in every if facts.kind == kind]
    count = sum(len(facts.names) for facts in formats)
    yield f"{TITLES[kind]}: {count} names, {len(formats)} formats"
    for facts in formats:
        yield ""
        yield from _lines(facts)
    yield ""


def _lines(facts: parsers.Facts) -> Iterator[str]:
    others = [name for name in facts.names if name != facts.family]
    yield ", ".join([facts.family, *others] if facts.family in facts.names else others)
    rows = {
        "calls": [facts.calls + _forced(facts)],
        "needs tokens": facts.needs,
        "tokens": [marker for marker in facts.tokens if marker not in facts.needs],
        "as text": facts.texts,
        "in the prompt": facts.prompt,
        "read from": ["response_template in tokenizer_config.json"] if facts.from_template else [],
        "switched off by": facts.switches,
    }
    for title, words in rows.items():
        if any(words):
            yield f"  {title:16}{'  '.join(map(_shown, words))}"


def _forced(facts: parsers.Facts) -> str:
    choices = " or ".join(facts.forced)
    return choices and f" (plain JSON where the tool choice is {choices})"


def _shown(marker: str) -> str:
    return marker.replace("\n", "\\n")
