"""One HTTP answer as two ASGI messages, and the fixed ones that every path may need."""

from __future__ import annotations

from collections.abc import Iterable

import orjson
from msgspec import Struct
from starlette.types import Send

from .answer import Header

JSON = (b"content-type", b"application/json")
RETRY = (b"retry-after", b"1")  # seconds; of every 429 and 503


class Reply(Struct, frozen=True):
    """status: HTTP status. headers: without content-length."""

    status: int
    body: bytes = b""
    headers: tuple[Header, ...] = ()

    async def send(self, send: Send) -> None:
        body = self.body
        length = (b"content-length", b"%d" % len(body))
        await send(
            {
                "type": "http.response.start",
                "status": self.status,
                "headers": [length, *self.headers],
            }
        )
        await send({"type": "http.response.body", "body": body})


def json_reply(content: object, status: int = 200, headers: Iterable[Header] = ()) -> Reply:
    return Reply(status, orjson.dumps(content), (JSON, *headers))


NOT_FOUND = json_reply({"detail": "Not Found"}, 404)
UNAUTHORIZED = json_reply({"error": "Unauthorized"}, 401)


def method_not_allowed(methods: Iterable[str]) -> Reply:
    allowed = ", ".join(sorted(methods)).encode()
    return json_reply({"detail": "Method Not Allowed"}, 405, [(b"allow", allowed)])
