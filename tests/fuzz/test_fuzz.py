"""Each target's corpus, then a second of changed inputs. `make fuzz` runs as long as it is told."""

from __future__ import annotations

import pytest

from .engine import run_one
from .target import CORPUS, corpus
from .targets import NAMES, load, run


@pytest.mark.parametrize("name", NAMES)
def test_only_the_documented_refusals(name: str) -> None:
    assert run(name, None, seconds=1.0, seed=2).executions


def test_every_kept_input_belongs_to_a_target() -> None:
    folders = {folder.name for folder in CORPUS.iterdir()}
    assert folders <= set(NAMES)
    assert all(corpus(name) for name in folders)


def test_a_wrong_value_behind_a_plain_one_is_refused() -> None:
    """Found by fuzzing: msgspec names no key of a mapping, and the first led nowhere."""
    data = b'{"input": "Hi", "vllm_xargs": {"a": 1, "b": [{}]}}'
    assert run_one(load("decode-responses"), data).startswith("400 body.vllm_xargs ")
