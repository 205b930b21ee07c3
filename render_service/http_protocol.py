"""uvicorn's httptools protocol with bounds on what a connection may hold and how long it may wait.

uvicorn and llhttp bound neither a request's head nor the time that it takes to come. An Upgrade
that is asked for is ignored, as a server may: clients offer HTTP/2 with their first request, and
llhttp would take that request's body for the new protocol.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sized
from typing import Any

import httptools
from uvicorn.config import Config
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .whole_answer import WholeAnswers

READ_TIMEOUT = 60.0
"""Seconds for a head from its first byte to its end, and between two parts of a body."""

_UPGRADE = (b"connection", b"upgrade", b"http2-settings")


class HttpConfig(Config):
    """max_headers: of a request; one more is kept, so that the application sees too many."""

    def __init__(self, *args: Any, max_headers: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.max_headers = max_headers


class PipelineFlow(FlowControl):
    """Reads nothing more while requests wait for others that came before them: with each answer
    uvicorn would let in another read, and hold all of a client that never waits for its answers.

    pipeline: those that wait. Only the last of them may be incomplete, and its turn is the end.
    """

    def __init__(self, transport: asyncio.Transport, pipeline: Sized) -> None:
        super().__init__(transport)
        self._pipeline = pipeline

    def resume_reading(self) -> None:
        if not self._pipeline:
            super().resume_reading()


class BoundedHttpProtocol(HttpToolsProtocol):
    """One connection. A head that goes on over the bound: 400, and the connection is closed.

    What counts is what was received while the head is incomplete, so one read more may be held.
    """

    config: HttpConfig
    read_timeout = READ_TIMEOUT

    def __init__(self, config: HttpConfig, *args: Any, **kwargs: Any) -> None:
        super().__init__(config, *args, **kwargs)
        self._max_bytes = config.h11_max_incomplete_event_size or 0
        self._in_head = True
        self._head_bytes = 0
        self._deadline: asyncio.TimerHandle | None = None
        self._idle_since: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        super().connection_made(WholeAnswers(transport))  # type: ignore[arg-type]  # as good as one
        self.flow = PipelineFlow(self.transport, self.pipeline)
        self._await_more()

    def connection_lost(self, exc: Exception | None) -> None:
        self._awaited()
        if self.timeout_keep_alive_task is not None:
            self.timeout_keep_alive_task.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._head_bytes += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._without_upgrade(data[upgrade.args[0] :])
            return
        except httptools.HttpParserError:
            self._refuse("Invalid HTTP request received.")
            return
        if not self._in_head:
            self._awaited()
            self._await_more()
        elif self._head_bytes == 0:
            self._awaited()
        elif self._head_bytes > self._max_bytes > 0:
            self._refuse("Request head too large.")
        elif self._deadline is None:
            self._await_more()

    def on_message_begin(self) -> None:
        self._in_head = True
        self._head_bytes = self._head_bytes or 1  # it may have begun behind another one
        self._idle_since = None
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Trailers, which come after the head, are of no use here."""
        if self._in_head and len(self.headers) <= self.config.max_headers:
            name = name.lower()
            if name == b"expect" and value.lower() == b"100-continue":
                self.expect_100_continue = True
            self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        self.head_is_complete()
        super().on_headers_complete()

    def head_is_complete(self) -> None:
        self._in_head = False
        self._head_bytes = 0

    def on_message_complete(self) -> None:
        self._in_head = True
        super().on_message_complete()
        if self.cycle is not None and self.cycle.response_complete and not self.pipeline:
            self.is_idle()  # it was answered before its end had come

    def on_response_complete(self) -> None:
        """As uvicorn's, but for the timer."""
        self.transport.flush()  # type: ignore[attr-defined]  # of WholeAnswers
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        else:
            self.is_idle()
        self.flow.resume_reading()

    def is_idle(self) -> None:
        """From now on, unless the next request has begun. One timer goes on over many requests: to
        make and to end one for each takes a tenth of what a chunk does.
        """
        if self._head_bytes or not self._in_head:
            return
        self._idle_since = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self._keep_for(self.timeout_keep_alive)

    def _keep_for(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(
            seconds, self.timeout_keep_alive_handler
        )

    def timeout_keep_alive_handler(self) -> None:
        self.timeout_keep_alive_task = None
        if self._idle_since is None:
            return
        left = self._idle_since + self.timeout_keep_alive - self.loop.time()
        if left > 0:
            self._keep_for(left)
        else:
            self.transport.close()

    def _should_upgrade(self) -> bool:
        """Told so, uvicorn leaves the request alone."""
        return True

    def _without_upgrade(self, rest: bytes) -> None:
        """The same request once more, as one that asks for no upgrade."""
        method = self.scope["method"]
        if method == "CONNECT":
            self._refuse("CONNECT is not supported.")
            return
        lines = [f"{method} ".encode() + self.url + f" HTTP/{self.scope['http_version']}".encode()]
        for name, value in self.headers:
            if name not in _UPGRADE:
                lines.append(name + b": " + value)
            elif name == b"connection" and b"close" in value.lower():
                lines.append(b"connection: close")
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn's
        self.data_received(b"\r\n".join([*lines, b"", rest]))

    def _refuse(self, why: str) -> None:
        self.logger.warning(why)
        self.send_400_response(why)

    def _await_more(self) -> None:
        self._deadline = self.loop.call_later(self.read_timeout, self._late)

    def _awaited(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _late(self) -> None:
        if self.flow.read_paused:  # it is not the client that we wait for
            self._await_more()
        else:
            self.transport.close()
