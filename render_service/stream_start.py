"""The state that a stream begins with: made with its first chunk, or by /render already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import orjson

import parsers

from . import crossing
from .carried_facts import pack
from .errors import RequestError
from .fingerprint_check import written
from .request_facts import RequestFacts, facts_of_chat, facts_of_completion

if TYPE_CHECKING:
    from .answer import Header
    from .model import Model
    from .output_parser import OutputStream
    from .protocol.chat import ChatRequest
    from .protocol.completion import CompletionRequest
    from .stream_state import StreamState

NO_STOP_STRINGS = (
    "stop strings are not supported by streaming derender because text already sent cannot be "
    "cut. Use non-streaming derender or output_mode=text on /inference/v1/generate which holds "
    "stop strings back."
)
EACH_CHUNK_NEEDS = b"x-render-each-chunk-needs"


def refuse_stop_strings(facts: RequestFacts | None) -> None:
    if facts is not None and facts.stop.stop:
        raise RequestError(NO_STOP_STRINGS)


def start_chat(
    model: Model, facts: RequestFacts, prompt_token_ids: Sequence[int] | None
) -> tuple[StreamState, OutputStream]:
    """A stream that continues the prompt, and its state, without the stream's snapshot."""
    version = model.settings.stream_state_version
    carried = pack(facts, model.outputs.needs(facts.context)) if version > 1 else ""
    state = crossing.new_state(model, v=version, n=len(prompt_token_ids or ()), c=carried)
    return state, model.outputs.start(facts, prompt_token_ids)


def start_completion(
    model: Model, facts: RequestFacts, prompt_token_ids: Sequence[int] | None
) -> StreamState:
    version = model.settings.stream_state_version
    decoder = model.detokenizer.start(
        prompt_token_ids,
        skip_special_tokens=facts.skip_special_tokens,
        spaces_between_special_tokens=facts.spaces_between_special_tokens,
    )
    return crossing.new_state(
        model,
        v=version,
        k="completion",
        d=decoder.snapshot(),
        n=len(prompt_token_ids or ()),
        c=pack(facts, parsers.Context()) if version > 1 else "",
    )


def each_chunk_needs(state: StreamState) -> tuple[Header, ...]:
    """The header of an answer whose state does not say enough of the request."""
    if state.c:
        return ()
    return ((EACH_CHUNK_NEEDS, f"{state.k}_request".encode()),)


def chat_state(
    model: Model, request: ChatRequest, prompt_token_ids: Sequence[int]
) -> tuple[Any, tuple[Header, ...]]:
    """What /render gives for the first chunk of each choice, and the headers that go with it."""
    facts = facts_of_chat(model, request)
    refuse_stop_strings(facts)
    state, stream = start_chat(model, facts, prompt_token_ids)
    state.d, state.p = stream.snapshot()
    return _sent(model, state)


def completion_state(
    model: Model, request: CompletionRequest, prompt_token_ids: Sequence[int]
) -> tuple[Any, tuple[Header, ...]]:
    """The same for one prompt of a completion request."""
    facts = facts_of_completion(request)
    refuse_stop_strings(facts)
    return _sent(model, start_completion(model, facts, prompt_token_ids))


def _sent(model: Model, state: StreamState) -> tuple[Any, tuple[Header, ...]]:
    state.f = written(model)
    sent = crossing.encode(model, state)
    return orjson.loads(sent), each_chunk_needs(state)
