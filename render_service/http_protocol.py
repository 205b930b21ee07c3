"""uvicorn's httptools protocol with a bound on a request's head, which llhttp does not have."""

from __future__ import annotations

from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class BoundedHttpProtocol(HttpToolsProtocol):
    """One connection. A head that goes on over the bound: 400, and the connection is closed.

    What counts is what was received while the head is incomplete, so one read more may be held.
    """

    def __init__(self, config: Config, *args: Any, **kwargs: Any) -> None:
        super().__init__(config, *args, **kwargs)
        self._max_bytes = config.h11_max_incomplete_event_size or 0
        self._in_head = True
        self._head_bytes = 0

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._in_head and self._head_bytes > self._max_bytes > 0:
            self.logger.warning("Request head too large.")
            self.send_400_response("Request head too large.")

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._head_bytes = 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_head = True
        super().on_message_complete()
