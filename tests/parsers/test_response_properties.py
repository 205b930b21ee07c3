"""Formats that models bring: cuts and snapshots change nothing, and states are bounded.

Over templates of every construct; `test_cuts.py` and `test_bounds.py` have one for each name.
"""

from __future__ import annotations

from itertools import cycle
from random import Random

from . import random_outputs
from .families import Family
from .support import streamed
from .test_bounds import check
from .test_response_template import AUTO, NONE, PROMPT, each, of, tokens


def written(rng: Random, family: Family) -> str:
    """An output: calls, markup, thoughts and words."""
    call = family.call
    assert call
    opens, closes = family.think
    bits = (*family.markup, opens, closes, "Hm.", " é", "\n", "  ", "<", "{", '"a": 1', "\x01")
    parts = []
    for _ in range(rng.randint(1, 9)):
        arguments = {key: random_outputs.json_value(rng) for key in rng.sample("abc", 2)}
        calls = rng.random() < 0.3
        parts.append(call(rng.choice(("look", "run")), arguments) if calls else rng.choice(bits))
    text = "".join(parts)
    at = rng.randint(0, len(text))
    return text[:at] + (random_outputs.stretched(rng) if rng.random() < 0.1 else "") + text[at:]


@each
def test_chunks_and_snapshots_change_nothing(family: Family) -> None:
    rng, fmt = Random(7), of(family.response_template)
    assert family.call
    prompts = ["", PROMPT, f"{PROMPT}{family.think[0]}", PROMPT + family.call("run", {"a": 1})[:-3]]
    for _ in range(20):
        text, context = written(rng, family), rng.choice((AUTO, NONE))
        prompt = tokens(rng.choice(prompts))
        whole = streamed(fmt, context, prompt, [[text]])
        for resumed in (False, True):
            cut = random_outputs.cut(rng, [text])
            assert streamed(fmt, context, prompt, cut, resumed=resumed) == whole
        chars = [[char] for char in text]
        assert streamed(fmt, context, prompt, chars, resumed=True) == whole


@each
def test_the_state_is_bounded(family: Family) -> None:
    fmt = of(family.response_template)
    assert family.call
    call = family.call("look", {"text": "a", "days": 7})
    fillers = ("n", " ", "<", '"', "{", call[: len(call) // 2])
    for end, filler in zip(range(0, len(call), 2), cycle(fillers), strict=False):
        check(fmt, AUTO, [call[:end], filler * (600 // len(filler))])
