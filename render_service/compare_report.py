"""What a comparison found: counted by step, and printed as a table, lines, or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .answer_differences import ABSENT, Difference
from .compare_steps import STEPS, Compared

SHOWN = 160
"""Characters of a value on a line."""


Known = Callable[[Sequence[str]], str | None]
"""Why these fields of an answer may differ, None if they may not."""


@dataclass
class Count:
    """Answers by what came of comparing them; known: different on purpose, for bundled requests."""

    equal: int = 0
    different: int = 0
    known: int = 0
    skipped: int = 0


@dataclass
class Report:
    """ignored: fields (paths without indices) whose differences do not count, with all below them.

    lost: what a server that stopped answering was asked.
    """

    peer: str
    ours: str
    ignored: tuple[str, ...] = ()
    counts: dict[str, Count] = field(default_factory=dict)
    different: list[Compared] = field(default_factory=list)
    known: list[tuple[Compared, str]] = field(default_factory=list)
    lost: str | None = None

    def add(self, compared: Compared, known: Known) -> Compared | None:
        """What of it is to be shown; None where both answered alike, or as is known."""
        count = self.counts.setdefault(compared.step, Count())
        if compared.skipped is not None:
            count.skipped += 1
            return None
        found = [one for one in compared.found if not self._ignores(one)]
        if not found:
            count.equal += 1
            return None
        why = compared.known or known([one.field for one in found])
        if why is not None:
            count.known += 1
            self.known.append((compared, why))
            return None
        shown = compared._replace(found=found)
        count.different += 1
        self.different.append(shown)
        return shown

    def _ignores(self, difference: Difference) -> bool:
        path = f"{difference.field}."
        return any(path.startswith(f"{name}.") for name in self.ignored)

    def table(self) -> str:
        rows = [("step", *(name for name in vars(Count())))]
        for step in STEPS:
            if (count := self.counts.get(step)) is not None:
                rows.append((step, *map(str, vars(count).values())))
        return "\n".join(
            f"{row[0]:10}" + "".join(f"{cell:>10}" for cell in row[1:]) for row in rows
        )

    def json(self) -> str:
        found = {
            "peer": self.peer,
            "ours": self.ours,
            "lost": self.lost,
            "steps": {step: vars(count) for step, count in self.counts.items()},
            "known": [
                {"step": one.step, "case": one.case, "reason": why} for one, why in self.known
            ],
            "differences": [
                {"step": one.step, "case": one.case, **_builtin(difference)}
                for one in self.different
                for difference in one.found
            ],
        }
        return json.dumps(found, indent=2)


def lines(compared: Compared, limit: int = 5) -> Iterator[str]:
    """For people: the case, and its differences below, `limit` of them."""
    yield f"{compared.step} {_printable(repr(compared.case))}"
    for one in compared.found[:limit]:
        yield f"  {one.path}: {shown(one.theirs)} | {shown(one.ours)}"
    if len(compared.found) > limit:
        yield f"  and {len(compared.found) - limit} more"


def shown(value: Any) -> str:
    if value is ABSENT:
        return "(absent)"
    text = _printable(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _printable(text: str) -> str:
    """Without what a terminal would act on."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )


def _builtin(difference: Difference) -> dict[str, Any]:
    values = {"peer": difference.theirs, "ours": difference.ours}
    given = {name: value for name, value in values.items() if value is not ABSENT}
    return {"path": difference.path, **given}
