"""Streams that cross between this service and vLLM's derenderer, in a fleet that has both.

A state that vLLM wrote is taken over: a parsed stream is replayed once, at vLLM's pace, since
what vLLM has sent by then is not always what we would have. With --stream-state-format vllm the
states that we write hold vLLM's form too, and parsed streams keep to its pace, so that vLLM can
go on after any chunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import parsers
from parsers.pace import PaceError

from . import carried_facts, stream_state
from .derender_bounds import check_token_ids
from .errors import RequestError
from .parser_cache import LiveStream
from .stream_state import ANY_CHOICE, Kind, StreamState, invalid
from .vllm_state import (
    REFUSED,
    VllmState,
    chunks,
    decoder,
    has_vllm_form,
    is_foreign,
    read_window,
    write_window,
)

if TYPE_CHECKING:
    from .model import Model
    from .output_parser import OutputStream
    from .protocol.generate import GenerateChunk
    from .request_facts import RequestFacts

UNSIGNED = (
    "it comes from vLLM and has no MAC, and this server takes only states that it can check "
    "(--state-key). Servers of a mixed fleet run with --stream-state-format vllm"
)
NOT_EXACT = (
    "This stream began on vLLM and cannot go on here: {}. Send it to vLLM again: let the load "
    "balancer keep the streams of this model on one server, or run these servers with "
    "--parser-backend vllm."
)


def mixes(model: Model) -> bool:
    """Whether states are to go on in vLLM."""
    return model.settings.stream_state_format == "vllm"


def new_state(model: Model, **fields: Any) -> StreamState:
    return (VllmState if mixes(model) else StreamState)(**fields)


def decode(model: Model, raw: bytes, kind: Kind) -> StreamState:
    """A state that this service or vLLM wrote; RequestError 400 for others."""
    if not has_vllm_form(raw):
        state = stream_state.decode(raw, kind, model.state_keys)
        return _widened(state) if mixes(model) else state
    state = stream_state.parse(raw, decoder)
    if is_foreign(state):
        if model.state_keys and not mixes(model):
            raise invalid(UNSIGNED)
        if isinstance(state, VllmState) and state.read_offset == REFUSED:
            raise invalid("its read_offset is negative")
        return state
    stream_state.check(state, kind, model.state_keys)
    return state if mixes(model) else _as(StreamState, state)


def _widened(state: StreamState) -> StreamState:
    """A state from before the fleet was mixed: a parsed stream has no history, so it stays here."""
    wide = _as(VllmState, state)
    assert isinstance(wide, VllmState)
    if state.p is not None:
        wide.read_offset = REFUSED
    return wide


def _as(form: type[StreamState], state: StreamState) -> StreamState:
    return form(**{name: getattr(state, name) for name in StreamState.__struct_fields__})


def adopt_chat(
    model: Model,
    state: StreamState,
    facts: RequestFacts,
    prompt_token_ids: Sequence[int] | None,
    chunk: GenerateChunk,
) -> LiveStream:
    """The stream of a state that vLLM wrote. chunk: that came with it.

    RequestError 400 for what is no state, 409 for a stream that cannot go on here exactly.
    """
    assert isinstance(state, VllmState)
    parts = list(chunks(state))
    if state.prev_tokens if model.outputs.parses else parts:
        there, here = ("without", "one") if model.outputs.parses else ("with", "none")
        raise invalid(f"it comes from a server {there} a parser, this one has {here}")
    ours = _adopted(model, state, "chat", facts, prompt_token_ids, chunk)
    if model.outputs.parses:
        called = len(state.last_tool_call_ids)
        return LiveStream(ours, _replayed(model, facts, prompt_token_ids, parts, called), facts)
    try:
        return LiveStream(ours, model.outputs.resume(ours.d, None, facts), facts)
    except ValueError as error:
        raise invalid(str(error)) from error


def adopt_completion(
    model: Model,
    state: StreamState,
    facts: RequestFacts,
    prompt_token_ids: Sequence[int] | None,
    chunk: GenerateChunk,
) -> StreamState:
    assert isinstance(state, VllmState)
    return _adopted(model, state, "completion", facts, prompt_token_ids, chunk)


def _adopted(
    model: Model,
    state: VllmState,
    kind: Kind,
    facts: RequestFacts,
    prompt_token_ids: Sequence[int] | None,
    chunk: GenerateChunk,
) -> StreamState:
    """Our state, without a parser's snapshot."""
    check_token_ids(model, state.output_token_ids, "stream_state")
    length = len(prompt_token_ids or ()) + len(state.output_token_ids)
    if length > model.max_model_len:
        raise invalid(
            f"prompt and output so far have {length} tokens, more than max_model_len "
            f"({model.max_model_len})"
        )
    needs = parsers.Context() if kind == "completion" else model.outputs.needs(facts.context)
    version = model.settings.stream_state_version
    plain = kind == "completion" or not model.outputs.parses
    ours = new_state(
        model,
        v=version,
        k=kind,
        d=read_window(state, model.tokenizer) if plain else None,
        r=state.role_sent,
        i=chunk.choices[0].index if chunk.choices else ANY_CHOICE,
        l=state.logprob_context_token_ids,
        o=state.logprob_text_offset,
        n=length,
        c=carried_facts.pack(facts, needs) if version > 1 else "",
    )
    if isinstance(ours, VllmState):
        ours.output_token_ids = state.output_token_ids
        ours.output_chunk_lens = state.output_chunk_lens
        ours.last_tool_call_ids = state.last_tool_call_ids
    return ours


def _replayed(
    model: Model,
    facts: RequestFacts,
    prompt_token_ids: Sequence[int] | None,
    parts: Sequence[Sequence[int]],
    called: int,
) -> OutputStream:
    """The stream after these chunks, in which vLLM began so many calls."""
    try:
        stream, calls = model.outputs.adopt(facts, prompt_token_ids, parts)
    except PaceError as error:
        raise not_exact(str(error)) from error
    if calls != called:
        raise not_exact(f"vLLM has begun {called} tool calls, and here there are {calls} by then")
    return stream


def not_exact(why: str) -> RequestError:
    return RequestError(
        NOT_EXACT.format(why), status=409, type="StreamStateMismatch", param="stream_state"
    )


def encode(model: Model, state: StreamState) -> bytes:
    """The state as the client gets it, in a mixed fleet with vLLM's form of it."""
    if isinstance(state, VllmState):
        state.role_sent = state.r
        state.logprob_context_token_ids = state.l
        state.logprob_text_offset = state.o
        if state.p is None:
            write_window(state, model.tokenizer)
        else:
            state.prev_tokens = []
    elif state.v > 1:
        state.read_offset = REFUSED
    return stream_state.encode(state, model.state_keys)


def note(state: StreamState, chunk: GenerateChunk, answer: dict[str, Any], called: bool) -> None:
    """Keep what vLLM replays of a chunk of a parsed stream. answer: what was made of it."""
    if not isinstance(state, VllmState) or state.read_offset == REFUSED:
        return
    for choice, made in zip(chunk.choices, answer["choices"], strict=True):
        if choice.token_ids:
            state.output_token_ids += choice.token_ids
            state.output_chunk_lens.append(len(choice.token_ids))
        begun = [call["id"] for call in made["delta"].get("tool_calls", ()) if call["id"]]
        state.last_tool_call_ids += begun
    state.tools_streamed = called
