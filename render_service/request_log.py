"""--enable-log-requests: one line a request with its ID and parameters, and the text it carries.

Nothing that a client wrote is logged without this flag. --max-log-len bounds the text, in
characters; the line of parameters holds everything but the text and the token IDs.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from .answer import Answer

logger = logging.getLogger("render_service")

_TEXT = (
    "messages",
    "system",
    "instructions",
    "input",
    "prompt",
    "tokens",
    "generate_response",
    "generate_chunk",
    "prompt_token_ids",
    "previous_token_ids",
    "stream_state",
    "chat_request",
    "completion_request",
)


class RequestLog:
    """max_length: characters of text to log, None for all of it."""

    def __init__(self, max_length: int | None) -> None:
        self._max_length = max_length

    def received(self, path: str, body: bytes, answer: Answer) -> None:
        request = _loaded(body)
        if not isinstance(request, dict):
            request = {}
        params = {name: value for name, value in request.items() if name not in _TEXT}
        text = {name: value for name, value in request.items() if name in _TEXT}
        logger.info(
            "%s %s: params: %s, text: %s",
            _answer_id(answer.body),
            path,
            orjson.dumps(params).decode(),
            orjson.dumps(text).decode()[: self._max_length],
        )


def _loaded(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None


def _answer_id(body: bytes) -> str:
    """The request's ID as the client sees it in the answer: `-` where an answer carries none."""
    value = _loaded(body)
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return "-"
    chunk = value.get("chunk")
    chunk = chunk[0] if isinstance(chunk, list) and chunk else chunk
    found = value.get("request_id") or (chunk if isinstance(chunk, dict) else value).get("id")
    # Escaped: a client's request ID must not look like lines of the log.
    return orjson.dumps(str(found or "-")).decode()[1:-1]
