"""Our answers to hundreds of requests against those that a vLLM 0.33.0 render server gave.

Same status, `type` and `param`; the same message where it is vLLM's own text; a rendered request
equal key for key, in the same order. What differs on purpose is listed below.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from render_service.loading import load_model
from render_service.model import Model

from . import golden

STRUCTURED = "a dump of Python's dict in vLLM, here the names to choose from"
NOT_JSON = "vLLM reads NaN, Infinity and unpaired surrogates, which JSON does not have"
PARTS = "vLLM takes strings and untyped parts in custom roles only, here in all"
PYTHON = "a Python exception's text in vLLM"

# By file and start of the case's name: our message differs, the rest is equal.
OTHER_WORDS = {
    ("chat", "structured"): STRUCTURED,
    ("completion", "structured"): STRUCTURED,
    ("chat", "response_format={'type': 'json_schema'"): STRUCTURED,
    ("completion", "response_format={'type': 'json_schema'"): STRUCTURED,
    ("chat", "messages"): PYTHON,
    ("tokenize", "detokenize 6"): PYTHON,
}
# More differs.
DELIBERATE = {
    ("chat", "stream options null"): "unknown stream options are not passed on",
    ("completion", "stream options null"): "unknown stream options are not passed on",
    ("chat", "structured_outputs='x'"): "500 in vLLM",
    ("completion", "structured_outputs='x'"): "500 in vLLM",
    ("chat", "messages 20"): PARTS,
    ("chat", "messages 21"): PARTS,
    ("chat", "messages 22"): PARTS,
    ("chat", "messages 23"): PARTS,
    ("completion", "prompt 18"): "true is no token ID",
    ("tokenize", "chat tools"): "vLLM leaves `reasoning_content` out, unlike its render",
    ("raw", "raw 8 "): "vLLM answers without its error shape",
    ("raw", "raw 9 "): NOT_JSON,
    ("raw", "raw 10 "): NOT_JSON,
    ("raw", "raw 11 "): NOT_JSON,
    ("raw", "raw 14 "): "nesting is bounded",
}
FILES = ("chat", "completion", "tokenize", "raw", "plain", "grammar", "llama", "coder")


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


def known(differences: dict[tuple[str, str], str], name: str, case: str) -> bool:
    return any(file == name and case.startswith(start) for file, start in differences)


@pytest.mark.parametrize(("server", "record"), cases())
def test_same_answer_as_vllm(
    server: tuple[str, str, str],
    record: golden.Record,
    model_folder: Callable[[str], Path],
) -> None:
    name, model, settings = server
    status, answer = golden.answer(served(settings, model_folder(model)), record)
    expected = record["answer"]
    if known(DELIBERATE, name, record["case"]):
        assert (status, answer) != (record["status"], expected), "no longer different"
        assert status in (200, 400)
        return
    assert status == record["status"], answer
    if status != 200:
        same_error(answer["error"], expected["error"], known(OTHER_WORDS, name, record["case"]))
        return
    assert answer == expected
    assert json.dumps(answer) == json.dumps(expected), "order of the keys"


def same_error(error: dict[str, Any], expected: dict[str, Any], other_words: bool) -> None:
    for field in ("type", "param", "code"):
        assert error[field] == expected[field], error
    assert error["message"]
    if expected["message"] is not None and not other_words:
        assert error["message"] == expected["message"]
