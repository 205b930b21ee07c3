"""One chunk of a stream back to an OpenAI chunk, with the state for the next one.

Checks and their order are vLLM 0.33.0's (`scale_out/derender/serving.py`). What vLLM wants with
each chunk is needed with the first one only: later ones find it in the state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import (
    carried_facts,
    crossing,
    derender_chat_chunk,
    derender_completion,
    stream_state,
)
from .derender_bounds import check_logprobs, check_prompt, check_token_ids
from .derender_chunks import Made
from .derender_common import NEEDS_CHAT_REQUEST, new_id
from .errors import RequestError, schema_error
from .fingerprint_check import check_fingerprint, written
from .parser_cache import LiveStream
from .protocol import derender as wire
from .request_facts import NO_REQUEST, RequestFacts, chat_facts, completion_facts
from .stream_start import refuse_stop_strings, start_chat, start_completion
from .stream_state import StreamState, check_choice, invalid
from .vllm_state import is_foreign

if TYPE_CHECKING:
    from msgspec import Raw

    from .model import Model
    from .protocol.generate import GenerateChunk

NEEDS_PROMPT = (
    "prompt_token_ids is required when a tool or reasoning parser is configured: send it with "
    "the first chunk. Without it the parser cannot tell whether the prompt left reasoning open "
    "(e.g. a chat template that pre-opens <think>) and would misclassify reasoning as content."
)
NEEDS_REQUEST = (
    "{} is required with each chunk of this stream: what it says is too long for stream_state to "
    "carry, as the header x-render-each-chunk-needs told."
)


def chat(model: Model, name: str, request: wire.DerenderChatRequest, chunk: GenerateChunk) -> Made:
    state, live = _carried(model, request.stream_state)
    check_fingerprint(model, chunk.request_id, state)
    tag = _tag(chunk, state)
    sent_facts = chat_facts(model, request.chat_request)
    facts = _facts(model, sent_facts, state, live)
    refuse_stop_strings(facts)
    if model.outputs.parses and facts is None:
        raise RequestError(NEEDS_CHAT_REQUEST)
    begins = state is None or is_foreign(state)
    prompt = _first_prompt(model, request.prompt_token_ids) if begins else None
    if model.outputs.parses and begins and prompt is None:
        raise RequestError(NEEDS_PROMPT)
    if len(chunk.choices) > 1:
        raise RequestError(
            f"derender_chat_stream expects at most one choice per chunk (got {len(chunk.choices)})."
        )
    adopted = None
    if state is not None and is_foreign(state):
        adopted = crossing.adopt_chat(model, state, facts or NO_REQUEST, prompt, chunk)
        state = adopted.state
    _check_chunk(model, chunk, state, prompt)
    if prompt is None and state is None:
        prompt = _engine_prompt(model, chunk)
    live = adopted or _live(
        model, state, live, facts or NO_REQUEST, prompt, sent=sent_facts is not None
    )
    answer, outcome = derender_chat_chunk.chunk(model, name, chunk, live, request.prompt_tokens)
    if model.outputs.parses:
        crossing.note(live.state, chunk, answer, live.stream.called)
    sent = _sent(model, live.state, tag)
    if model.outputs.parses and not live.state.e:
        live.request_id = chunk.request_id
        model.streams.keep(sent, live, model.outputs.live_bytes(live.facts, len(sent)))
    return Made(answer, live.state, sent, _tokens(chunk), outcome)


def completion(
    model: Model, name: str, request: wire.DerenderCompletionRequest, chunk: GenerateChunk
) -> Made:
    if isinstance(request.prompt_tokens, list):
        raise schema_error("`prompt_tokens` is one integer when streamed.", "body.prompt_tokens")
    state = None
    if wire.given(request.stream_state):
        state = crossing.decode(model, bytes(request.stream_state), "completion")
    check_fingerprint(model, chunk.request_id, state)
    tag = _tag(chunk, state)
    facts = _facts(model, completion_facts(model, request.completion_request), state, None)
    refuse_stop_strings(facts)
    begins = state is None or is_foreign(state)
    prompt = _first_prompt(model, request.prompt_token_ids) if begins else None
    check_prompt(model, prompt)
    if len(chunk.choices) > 1:
        raise RequestError("derender_completion_stream expects at most one choice per chunk")
    facts = facts or NO_REQUEST
    if state is not None and is_foreign(state):
        state = crossing.adopt_completion(model, state, facts, prompt, chunk)
    _check_chunk(model, chunk, state, prompt)
    if prompt is None and state is None:
        prompt = _engine_prompt(model, chunk)
    if state is None:
        state = start_completion(model, facts, prompt)
    answer = derender_completion.chunk(model, name, chunk, state, facts, request.prompt_tokens)
    return Made(answer, state, _sent(model, state, tag), _tokens(chunk))


def _carried(model: Model, raw: Raw) -> tuple[StreamState | None, LiveStream | None]:
    """The state that came with a chunk of a chat, and the stream where it lives here."""
    if not wire.given(raw):
        return None, None
    sent = bytes(raw)
    live = model.streams.take(sent)
    if live is not None:
        return live.state, live
    state = crossing.decode(model, sent, "chat")
    live = model.streams.take(stream_state.rewritten(state)) if model.streams else None
    return state, live


def _tag(chunk: GenerateChunk, state: StreamState | None) -> str:
    """What the next state keeps of the request; a chunk without an ID gets one here."""
    tag = stream_state.request_tag(chunk.request_id)
    if state is not None:
        stream_state.check_request(state, chunk.request_id, tag)
        tag = state.q or tag
    chunk.request_id = chunk.request_id or new_id()
    return tag


def _facts(
    model: Model, sent: RequestFacts | None, state: StreamState | None, live: LiveStream | None
) -> RequestFacts | None:
    """The facts of the request: sent with the chunk, else carried by the state."""
    if sent is not None or state is None:
        return sent
    if not state.c:
        if state.v < 2:
            return None
        raise RequestError(NEEDS_REQUEST.format(f"{state.k}_request"), param=f"{state.k}_request")
    if live is not None and live.own:
        return live.facts
    try:
        return carried_facts.unpack(model, state.c)
    except ValueError as error:
        raise invalid(str(error)) from error


def _live(
    model: Model,
    state: StreamState | None,
    live: LiveStream | None,
    facts: RequestFacts,
    prompt: Sequence[int] | None,
    *,
    sent: bool,
) -> LiveStream:
    """The stream that the chunk continues: begun, still here, or resumed. sent: with the chunk."""
    if state is None:
        state, stream = start_chat(model, facts, prompt)
        return LiveStream(state, stream, facts)
    hit = live is not None and (live.facts is facts or live.facts == facts)
    if model.outputs.parses:
        model.streams.count(hit=hit)
    if live is not None and hit:
        return live
    try:
        stream = model.outputs.resume(state.d, state.p, facts)
    except ValueError as error:
        raise invalid(str(error)) from error
    return LiveStream(state, stream, facts, own=not sent)


def _first_prompt(model: Model, raw: Raw) -> list[int] | None:
    """The prompt's IDs with the first chunk; later ones need none and are not read."""
    prompt = wire.prompt_ids(raw)
    check_token_ids(model, prompt, "prompt_token_ids")
    return prompt


def _engine_prompt(model: Model, chunk: GenerateChunk) -> list[int] | None:
    prompt = wire.prompt_ids(chunk.prompt_token_ids)
    check_prompt(model, prompt)
    return prompt


def _check_chunk(
    model: Model, chunk: GenerateChunk, state: StreamState | None, prompt: Sequence[int] | None
) -> None:
    """The length of the whole sequence stays within max_model_len, IDs within the vocabulary."""
    for choice in chunk.choices:
        if state is not None:
            check_choice(state, choice)
        delta = len(choice.token_ids or ())
        prior = state.n if state is not None else len(prompt or ())
        if prior + delta > model.max_model_len:
            raise RequestError(
                f"prompt and output so far ({prior} tokens) plus delta ({delta}) exceed "
                f"max_model_len ({model.max_model_len})."
            )
        check_token_ids(model, choice.token_ids, "token_ids")
        if choice.logprobs is not None:
            check_logprobs(model, choice.logprobs, choice.index)


def _sent(model: Model, state: StreamState, tag: str) -> bytes:
    """The state as the client gets it."""
    state.q = tag
    state.f = written(model)
    return crossing.encode(model, state)


def _tokens(chunk: GenerateChunk) -> int:
    return sum(len(choice.token_ids or ()) for choice in chunk.choices)
