"""`generate_chunk` as vLLM's single chunk, or as a list, for a client that fell behind.

A list is answered as its chunks would be one after the other, each with the state that the one
before it gave; only the last state is sent. One that is refused refuses them all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import orjson
from msgspec import Raw

from .answer import Answer
from .derender_common import required
from .errors import RequestError
from .protocol.derender import DerenderChatRequest, DerenderCompletionRequest
from .stream_start import each_chunk_needs

if TYPE_CHECKING:
    from .model import Model
    from .protocol.generate import GenerateChunk
    from .stream_state import StreamState

R = TypeVar("R", DerenderChatRequest, DerenderCompletionRequest)


class Made(NamedTuple):
    """What one chunk became. state: as it is now; sent: as the client gets it. tokens: derendered.

    outcome: what the parser found, at the end of an output.
    """

    chunk: dict[str, Any]
    state: StreamState
    sent: bytes
    tokens: int
    outcome: str | None = None


def answer(
    model: Model, name: str, request: R, one: Callable[[Model, str, R, GenerateChunk], Made]
) -> Answer:
    """one: derenders a chunk with the state of `request`. Raises RequestError."""
    generated = request.generate_chunk
    if not isinstance(generated, list):
        made = one(model, name, request, required(generated, "generate_chunk"))
        return _answer(made.chunk, [made])
    all_made: list[Made] = []
    for index, chunk in enumerate(generated):
        try:
            made = one(model, name, request, chunk)
        except RequestError as error:
            raise RequestError(
                f"generate_chunk[{index}]: {error.message}",
                status=error.status,
                type=error.type,
                param=error.param,
            ) from error
        all_made.append(made)
        request.stream_state = Raw(made.sent)
    return _answer([made.chunk for made in all_made], all_made)


def _answer(chunk: object, all_made: Sequence[Made]) -> Answer:
    last = all_made[-1]
    outcomes = [made.outcome for made in all_made if made.outcome is not None]
    return Answer(
        orjson.dumps({"chunk": chunk, "stream_state": orjson.Fragment(last.sent)}),
        sum(made.tokens for made in all_made),
        outcomes[-1] if outcomes else None,
        len(last.sent),
        each_chunk_needs(last.state),
    )
