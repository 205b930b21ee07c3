"""Send altered stream states, as many as wanted, and count what comes of them.

    python -m tests.long.altered_states --cases 100000 --seed 1

With a key every altered state must be a 400; without one nothing may be but an answer, a 400 or a
409. The first that is otherwise is printed; the exit code is then 1. The short run in
`tests/render_service/test_altered_states.py` is part of the tests.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from itertools import islice
from random import Random

from tests.render_service.altered_states import (
    alterations,
    is_one_of,
    known_states,
    outcome,
    states_of,
)
from tests.render_service.derender_client import parsed_demo


def run(cases: int, seed: int, key: tuple[str, ...]) -> Counter[str]:
    model = parsed_demo(state_key=key)
    states = states_of(model)
    known, counts = known_states(states), Counter[str]()
    for raw in islice(alterations(states, Random(seed)), cases):
        status = outcome(model, raw)
        if is_one_of(raw, known):
            counts["still a state of ours"] += 1
            allowed: tuple[int, ...] = (200,)
        else:
            counts[f"altered, {status}"] += 1
            allowed = (400,) if key else (200, 400, 409)
        if status not in allowed:
            sys.exit(f"status {status} for {raw!r}")
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    told = parser.parse_args()
    for name, key in (("with a key", ("a key",)), ("without a key", ())):
        print(name, dict(run(told.cases, told.seed, key)))


if __name__ == "__main__":
    main()
