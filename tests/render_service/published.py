"""Published chat templates with every conversation of the corpus: what is recorded of a rendering.

A digest of the prompt's token IDs, or of the error: 70 templates make 40,000 renderings.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from pathlib import Path
from typing import Any

from render_service import render
from render_service.errors import RequestError
from render_service.model import Model

GOLDEN = Path(__file__).parent.parent / "golden" / "chat" / "published.jsonl"
DIGITS = 6

RENDERED_ON = datetime(2026, 11, 29)
"""Some templates print the date."""

# The first word that a template's name holds; the tokenizer of its family, or the usual one.
TOKENIZERS = {
    "deepseek-r1-distill-llama": "llama31",
    "llama-cpp-rwkv": "qwen3",
    "deepseek": "deepseek_v3",
    "llama": "llama31",
    "functionary": "llama31",
    "mistral": "llama31",
    "ministral": "llama31",
    "gemma": "gemma3",
    "apertus": "gemma3",
    "bielik": "gemma3",
    "gpt-oss": "gptoss",
    "gigachat": "gptoss",
    "kimi": "deepseek_v3",
}
USUAL = "qwen3"


def tokenizer_of(template: str) -> str:
    name = template.lower()
    return next((model for word, model in TOKENIZERS.items() if word in name), USUAL)


def outcome(status: int, answer: Any) -> list[Any]:
    """What counts of an answer to a render request."""
    if status == 200:
        return [status, answer["token_ids"]]
    error = answer["error"]
    # The words of a schema error are the server's own.
    words = None if error["type"] == "Bad Request" else error["message"]
    return [status, error["type"], error["param"], words]


def ours(model: Model, body: Any) -> list[Any]:
    """The outcome of our own render."""
    try:
        answer = render.chat(model, json.dumps(body).encode(), None)
    except RequestError as error:
        return outcome(error.status, json.loads(error.body()))
    return outcome(200, json.loads(answer.body))


def digest(outcome: list[Any]) -> str:
    return hashlib.sha256(json.dumps(outcome).encode()).hexdigest()[:DIGITS]
