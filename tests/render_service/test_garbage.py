"""A request leaves nothing behind that only Python's collector would find: it comes seldom, and a
refused body of many megabytes must not wait for it.
"""

from __future__ import annotations

import asyncio
import gc
from types import FrameType
from typing import Any

import orjson
import pytest
from starlette.types import Message

from render_service.app import App
from render_service.endpoints import ENDPOINTS
from render_service.loading import DEMO_MODEL
from render_service.metrics import Metrics

from .derender_client import CHAT, CHAT_TOOLS, chunk, demo, parsed_demo
from .door_bodies import MESSAGES, RESPONSES

DEMO = str(DEMO_MODEL)  # its name, too
PADDING = "x" * 40_000  # more than any endpoint answers on the event loop
STREAMED = {"stream": True, "generate_chunk": chunk([5]), "prompt_token_ids": [1]}
BODIES: dict[str, bytes] = {
    "empty": b"{}",
    "no JSON": b'{"prompt": ',
    "no UTF-8": b'{"prompt": "\xff"}',
    "too deep": b"[" * 200,
    "wrong types": b'{"prompt": {}, "messages": 5, "tokens": "x", "stream": []}',
    "unknown model": orjson.dumps({**CHAT, "prompt": "a", "tokens": [1], "model": "other"}),
    "chat": orjson.dumps({**CHAT_TOOLS, "prompt": "a", "tokens": [1]}),
    "refusing template": orjson.dumps({**CHAT, "chat_template": "{{ raise_exception('no') }}"}),
    "syntax error": orjson.dumps({**CHAT, "chat_template": "{% if %}"}),
    "broken template": orjson.dumps({**CHAT, "chat_template": "{% break %}"}),
    "refused items": orjson.dumps({**CHAT, "input": [{"type": "x"}], "max_tokens": 5}),
    "refused parts": orjson.dumps(
        {**MESSAGES, "input": [{"type": "reasoning", "summary": ["x"]}], "tools": [{"type": "x"}]}
    ),
    "refused thinking": orjson.dumps({**MESSAGES, "thinking": {"type": "enabled"}}),
    "Responses": orjson.dumps(RESPONSES),
    "Messages": orjson.dumps({**MESSAGES, "model": DEMO}),
    "chunk": orjson.dumps({**STREAMED, "chat_request": CHAT_TOOLS}),
    "bad request inside": orjson.dumps({**STREAMED, "chat_request": {"messages": 5}}),
    "bad state": orjson.dumps({**STREAMED, "stream_state": {"v": 9}}),
}


async def post(app: App, path: str, body: bytes) -> None:
    bodies = iter([body])

    async def receive() -> Message:
        for whole in bodies:
            return {"type": "http.request", "body": whole, "more_body": False}
        return await asyncio.Future()  # the client stays

    async def send(message: Message) -> None:
        assert message.get("status", 200) < 500

    scope = {"type": "http", "method": "POST", "path": path, "query_string": b""}
    await app.asgi({**scope, "headers": [(b"content-type", b"application/json")]}, receive, send)


@pytest.fixture(scope="module", params=[parsed_demo, demo])
def app(request: pytest.FixtureRequest) -> App:
    return App(request.param(trust_request_chat_template=True), Metrics())


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("large", [False, True])
def test_nothing_waits_for_the_collector(app: App, name: str, large: bool) -> None:
    body = BODIES[name]
    if large:
        body = body + b" " * 40_000 if name == "no JSON" else b" " * 40_000 + body

    async def all_endpoints() -> list[Any]:
        for endpoint in ENDPOINTS:  # what is kept on first use is no garbage
            await post(app, endpoint.path, body)
        gc.collect()
        gc.disable()
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            for endpoint in ENDPOINTS:
                await post(app, endpoint.path, body)
            await asyncio.sleep(0.01)  # the queue's thread lets go
            gc.collect()
            return [each for each in gc.garbage if isinstance(each, (FrameType, BaseException))]
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
            gc.enable()

    assert asyncio.run(all_endpoints()) == []
