"""`X-Request-Id` on every answer: the request's own, else a new one (vLLM's rule)."""

from __future__ import annotations

import uuid

from starlette.types import ASGIApp, Message, Receive, Scope, Send

NAME = b"x-request-id"


class RequestIdHeader:
    """ASGI wrapper; only installed with --enable-request-id-headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = dict(scope["headers"])
                value = headers.get(NAME) or uuid.uuid4().hex.encode()
                message["headers"] = [*message["headers"], (NAME, value)]
            await send(message)

        await self._app(scope, receive, send_with_id)
