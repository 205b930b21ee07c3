"""--log-format json: one line a request on stdout, and events as JSON on stderr.

Nothing of a request's text is in it; --enable-log-requests logs that as an event of its own.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from .telemetry import Finished

logger = logging.getLogger("render_service.access")

LONGEST = 1024  # characters of a path that no route has
PHRASES = {status.value: status.phrase for status in HTTPStatus if status >= 400}
NOT_QUOTING = (409, 429, 503)  # the messages of others may quote the request


class JsonFormatter(logging.Formatter):
    """A message that is a dict is the line's own fields."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, Any] = {
            "time": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
        }
        if isinstance(record.msg, dict):
            line |= record.msg
        else:
            line |= {"logger": record.name, "message": record.getMessage()}
            if record.exc_info:
                line["exception"] = self.formatException(record.exc_info)
        return orjson.dumps(_encodable(line)).decode()


def line_of(fields: dict[str, Any]) -> str:
    """A line that is printed whatever the log's level is."""
    record = logging.makeLogRecord({"levelname": "INFO", "msg": fields})
    return JsonFormatter().format(record)


def _encodable(line: dict[str, Any]) -> dict[str, Any]:
    """Half a surrogate pair in a message must not lose the line."""
    return {
        name: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for name, value in line.items()
    }


class AccessLog:
    """model: served name. without: paths that have no line."""

    def __init__(self, model: str, without: Collection[str]) -> None:
        self._model = model
        self._without = frozenset(without)

    def finished(self, request: Finished) -> None:
        scope, record = request.scope, request.record
        if scope["path"] not in self._without:
            logger.info(self._fields(request, scope["path"], record.direction))

    def _fields(self, request: Finished, path: str, direction: str | None) -> dict[str, Any]:
        record, client = request.record, request.scope.get("client")
        line: dict[str, Any] = {
            "request_id": request.request_id,
            "client": client and f"{client[0]}:{client[1]}",
            "method": request.scope["method"],
            "path": path[:LONGEST],
            "status": request.status,
            "microseconds": {"total": (request.end - record.start) // 1000},
        }
        if record.route is not None:
            tokens = 0 if record.answer is None else record.answer.tokens
            line["model"] = self._model
            line["prompt_tokens"] = tokens if direction == "rendered" else None
            line["output_tokens"] = tokens if direction == "derendered" else None
            line["outcome"] = None if record.answer is None else record.answer.outcome
            line["microseconds"] |= _stages(request)
        return line | _error(request)


def _error(request: Finished) -> dict[str, str]:
    """Its type, or what the status means where the answer has none, as for a missing key."""
    refusal = request.record.refusal
    if refusal is None:
        return {"error": PHRASES[request.status]} if request.status in PHRASES else {}
    message = {"message": refusal.message} if refusal.status in NOT_QUOTING else {}
    return {"error": refusal.type, **message}


def _stages(request: Finished) -> dict[str, int]:
    """waiting: for the body and a thread. other: reading and writing JSON, checks, the rest."""
    record = request.record
    spent = {name: time // 1000 for name, time in record.spent.items()}
    other = (record.ended - record.begun) // 1000 - sum(spent.values())
    return {"waiting": (record.begun - record.start) // 1000, **spent, "other": max(0, other)}
