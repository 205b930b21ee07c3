"""Small requests answered as their last byte is read, without a task and ASGI messages for each.

A streamed chunk is some tens of microseconds of work; uvicorn's cycle, its task and its messages
cost as much again. What is not a small POST to an endpoint that says so, or has not wholly come
with one read, goes uvicorn's way. One request a read is answered so: a client that sends many at
once takes turns with the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from .http_protocol import BoundedHttpProtocol
from .known_heads import Headers, InlineHandler, KnownHead, KnownHeads
from .reply import Reply

Chooser = Callable[[bytes, Headers, int], InlineHandler | None]
"""Of a POST's target, headers (names in lower case) and Content-Length; None: uvicorn's way. It has
to say the same each time.
"""


class InlineHttpProtocol(BoundedHttpProtocol):
    """To be derived from. choose: see `Chooser`. heads: that it chose for, on all connections."""

    choose: Chooser
    heads: KnownHeads

    def __init_subclass__(cls) -> None:
        cls.heads = KnownHeads()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._handler: InlineHandler | None = None
        self._request_headers: Headers = {}
        self._body: list[bytes] = []
        self._may = True
        self._read = b""  # all of a read that begins with a request

    def data_received(self, data: bytes) -> None:
        between = self._in_head and not self._head_bytes and self._is_free()
        if between and (found := self.heads.find(data)) is not None:
            known, body = found
            self._awaited()
            self.url = known.url
            self._write(known.handler.at_once(known.headers, body))
            return
        self._read = data if between else b""
        self._may = True
        super().data_received(data)
        self._read = b""  # idle connections hold none
        if self._handler is not None:  # the rest of the body is still to come
            self._handler = None
            if not self.transport.is_closing():
                super().on_headers_complete()
                for part in self._body:
                    super().on_body(part)

    def on_headers_complete(self) -> None:
        handler = self._chosen() if self._may else None
        self._may = False
        if handler is None:
            super().on_headers_complete()
        else:
            self._handler, self._body = handler, []
            self.head_is_complete()

    def on_body(self, body: bytes) -> None:
        if self._handler is None:
            super().on_body(body)
        else:
            self._body.append(body)

    def on_message_complete(self) -> None:
        handler = self._handler
        if handler is None:
            super().on_message_complete()
            return
        self._handler, self._in_head = None, True
        parts = self._body
        body = parts[0] if len(parts) == 1 else b"".join(parts)
        self.heads.keep(self._read, KnownHead(handler, self._request_headers, self.url, len(body)))
        self._write(handler.at_once(self._request_headers, body))

    def _is_free(self) -> bool:
        """Whether there is no other request to be answered first."""
        cycle = self.cycle
        return (cycle is None or cycle.response_complete) and not self.flow.write_paused

    def _chosen(self) -> InlineHandler | None:
        parser = self.parser
        if (
            parser.get_method() != b"POST"
            or parser.get_http_version() != "1.1"
            or not parser.should_keep_alive()
            or parser.should_upgrade()
            or self.expect_100_continue
            or not self._is_free()
        ):
            return None
        headers = dict(self.headers)
        length = headers.get(b"content-length")
        if length is None or len(self.headers) > self.config.max_headers:
            return None
        self._request_headers = headers
        return self.choose(self.url, headers, int(length))

    def _write(self, reply: Reply) -> None:
        if self.access_log:
            client = f"{self.client[0]}:{self.client[1]}" if self.client else ""
            path = self.url.decode("ascii")
            self.access_logger.info(
                '%s - "%s %s HTTP/%s" %d', client, "POST", path, "1.1", reply.status
            )
        lines = [STATUS_LINE[reply.status]]
        for name, value in self.server_state.default_headers:
            lines += (name, b": ", value, b"\r\n")
        lines.append(b"content-length: %d\r\n" % len(reply.body))
        for name, value in reply.headers:
            lines += (name, b": ", value, b"\r\n")
        lines += (b"\r\n", reply.body)
        self.transport.write_whole(b"".join(lines))  # type: ignore[attr-defined]  # of WholeAnswers
        self.on_response_complete()
