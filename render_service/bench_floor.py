"""The floor: an ASGI app that only reads a body and answers, on the same uvicorn, loop and parser.

    python -m render_service.bench_floor --host 127.0.0.1 --port 9000

What the service costs above it is the service's own work. Every POST is answered with the body of
the last PUT, so that the answers are as long as those of the server that it stands beside.
"""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn

Message = dict[str, Any]


class Floor:
    def __init__(self) -> None:
        self.answer = b"{}"

    async def __call__(
        self,
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        parts, more = [], True
        while more:
            message = await receive()
            parts.append(message.get("body", b""))
            more = message.get("more_body", False)
        if scope["path"] == "/answer":
            self.answer = b"".join(parts)
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(self.answer)).encode()),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": self.answer})


def main() -> None:
    parser = argparse.ArgumentParser(prog="render_service.bench_floor")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9000)
    args = parser.parse_args()
    uvicorn.run(
        Floor(),
        host=args.host,
        port=args.port,
        interface="asgi3",
        loop="uvloop",
        http="httptools",
        ws="none",
        lifespan="off",
        access_log=False,
        timeout_keep_alive=75,  # as the service's
        log_level="warning",
        server_header=False,
        proxy_headers=False,
    )


if __name__ == "__main__":
    main()
