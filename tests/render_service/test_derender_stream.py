"""A long stream costs the same at its end as at its start, and carries a small state."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import httpx
import orjson
import pytest

from render_service import derender
from render_service.model import Model
from tests.conftest import DEMO_MODEL, Serve

from .derender_client import CHAT_TOOLS, chunk, ids_of, parsed_demo, prompt_of

PARSERS = (
    "--reasoning-parser=qwen3",
    "--tool-call-parser=hermes",
    "--enable-auto-tool-choice",
)
SENTENCE = "The café in 東京 is 3.5 km away. 🎉 "
TEXTS = {
    "reasoning": "<think>\n" + SENTENCE * 200,
    "content": "<think>\nx</think>" + SENTENCE * 200,
    "arguments": '<tool_call>\n{"name": "get_weather", "arguments": {"city": "' + SENTENCE * 200,
}
TOKENS = 2000
Post = Callable[[bytes], Any]


@pytest.fixture(scope="module")
def model() -> Model:
    return parsed_demo()


def drive(ids: list[int], prompt: list[int], post: Post) -> list[int]:
    """One token a chunk; the prompt's IDs go with the first only. The size of each state."""
    state, sizes = None, []
    for token in ids:
        body: dict[str, Any] = {
            "stream": True,
            "generate_chunk": chunk([token]),
            "stream_state": state,
            "chat_request": CHAT_TOOLS,
        }
        if state is None:
            body["prompt_token_ids"] = prompt
        state = post(orjson.dumps(body))["stream_state"]
        sizes.append(len(orjson.dumps(state)))
    return sizes


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_state_of_2000_tokens_over_http_stays_under_1_kib(
    model: Model, serve: Serve, text: str
) -> None:
    server = serve(DEMO_MODEL, *PARSERS)
    with httpx.Client(base_url=server.url) as client:

        def post(body: bytes) -> Any:
            answer = client.post(
                "/v1/chat/completions/derender",
                content=body,
                headers={"content-type": "application/json"},
            )
            assert answer.status_code == 200, answer.text
            return orjson.loads(answer.content)

        ids = ids_of(model, text)[:TOKENS]
        assert len(ids) == TOKENS
        assert max(drive(ids, prompt_of(model), post)) <= 1024


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_last_hundred_chunks_cost_no_more_than_the_first(model: Model, text: str) -> None:
    """Executed lines, counted: the text repeats, so the work of a chunk must repeat too."""
    costs: list[int] = []

    def post(body: bytes) -> Any:
        with LineCount() as count:
            answer = derender.chat(model, body, None)
        costs.append(count.lines)
        return orjson.loads(answer.body)

    drive(ids_of(model, text)[:TOKENS], prompt_of(model), post)
    assert sum(costs[-100:]) <= sum(costs[100:200]) * 1.02


def test_chunk_3900_costs_what_chunk_100_does_whatever_the_prompt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Executed lines; a later chunk must not depend on how long the prompt was, either."""
    monkeypatch.setenv("VLLM_ALLOW_LONG_MAX_MODEL_LEN", "1")
    model = parsed_demo(max_model_len=131_072)
    ids = ids_of(model, "<think>\nx</think>" + SENTENCE * 500)[:4000]
    assert len(ids) == 4000
    lines: list[int] = []

    def post(body: bytes) -> Any:
        with LineCount() as count:
            answer = derender.chat(model, body, None)
        lines.append(count.lines)
        return orjson.loads(answer.body)

    costs = []
    for longer in (0, 100_000):
        lines.clear()
        drive(ids, [ids[0]] * longer + prompt_of(model), post)
        assert sum(lines[3900:]) <= sum(lines[100:200]) * 1.02
        costs.append(sum(lines[100:200]))
    assert costs[1] <= costs[0] * 1.02


class LineCount:
    """Counts the lines of Python that this thread executes."""

    def __init__(self) -> None:
        self.lines = 0

    def _trace(self, frame: FrameType, event: str, argument: object) -> Any:
        if event == "line":
            self.lines += 1
        return self._trace

    def __enter__(self) -> LineCount:
        self._before = sys.gettrace()
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)
