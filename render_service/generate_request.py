"""The body of `POST /inference/v1/generate`, which /render answers, and its JSON.

Token IDs are most of it. They are written a slice at a time, so that threads that wait do not wait
for all of them, and apart from the rest, which is often the same again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import orjson

if TYPE_CHECKING:
    from .prompt import Prompt
    from .protocol.chat import ChatRequest
    from .protocol.completion import CompletionRequest
    from .sampling import Sampling

_WITH_IDS = ("request_id", "token_ids")
SLICE = 16 * 1024  # token IDs, 0.2 ms


def generate_request(
    request: ChatRequest | CompletionRequest,
    prompt: Prompt,
    sampling: Sampling,
    *,
    request_id: str = "",
    reasoning_ended: bool | None = None,
    reasoning_parser_kwargs: dict[str, Any] | None = None,
    parse_context: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The body, keys in vLLM's order. request_id: none for `rest_of`."""
    options = request.stream_options if request.stream else None
    return {
        "request_id": request_id,
        "token_ids": prompt.ids,
        "token_offsets": prompt.offsets,
        "features": None,
        "content_parts": None,
        "sampling_params": sampling.params,
        "model": request.model,
        "reasoning_ended": reasoning_ended,
        "reasoning_parser_kwargs": reasoning_parser_kwargs,
        "return_token_ids": request.return_token_ids,
        "output_mode": "tokens",
        "parse_context": parse_context,
        "stream": bool(request.stream),
        "stream_options": None if options is None else msgspec.to_builtins(options),
        "cache_salt": request.cache_salt,
        "priority": request.priority,
        "kv_transfer_params": sampling.kv_transfer_params,
        "ec_transfer_params": sampling.ec_transfer_params,
    }


def encode(answer: Any) -> bytes:
    """JSON. Integers beyond 64 bits, which orjson does not write, are written as vLLM does."""
    try:
        return orjson.dumps(answer)
    except TypeError:
        return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()


def rest_of(answer: dict[str, Any]) -> bytes:
    """What `with_ids` adds its own to."""
    return encode({name: answer[name] for name in answer if name not in _WITH_IDS})


def with_ids(request_id: str, ids: list[int], rest: bytes) -> bytes:
    """The whole answer as JSON. rest: of `rest_of`."""
    return b'{"request_id":%b,"token_ids":%b,%b' % (encode(request_id), _ids(ids), rest[1:])


def _ids(ids: list[int]) -> bytes:
    if len(ids) <= SLICE:
        return orjson.dumps(ids)
    slices = (ids[at : at + SLICE] for at in range(0, len(ids), SLICE))
    return b"[%b]" % b",".join(orjson.dumps(part)[1:-1] for part in slices)
