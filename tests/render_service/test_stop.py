"""How an output ends: vLLM's recorded answers."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from render_service.derender_common import decode_output
from render_service.detokenizer import Detokenizer
from render_service.generation import GenerationDefaults
from render_service.protocol.generate import GenerateChoice
from render_service.request_facts import RequestFacts
from render_service.stop import StopRules, drop_stop_token, find_stop_string

from .tokenizers_of import tokenizer_of

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "stop.json").read_text())
GENERATION = GenerationDefaults({}, GOLDEN["eos"], frozenset(GOLDEN["model_eos"]), None)


def rules_of(case: dict[str, Any]) -> StopRules:
    found = case["rules"]
    if found is None:
        return StopRules()
    ids = frozenset(found["stop_token_ids"])
    return StopRules(**{**found, "stop": tuple(found["stop"]), "stop_token_ids": ids})


@pytest.mark.parametrize("case", GOLDEN["tokens"])
def test_stop_token(case: dict[str, Any]) -> None:
    ids, stop_reason = drop_stop_token(
        case["ids"], case["finish_reason"], case["stop_reason"], rules_of(case), GENERATION
    )
    assert [ids, stop_reason] == case["answer"]


def test_no_tokens_and_no_eos() -> None:
    assert drop_stop_token([], "stop", None, StopRules(), GENERATION) == ([], None)
    none = GenerationDefaults({}, None, frozenset(), None)
    assert drop_stop_token([7], "stop", None, StopRules(), none) == ([7], None)


@pytest.mark.parametrize("case", GOLDEN["strings"])
def test_stop_string(case: dict[str, Any]) -> None:
    text = GOLDEN["text"]
    found = find_stop_string(text, case["new_chars"], case["stop"], case["include"])
    expected = case["answer"]
    if expected is not None and expected[1] == -1:
        expected = [expected[0], len(text)]
    assert found == (None if expected is None else tuple(expected))


@settings(max_examples=100, deadline=None)
@given(
    text=st.text("ab", max_size=12),
    stop=st.lists(st.text("ab", min_size=1, max_size=3), max_size=3),
    cut=st.integers(0, 12),
)
def test_stop_string_is_the_one_that_letter_by_letter_comes_first(
    text: str, stop: list[str], cut: int
) -> None:
    """Only strings that end after the first `cut` characters count."""
    expected = None
    for end in range(cut + 1, len(text) + 1):
        if expected is None:
            expected = next(((s, end - len(s)) for s in stop if text[:end].endswith(s)), None)
    assert find_stop_string(text, len(text) - cut, stop, False) == expected


@pytest.mark.parametrize("case", GOLDEN["outputs"])
def test_whole_output(case: dict[str, Any]) -> None:
    generation = GenerationDefaults({}, case["eos"], frozenset([case["eos"]]), None)
    model: Any = SimpleNamespace(
        detokenizer=Detokenizer(tokenizer_of("demo")), generation=generation
    )
    choice = GenerateChoice(
        index=0,
        finish_reason=case["finish_reason"],
        stop_reason=case["stop_reason"],
        token_ids=case["ids"],
    )
    facts = RequestFacts(stop=rules_of(case))
    pieces, stop_reason = decode_output(model, choice, facts, None, pieces=False)
    assert ["".join(pieces), stop_reason] == case["answer"]
