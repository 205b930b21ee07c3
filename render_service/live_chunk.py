"""The chunk that most chunks are, by a short way: the next tokens of a stream that lives here.

The request, where it comes again, is the one that the stream is read by; the request ID is that of
the chunk before, and the output goes on without logprobs. What `derender_stream.chat` finds out for
each chunk is known of such a one. Any other is left to it, and its answer to this one would be the
same: half of a chunk's cost is what this saves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from . import stream_state
from .answer import Answer
from .derender_chat_chunk import answer_of, choice_of, delta_of
from .protocol.generate import GenerateChunk
from .request_facts import chat_facts
from .stream_start import each_chunk_needs
from .stream_state import StreamState, advance

if TYPE_CHECKING:
    from .model import Model
    from .parser_cache import LiveStream
    from .protocol.derender import DerenderChatRequest


def answer(model: Model, name: str, request: DerenderChatRequest) -> Answer | None:
    """None for any other chunk; nothing has happened then."""
    chunk, streams, sent = request.generate_chunk, model.streams, bytes(request.stream_state)
    live = streams.peek(sent)
    if live is None or type(chunk) is not GenerateChunk or len(chunk.choices) != 1:
        return None
    state, facts, choice, ids = live.state, live.facts, chunk.choices[0], chunk.choices[0].token_ids
    if (
        chunk.request_id != live.request_id
        or choice.index != state.i
        or choice.finish_reason is not None
        or choice.logprobs is not None
        or not ids
        or max(ids) >= model.vocab_size
        or state.n + len(ids) > model.max_model_len
        or facts.return_token_ids
        or type(state) is not StreamState
        or not _same_request(model, request, live)
        or streams.take(sent) is not live
    ):
        return None
    streams.count(hit=True)
    events = live.stream.feed(ids, ids, None)
    built = choice_of(
        choice,
        delta_of(events, chunk.request_id, choice.index, facts),
        stop_reason=choice.stop_reason,
    )
    state.d, state.p = live.stream.snapshot()
    advance(state, choice)
    sent = stream_state.encode(state, model.state_keys)
    streams.keep(sent, live, model.outputs.live_bytes(facts, len(sent)))
    made = answer_of(name, chunk, [built], facts, request.prompt_tokens)
    return Answer(
        orjson.dumps({"chunk": made, "stream_state": orjson.Fragment(sent)}),
        len(ids),
        state_bytes=len(sent),
        headers=each_chunk_needs(state),
    )


def _same_request(model: Model, request: DerenderChatRequest, live: LiveStream) -> bool:
    """Whether the stream is read by what came with the chunk, or else by what the state carries."""
    facts = chat_facts(model, request.chat_request)
    if facts is None:
        return live.own and bool(live.state.c)
    return facts is live.facts
