"""What the JSON log and traces know of each request, gathered around the application.

Only installed for --log-format json or --otlp-traces-endpoint. Endpoints know nothing of it: their
functions are wrapped, and the record of a request is in its context.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from time import perf_counter_ns
from typing import TYPE_CHECKING, NamedTuple, Protocol

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from . import stages
from .access_log import AccessLog
from .app import App
from .endpoints import ENDPOINTS, Endpoint
from .request_id import NAME
from .tracing import Tracing

if TYPE_CHECKING:
    from .answer import Answer
    from .endpoints import Function
    from .metrics import Metrics
    from .model import Model

LONGEST = 256  # characters of a request's ID that are kept

_ID = re.compile(rb'\[?\{(?:"chunk":\[?\{)?"(?:request_id|id)":"((?:[^"\\]|\\.)*)"')
_HEAD = 1024  # bytes of an answer in which its ID stands
_OUTPUT, _BODY_ID = b'"generate_', re.compile(rb'"request_id"\s*:\s*"((?:[^"\\]|\\.){0,256})')
_FAR, _NEAR = 1 << 20, 1 << 16  # bytes in which the engine's output is sought, and its ID there


class Finished(NamedTuple):
    """A request that is over. status: 0 where nothing was answered."""

    scope: Scope
    record: stages.Record
    end: int
    status: int
    request_id: str | None


class Observer(Protocol):
    def finished(self, request: Finished) -> None: ...


class Telemetry:
    """ASGI wrapper: one call of each observer a request."""

    def __init__(self, app: ASGIApp, observers: Sequence[Observer]) -> None:
        self._app = app
        self._observers = observers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        status = 0
        answered: list[tuple[bytes, bytes]] = []

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                answered.extend(message.get("headers", ()))
            await send(message)

        record = stages.Record()
        token = stages.current.set(record)
        try:
            await self._app(scope, receive, noting)
        finally:
            stages.current.reset(token)
            headers = dict(scope["headers"]) | dict(answered)
            known = _request_id(record, headers.get(NAME))
            request = Finished(scope, record, perf_counter_ns(), status, known)
            for observer in self._observers:
                observer.finished(request)


def _request_id(record: stages.Record, header: bytes | None) -> str | None:
    """As the answer has it, which holds the header's; else the refused body's, or the header's."""
    found = record.refused_id
    if record.answer is not None:
        match = _ID.match(record.answer.body[:_HEAD])
        found = match and match[1]
    if found is not None:
        return found.decode("utf-8", "replace")[:LONGEST]
    return None if header is None else header.decode("latin-1")[:LONGEST]


def _output_id(body: bytes) -> bytes | None:
    """The ID of the engine's output in a body that may be anything.

    A quote inside a JSON string is escaped, so what looks like the field is no text of a request.
    """
    start = max(0, body.find(_OUTPUT, 0, _FAR))
    match = _BODY_ID.search(body, start, start + _NEAR)
    return match and match[1]


def rows(endpoints: Sequence[Endpoint]) -> tuple[Endpoint, ...]:
    """The same endpoints, whose functions note what they do in the request's record."""
    return tuple(
        row._replace(
            function=_noted(row, row.function),
            with_state=None if row.with_state is None else _noted(row, row.with_state),
        )
        for row in endpoints
    )


def _noted(row: Endpoint, function: Function) -> Function:
    def noted(model: Model, body: bytes, request_id: str | None) -> Answer:
        record = stages.current.get()
        assert record is not None
        record.route, record.direction = row.path, row.direction
        record.begun = perf_counter_ns()
        try:
            record.answer = function(model, body, request_id)
            return record.answer
        finally:
            record.ended = perf_counter_ns()
            if record.answer is None and row.direction == "derendered":
                record.refused_id = _output_id(body)

    return noted


@contextlib.contextmanager
def observed(model: Model, metrics: Metrics) -> Iterator[App]:
    """The application with the observers that are asked for; mostly there are none.

    To be called in the process that serves.
    """
    with contextlib.ExitStack() as stack:
        found = list(_observers(model, stack))
        if not found:
            yield App(model, metrics, ENDPOINTS)
            return
        stack.enter_context(stages.watch(model))
        app = App(model, metrics, rows(ENDPOINTS))
        app.asgi = Telemetry(app.asgi, found)
        yield app


def _observers(model: Model, stack: contextlib.ExitStack) -> Iterator[Observer]:
    settings, name = model.settings, model.names[0]
    if settings.log_format == "json" and not settings.disable_uvicorn_access_log:
        yield AccessLog(name, settings.disable_access_log_for_endpoints)
    if settings.otlp_traces_endpoint is not None:
        tracing = Tracing(settings.otlp_traces_endpoint, name)
        stack.callback(tracing.close)
        yield tracing
