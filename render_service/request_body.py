"""The body of a request, within a bound, as JSON by its content type."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.types import Receive

from .body_budget import BodyBudget
from .errors import RequestError, schema_error

_UNSUPPORTED = "1 validation error:\n  Unsupported Media Type: Only 'application/json' is allowed"


class Disconnected(Exception):
    """The client went away before its body was complete; there is nobody to answer."""


def check_content_type(headers: Mapping[bytes, bytes]) -> None:
    """vLLM's rule: exactly `application/json` before the first `;`. Raises RequestError (400)."""
    kind = headers.get(b"content-type", b"")
    if kind == b"application/json":
        return
    if kind.partition(b";")[0].lower() != b"application/json":
        raise schema_error(_UNSUPPORTED)


async def read_body(
    receive: Receive, headers: Mapping[bytes, bytes], limit: int, budget: BodyBudget
) -> bytes:
    """limit: bytes. budget: of all bodies; counts what has come while the rest has not.

    Raises RequestError (413, 503) before more than that is held, or Disconnected.
    """
    declared = headers.get(b"content-length")
    if declared is not None and int(declared) > limit:
        raise _too_large(limit)
    parts, total, held, more = [], 0, 0, True
    try:
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Disconnected
            part: bytes = message.get("body", b"")
            total += len(part)
            if total > limit:
                raise _too_large(limit)
            parts.append(part)
            more = message.get("more_body", False)
            if more:
                budget.take(len(part))
                held = total
    finally:
        budget.give(held)
    return parts[0] if len(parts) == 1 else b"".join(parts)


async def disconnected(receive: Receive) -> None:
    """Returns when the client has left. To be called when the body has been read."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _too_large(limit: int) -> RequestError:
    return RequestError(
        f"The request body is larger than the limit of {limit} bytes (--max-body-bytes).",
        status=413,
        type="RequestEntityTooLargeError",
    )
