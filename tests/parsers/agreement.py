"""How far our answers are vLLM's, name by name, from the recorded cases: the table in the docs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .support import FILES, GOLDEN, recorded

DOCS = Path(__file__).parents[2] / "docs" / "parser-differences.md"
BEGIN = "<!-- agreement: written by tests/record/parser_agreement.py -->"
END = "<!-- end of agreement -->"
TITLES = (
    "parser",
    "cases",
    "equal",
    "deliberate differences (as streamed)",
    "vLLM differs by chunking",
)


class Row(NamedTuple):
    """cases: recorded ones. different: not vLLM's whole answer, for a reason. streamed: of these,
    one of its streamed answers. unsteady: its streamed answers differ from each other.
    """

    name: str
    cases: int
    different: int
    streamed: int
    unsteady: int

    def cells(self) -> tuple[str, ...]:
        equal = self.cases - self.different
        different = f"{self.different} ({self.streamed})"
        return self.name, str(self.cases), str(equal), different, str(self.unsteady)


def rows() -> Iterator[Row]:
    """A row a name, over all recordings that it takes part in; then all cases, each once."""
    differences = json.loads((GOLDEN / "differences.json").read_text(encoding="utf-8"))
    found: dict[tuple[int, str], list[Row]] = {}
    for file in FILES:
        facts, cases = recorded(file)
        different = list(differences.get(file, {}).values())
        unsteady = sum(map(is_unsteady, cases))
        row = Row(file, len(cases), len(different), different.count("stream"), unsteady)
        for place, kind in enumerate(("tool", "reasoning")):
            if facts[kind]:
                found.setdefault((place, facts[kind]), []).append(row)
        found.setdefault((2, ""), []).append(row)
    for (place, name), files in sorted(found.items()):
        title = (f"`{name}` calls", f"`{name}` reasoning", "all")[place]
        yield Row(title, *(sum(column) for column in zip(*(row[1:] for row in files), strict=True)))


def is_unsteady(case: dict[str, Any]) -> bool:
    """Whether vLLM's streamed answer depends on how many tokens a chunk has.

    The recording leaves out streamed answers that are the whole one.
    """
    answers = [case["stream"].get(size, case["batch"]) for size in ("1", "3", "7")]
    answers.append(case["stream"].get("all", case["batch"]))
    return any(answer != answers[0] for answer in answers)


def table() -> str:
    lines = [TITLES, ("---", *["---:"] * 4), *(row.cells() for row in rows())]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def with_table(text: str) -> str:
    """The document with the table between its marks."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the marks {BEGIN} and {END} are missing")
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"
