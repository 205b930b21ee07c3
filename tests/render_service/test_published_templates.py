"""Published chat templates give the prompts that vLLM gives, token for token
(tests/record/templates.py).

Each template renders a share of the corpus's conversations, in turn, so that every conversation and
every template has its turns; with RENDER_TEST_ALL=1 all 40,000.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from render_service import template
from render_service.corpus import Case, conversation_cases
from render_service.loading import load_model
from render_service.model import Model
from render_service.settings import Settings
from tests.render_service.published import DIGITS, GOLDEN, RENDERED_ON, digest, ours

SHARE = 1 if os.environ.get("RENDER_TEST_ALL") else 8
HEAD, *LINES = map(json.loads, GOLDEN.read_text(encoding="utf-8").splitlines())


@lru_cache(maxsize=1)  # the lines are sorted by model
def served(folder: Path) -> Model:
    return load_model(
        Settings(
            model=str(folder),
            served_model_name=("served",),
            trust_request_chat_template=True,
            fingerprint="off",
        )
    )


def test_the_corpus_is_the_recorded_one() -> None:
    assert HEAD["conversations"] == [case.name for case in conversation_cases()]
    assert len(LINES) >= 60


@pytest.mark.parametrize("line", LINES, ids=[line["template"] for line in LINES])
def test_prompts_of_vllm(
    line: dict[str, Any],
    models_dir: Path,
    model_folder: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = models_dir / "templates" / line["template"]
    if not path.is_file():
        pytest.skip(f"no {path}")
    source = path.read_text(encoding="utf-8")
    model = served(model_folder(line["model"]))
    monkeypatch.setitem(template._GLOBALS, "strftime_now", RENDERED_ON.strftime)
    cases = conversation_cases()
    different = [
        cases[at].name
        for at in range(LINES.index(line) % SHARE, len(cases), SHARE)
        if digest(ours(model, {**body_of(cases[at]), "chat_template": source}))
        != line["digests"][at * DIGITS :][:DIGITS]
    ]
    assert not different


def body_of(case: Case) -> Mapping[str, Any]:
    assert not isinstance(case.body, bytes)
    return case.body
