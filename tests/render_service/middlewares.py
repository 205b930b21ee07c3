"""What an operator may name with --middleware."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

NEITHER = 1


class Stamp:
    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def stamped(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"].append((b"x-stamp", b"stamped"))
            await send(message)

        await self.app(scope, receive, stamped)


async def refuse_secrets(
    request: Request, call_next: Callable[[Request], Awaitable[Response]]
) -> Response:
    if request.url.path == "/secret":
        return Response(status_code=418)
    return await call_next(request)


class Broken:
    def __init__(self, app: ASGIApp) -> None:
        raise RuntimeError("a fault of its own")
