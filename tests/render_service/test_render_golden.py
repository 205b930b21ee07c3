"""Our answers to hundreds of requests against those that a vLLM 0.33.0 render server gave.

Same status, `type` and `param`; the same message where it is vLLM's own text; a rendered request
equal key for key, in the same order. What differs on purpose is in render_service/corpus/known.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from render_service.corpus import known
from render_service.loading import load_model
from render_service.model import Model

from . import golden

FILES = (
    *("chat", "completion", "tokenize", "raw", "plain", "grammar", "llama", "coder"),
    *("responses", "messages", "plain_doors", "llama_doors", "written_doors", "filler_doors"),
    *("filler", "spellings"),
)


def cases() -> list[Any]:
    found = []
    for name in FILES:
        model, settings, records = golden.load(name)
        found += [
            pytest.param((name, model, json.dumps(settings)), record, id=f"{name}-{index}")
            for index, record in enumerate(records)
        ]
    return found


@lru_cache(maxsize=2)
def served(settings: str, folder: Path) -> Model:
    return load_model(golden.settings(json.loads(settings), folder))


@pytest.mark.parametrize(("server", "record"), cases())
def test_same_answer_as_vllm(
    server: tuple[str, str, str],
    record: golden.Record,
    model_folder: Callable[[str], Path],
) -> None:
    _, model, settings = server
    status, answer = golden.answer(served(settings, model_folder(model)), record)
    expected = record["answer"]
    if known.reason(record["path"], record["case"], {"status"}):
        assert (status, answer) != (record["status"], expected), "no longer different"
        assert status in (200, 400)
        return
    assert status == record["status"], answer
    if status != 200:
        other_words = known.reason(record["path"], record["case"]) is not None
        same_error(answer["error"], expected["error"], other_words)
        return
    assert answer == expected
    assert json.dumps(answer) == json.dumps(expected), "order of the keys"


def same_error(error: dict[str, Any], expected: dict[str, Any], other_words: bool) -> None:
    for field in ("type", "param", "code"):
        assert error[field] == expected[field], error
    assert error["message"]
    if expected["message"] is not None and not other_words:
        assert error["message"] == expected["message"]
