"""Feed every parser name all outputs without end of `tests/parsers/test_bounds.py`.

    python -m tests.long.parser_bounds [NAME ...]

Prints the largest state of each name, without the value that it may hold; fails with the first
that is too large, or that depends on how the output was cut.
"""

from __future__ import annotations

import sys

import parsers
from tests.parsers.bits import SPECIAL_IDS, SPECIALS, load
from tests.parsers.test_bounds import check, contexts_of, endless


def main(wanted: list[str]) -> None:
    known = parsers.names()
    alone = [*((tool, None) for tool in known["tool"]), *((None, r) for r in known["reasoning"])]
    for tool, reasoning in alone:
        name = tool or reasoning or ""
        if wanted and name not in wanted:
            continue
        fmt = load(tool, reasoning, SPECIALS, SPECIAL_IDS)
        contexts = contexts_of(tool)
        sizes = [check(fmt, c, p) for c in contexts for p in endless(tool, reasoning, fmt)]
        print(f"{'tool' if tool else 'reasoning'} {name}: {max(sizes)} bytes in {len(sizes)}")


if __name__ == "__main__":
    main(sys.argv[1:])
