"""The POST endpoints: one row each, and the handler that is the same for all of them.

An endpoint is a pure function `(model, body, request_id) -> Answer`. Small bodies are answered on
the event loop, where a thread hop would cost more than the work; larger ones by the work queue.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from starlette.types import Receive, Scope, Send

from . import anthropic, derender, memory, render, responses, stages, tokenize
from .answer import Header
from .errors import RequestError, unavailable
from .reply import JSON, RETRY, Reply
from .request_body import Disconnected, check_content_type, disconnected, read_body
from .work_queue import Abandoned, Ticket, WorkQueue

if TYPE_CHECKING:
    from .answer import Answer
    from .body_budget import BodyBudget
    from .meters import Meter
    from .model import Model
    from .request_log import RequestLog

logger = logging.getLogger("render_service")

Function = Callable[["Model", bytes, str | None], "Answer"]
KiB = 1024
FINGERPRINT = b"x-render-fingerprint"
STREAM_STATE = b"x-render-stream-state"
YES = (b"1", b"true")


class Endpoint(NamedTuple):
    """inline_bytes: bodies up to this size are a few milliseconds of work at most.

    direction: what its tokens count as. A derender body may hold the chat request, which costs
    nothing when it was seen before, so its bound is higher.
    fingerprinted: answers say in a header which configuration made them.
    with_state: what answers where the first stream_state is asked for as well.
    """

    path: str
    function: Function
    direction: str | None
    inline_bytes: int
    fingerprinted: bool = False
    with_state: Function | None = None


def _rendering(path: str, function: Callable[..., Answer]) -> Endpoint:
    """A row of /render. function: also takes `with_state`."""
    with_state = partial(function, with_state=True)
    return Endpoint(path, function, "rendered", 16 * KiB, fingerprinted=True, with_state=with_state)


ENDPOINTS = (
    _rendering("/v1/chat/completions/render", render.chat),
    _rendering("/v1/completions/render", render.completion),
    _rendering("/v1/responses/render", responses.responses),
    _rendering("/v1/messages/render", anthropic.messages),
    Endpoint("/v1/chat/completions/derender", derender.chat, "derendered", 32 * KiB),
    Endpoint("/v1/completions/derender", derender.completion, "derendered", 32 * KiB),
    Endpoint("/tokenize", tokenize.tokenize, None, 16 * KiB),
    Endpoint("/detokenize", tokenize.detokenize, None, 16 * KiB),
)

SHUTTING_DOWN = unavailable("The server is shutting down. Retry on another replica.")
OUT_OF_MEMORY = unavailable("The server is out of memory. Retry on another replica.")
LEFT = Reply(499)  # goes nowhere, but is counted and logged; nginx's number
INTERNAL = RequestError("Internal server error", status=500, type="InternalServerError")


def _request_id(headers: Mapping[bytes, bytes]) -> str | None:
    header = headers.get(b"x-request-id")
    return None if header is None else header.decode("latin-1")


def _asks(query: bytes) -> bool:
    pairs = (part.partition(b"=") for part in query.split(b"&"))
    return any(name == b"stream_state" and value.lower() in YES for name, _, value in pairs)


def error_reply(error: RequestError) -> Reply:
    retry = (RETRY,) if error.status in (429, 503) else ()
    return Reply(error.status, error.body(), (JSON, *retry))


class EndpointHandler:
    """Reads the body, calls the function, answers, counts. Plain ASGI."""

    def __init__(
        self,
        endpoint: Endpoint,
        model: Model,
        *,
        max_body_bytes: int,
        budget: BodyBudget,
        queue: WorkQueue,
        meter: Meter,
        log: RequestLog | None,
    ) -> None:
        self._endpoint = endpoint
        inline_bytes = endpoint.inline_bytes if model.outputs.quick else 0
        self._inline_bytes = min(inline_bytes, max_body_bytes)
        self._model = model
        self._max_body_bytes = max_body_bytes
        self._budget = budget
        self._queue = queue
        self._meter = meter
        self._log = log
        self._headers: tuple[Header, ...] = (JSON,)
        if endpoint.fingerprinted and model.settings.fingerprint != "off":
            self._headers += ((FINGERPRINT, model.fingerprint.value.encode()),)

    def is_small(self, length: int) -> bool:
        """Whether a body of so many bytes is answered on the event loop."""
        return length <= self._inline_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        start = perf_counter()
        try:
            check_content_type(headers)
            body = await read_body(receive, headers, self._max_body_bytes, self._budget)
            start = perf_counter()
            function = self._function(scope["query_string"], headers)
            if self.is_small(len(body)):
                answer = function(self._model, body, _request_id(headers))
            else:
                answer = await self._queued(function, body, headers, receive)
            reply = self._reply(body, answer)
        except (Disconnected, Abandoned):
            reply = LEFT
        except (Exception, asyncio.CancelledError) as error:
            reply = self._refusal(error)
        await reply.send(send)
        self._meter.request(reply.status, perf_counter() - start)

    def at_once(self, headers: Mapping[bytes, bytes], body: bytes) -> Reply:
        """The same for a small body that is here, of a request without a query."""
        start = perf_counter()
        try:
            check_content_type(headers)
            function = self._function(b"", headers)
            reply = self._reply(body, function(self._model, body, _request_id(headers)))
        except Exception as error:
            reply = self._refusal(error)
        self._meter.request(reply.status, perf_counter() - start)
        return reply

    def _reply(self, body: bytes, answer: Answer) -> Reply:
        if self._log is not None:
            self._log.received(self._endpoint.path, body, answer)
        self._meter.answer(answer)
        return Reply(200, answer.body, self._headers + answer.headers)

    def _refusal(self, error: BaseException) -> Reply:
        refusal = self._refused(error)
        record = stages.current.get()
        if record is not None:
            record.refusal = refusal
        return error_reply(refusal)

    def _refused(self, error: BaseException) -> RequestError:
        match error:
            case RequestError():
                return error
            case asyncio.CancelledError():
                # The bound on a graceful shutdown is over: an answer is better than a cut
                # connection.
                return SHUTTING_DOWN
            case MemoryError():
                return OUT_OF_MEMORY
        logger.error("Unhandled error in %s", self._endpoint.path, exc_info=error)
        return INTERNAL

    def _function(self, query: bytes, headers: Mapping[bytes, bytes]) -> Function:
        """The query `stream_state=1`, or the header, asks for the first state."""
        endpoint = self._endpoint
        if endpoint.with_state is None:
            return endpoint.function
        asked = headers.get(STREAM_STATE, b"").lower() in YES or (query and _asks(query))
        return endpoint.with_state if asked else endpoint.function

    async def _queued(
        self, function: Function, body: bytes, headers: Mapping[bytes, bytes], receive: Receive
    ) -> Answer:
        _, _, key = headers.get(b"authorization", b"").partition(b" ")  # however `Bearer` is spelt
        ticket = Ticket(key or None, len(body), partial(disconnected, receive))
        return await self._queue.run(ticket, self._worked, function, body, _request_id(headers))

    def _worked(self, function: Function, body: bytes, request_id: str | None) -> Answer:
        try:
            return function(self._model, body, request_id)
        finally:
            if len(body) >= memory.LARGE:
                memory.give_back()
