"""vLLM's recorded answers to render requests (tests/golden/render), and ours to the same."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from render_service import anthropic, render, responses, tokenize
from render_service.errors import RequestError
from render_service.model import Model
from render_service.settings import Settings

GOLDEN = Path(__file__).parent.parent / "golden" / "render"
ENDPOINTS = {
    "/v1/chat/completions/render": render.chat,
    "/v1/completions/render": render.completion,
    "/v1/responses/render": responses.responses,
    "/v1/messages/render": anthropic.messages,
    "/tokenize": tokenize.tokenize,
    "/detokenize": tokenize.detokenize,
}

Record = dict[str, Any]


def load(name: str) -> tuple[str, dict[str, Any], list[Record]]:
    """The served model, the server's settings, and the recorded cases."""
    lines = (GOLDEN / f"{name}.jsonl").read_text().splitlines()
    first, *cases = map(json.loads, lines)
    return first["model"], first["settings"], cases


def settings(given: Mapping[str, Any], folder: Path) -> Settings:
    """Without the fingerprint, which vLLM's request IDs do not have."""
    values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}
    return Settings(model=str(folder), fingerprint="off", **values)


def body_of(case: Record) -> bytes:
    if "raw" in case:
        return case["raw"].encode("latin-1")  # type: ignore[no-any-return]  # a str
    return json.dumps(case["body"]).encode()


def answer(model: Model, case: Record) -> tuple[int, Any]:
    """Status and JSON of our answer, random IDs blotted out as in the record."""
    try:
        body = ENDPOINTS[case["path"]](model, body_of(case), None).body
    except RequestError as error:
        return error.status, json.loads(error.body())
    return 200, _stable(json.loads(body))


def _stable(answer: Any) -> Any:
    if isinstance(answer, list):
        return [_stable(item) for item in answer]
    if "request_id" in answer:
        return {**answer, "request_id": re.sub("[0-9a-f]{32}", "<id>", answer["request_id"])}
    return answer
