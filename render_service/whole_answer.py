"""A transport that sends an answer's head together with the first part of its body.

ASGI asks for it, uvicorn writes them apart, and uvloop sends what is written at once. A process
that is killed in between leaves a load balancer with a head that it has passed on and no body: the
one case in which it cannot try again. One system call less, too.
"""

from __future__ import annotations

import asyncio
from typing import Any

_HEAD, _INTERIM = b"HTTP/1.1 ", b"HTTP/1.1 1"  # 100 Continue goes at once


class WholeAnswers:
    """In place of uvicorn's `transport`. `flush` ends an answer, which may have no body.

    What is written to a closed connection is dropped: uvicorn knows that the client has left for
    the last of its requests alone.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._head = b""
        self.is_closing = transport.is_closing

    def write(self, data: bytes) -> None:
        if self.is_closing():
            return
        if self._head:
            self._transport.write(self._head + data)
            self._head = b""
        elif data.startswith(_HEAD) and not data.startswith(_INTERIM):
            self._head = data
        else:
            self._transport.write(data)

    def write_whole(self, answer: bytes) -> None:
        """Head and body at once, where nothing is held back."""
        if not self.is_closing():
            self._transport.write(answer)

    def flush(self) -> None:
        if self._head and not self.is_closing():
            self._transport.write(self._head)
        self._head = b""

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
