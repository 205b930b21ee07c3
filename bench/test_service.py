"""Cost of the pieces in-process: one streamed chunk early and late, a whole output, a render.

`make bench-pieces` runs these with pytest-benchmark on the bundled demo model; nothing is fetched.
"""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from render_service import derender, render
from render_service.loading import load_model
from render_service.model import Model
from render_service.settings import Settings

CHAT = {
    "messages": [{"role": "user", "content": "Hi"}],
    "tools": [{"type": "function", "function": {"name": "write_file", "parameters": {}}}],
}
WORDS = "The quick brown fox computes 17 * 23 = 391; naïve café, 東京 is 3.5 km away. "
REASONING = "<think>\n" + WORDS * 100
CALL = '<tool_call>\n{"name": "write_file", "arguments": {"content": "' + WORDS * 100


def model_with(**more: Any) -> Model:
    return load_model(
        Settings(
            reasoning_parser="qwen3",
            tool_call_parser="hermes",
            enable_auto_tool_choice=True,
            **more,
        )
    )


@pytest.fixture(scope="module")
def model() -> Model:
    return model_with()


def stream(model: Model, text: str, tokens: int, *, lean: bool = False) -> bytes:
    """Run a stream, one token a chunk; its last request, for token `tokens` of the text.

    lean: chunks after the first bring nothing but the state.
    """
    ids = model.tokenizer.encode(text, add_special_tokens=False)[: tokens + 1]
    assert len(ids) == tokens + 1
    state = None
    for token in ids:
        body: dict[str, Any] = {
            "stream": True,
            "generate_chunk": {
                "request_id": "r",
                "choices": [{"index": 0, "token_ids": [token], "finish_reason": None}],
            },
            "stream_state": state,
        }
        if state is None or not lean:
            body["chat_request"] = CHAT
        if state is None:
            body["prompt_token_ids"] = [1, 2, 3]
        request = orjson.dumps(body)
        state = orjson.loads(derender.chat(model, request, None).body)["stream_state"]
    return request


@pytest.mark.parametrize("tokens", [10, 2000])
@pytest.mark.parametrize("text", [REASONING, CALL], ids=["reasoning", "call"])
def test_chunk(benchmark: BenchmarkFixture, model: Model, text: str, tokens: int) -> None:
    """The same chunk again and again: it is resumed from its state each time."""
    benchmark(derender.chat, model, stream(model, text, tokens), None)


@pytest.mark.parametrize("lean", [True, False], ids=["lean", "complete"])
@pytest.mark.parametrize("cache", [64 * 1024 * 1024, 0], ids=["cached", "resumed"])
def test_stream_of_200_tokens(benchmark: BenchmarkFixture, cache: int, lean: bool) -> None:
    benchmark(stream, model_with(parser_cache_bytes=cache), REASONING, 200, lean=lean)


def test_whole_output_of_2000_tokens(benchmark: BenchmarkFixture, model: Model) -> None:
    ids = model.tokenizer.encode(REASONING, add_special_tokens=False)[:2000]
    choice = {"index": 0, "token_ids": ids, "finish_reason": "length"}
    response = {"request_id": "r", "choices": [choice]}
    body = orjson.dumps({"generate_response": response, "chat_request": CHAT})
    benchmark(derender.chat, model, body, None)


@pytest.mark.parametrize("words", [1, 250])
def test_render(benchmark: BenchmarkFixture, model: Model, words: int) -> None:
    body = orjson.dumps({"messages": [{"role": "user", "content": WORDS * words}]})
    benchmark(render.chat, model, body, None)
