"""The adapter gives the answers that were recorded from vLLM itself, whole and streamed.

Needs vLLM 0.33.0 and the tokenizer that the answers were recorded with:

    PYTHONPATH=. python -m pytest tests/render_service/test_vllm_*.py

by a Python that has both vLLM and what this service needs.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.version import Version

from render_service.corpus import known
from render_service.loading import load_model
from render_service.model import Model
from render_service.settings import Settings
from tests.parsers.support import recorded
from tests.record.cohere_calls import without_calls_in

from . import golden
from .derender_client import Json, chat, cut, joined, message_of, stream
from .family_models import make

if importlib.util.find_spec("vllm") is None:
    pytest.skip("vLLM is not installed", allow_module_level=True)

# Recorded with the tokenizer of qwen3 as it is.
FILES = (
    "hermes",
    "hermes+qwen3",
    "hermes+deepseek_r1",
    "qwen3",
    "qwen3_coder+qwen3",
    "qwen3_xml+deepseek_r1",
)
FOLDER = Path(__file__).parent.parent / "golden" / "families"
SIZES = {"1": 1, "3": 3, "7": 7, "all": 10**6}


@pytest.fixture(scope="module", params=FILES)
def file(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def model(file: str, model_folder: Callable[[str], Path]) -> Model:
    facts, _ = recorded(file)
    return load_model(
        Settings(
            model=str(model_folder("qwen3")),
            tool_call_parser=facts["tool"],
            reasoning_parser=facts["reasoning"],
            enable_auto_tool_choice=facts["tool"] is not None,
            parser_backend="vllm",
        )
    )


def ids_of(model: Model, case: Json) -> list[int]:
    """The tokens of the case: each has one piece, which is text or a special token's."""
    ids: list[int] = []
    for piece in case["pieces"]:
        token = None if isinstance(piece, str) else model.tokenizer.token_to_id(piece[0])
        ids += model.tokenizer.encode_ordinary("".join(piece)) if token is None else [token]
    return ids


def shape(message: Json) -> Json:
    """As it was recorded."""
    calls = [[call["name"], call["args"]] for call in message["calls"]]
    return {**message, "calls": calls}


def blank_is_none(answer: Json) -> Json:
    return {
        **answer,
        "content": answer["content"] or None,
        "reasoning": answer["reasoning"] or None,
    }


def test_whole_answers(model: Model, file: str) -> None:
    for case in recorded(file)[1]:
        request = {"messages": [{"role": "user", "content": "hi"}], **case["request"]}
        ids = ids_of(model, case)
        if not ids:
            continue
        choice = {"index": 0, "token_ids": ids, "finish_reason": case["finish_reason"]}
        response = {"request_id": "chatcmpl-1", "choices": [choice]}
        prompt = case["prompt_ids"]
        answer = chat(
            model, generate_response=response, chat_request=request, prompt_token_ids=prompt
        )
        assert shape(message_of(answer)) == blank_is_none(case["batch"]), case["name"]


@pytest.mark.parametrize("size", SIZES)
def test_streamed_answers(model: Model, file: str, size: str) -> None:
    for case in recorded(file)[1]:
        request = {"messages": [{"role": "user", "content": "hi"}], **case["request"]}
        ids = ids_of(model, case)
        if not ids:
            continue
        chunks = cut(ids, [SIZES[size]] * len(ids), case["finish_reason"])
        got = joined(stream(model, chunks, request, prompt_token_ids=case["prompt_ids"]))
        theirs = case["stream"].get(size, case["batch"])
        if "error" not in theirs:
            assert shape(got) == blank_is_none(theirs), case["name"]


@pytest.mark.parametrize("name", ["chat", "grammar", "coder", "responses", "written_doors"])
def test_rendered_requests(name: str, model_folder: Callable[[str], Path]) -> None:
    """What vLLM's parsers change in a request, in the answers recorded from its server."""
    folder, settings, records = golden.load(name)
    given = golden.settings(settings, model_folder(folder))
    model = load_model(replace(given, parser_backend="vllm"))
    for record in records:
        if known.reason(record["path"], record["case"], {"status"}):
            continue
        status, answer = golden.answer(model, record)
        assert status == record["status"], record["case"]
        if status == 200:
            assert json.dumps(answer) == json.dumps(record["answer"]), record["case"]


@pytest.mark.parametrize(
    ("family", "library", "below"),
    [("cohere_calls", "cohere_melody", "1"), ("mistral_calls", "mistral_common", "1.13")],
)
def test_rendered_chats_of_other_tokenizers(
    family: str, library: str, below: str, tmp_path: Path
) -> None:
    """vLLM's parser gets the tokenizer of the model's mode."""
    pytest.importorskip(library)
    if Version(version(library)) >= Version(below):
        pytest.skip(f"vLLM 0.33.0 makes no grammar with this {library}")
    lines = (FOLDER / f"{family}.jsonl").read_text().splitlines()
    first, *records = map(json.loads, lines)
    given = golden.settings(first["settings"], make(first["model"], Path(), tmp_path))
    model = load_model(replace(given, parser_backend="vllm"))
    for record in records:
        if record["status"] == 200 and record["path"] == "/v1/chat/completions/render":
            status, answer = golden.answer(model, record)
            assert (status, without_calls_in(answer)) == (200, record["answer"]), record["case"]
