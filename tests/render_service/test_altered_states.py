"""States that a client altered: 400 with a key, and without one at least never a 500."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from .altered_states import alterations, is_one_of, known_states, outcome, states_of
from .derender_client import parsed_demo


@pytest.mark.parametrize("key", [("a key",), ()])
def test_altered_states(key: tuple[str, ...]) -> None:
    model = parsed_demo(state_key=key)
    states = states_of(model)
    known = known_states(states)
    for raw in islice(alterations(states, random.Random(1)), 3000):
        status = outcome(model, raw)
        if is_one_of(raw, known):
            assert status == 200, raw
        elif key:
            assert status == 400, raw
        else:
            assert status in (200, 400, 409), raw
