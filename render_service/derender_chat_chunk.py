"""Token IDs of one chunk back to a chat completion chunk, and the state for the next one.

Answers have vLLM 0.33.0's fields in its order (`renderers/online_derenderer.py`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from parsers import Arguments, Content, Event, Reasoning, ToolCall

from .derender_chat import finish_reason as finish_reason_of
from .derender_common import fragment, usage_of
from .logprobs import chat_logprobs, context_tail
from .request_facts import NO_REQUEST, RequestFacts
from .stop import drop_stop_token
from .stream_state import VERSION, StreamState, invalid
from .tool_call_id import tool_call_id

if TYPE_CHECKING:
    from parsers import Piece

    from .model import Model
    from .protocol.generate import GenerateChunk, GenerateStreamChoice

Json = dict[str, Any]


def chunk(
    model: Model,
    name: str,
    generated: GenerateChunk,
    state: StreamState | None,
    facts: RequestFacts | None,
    prompt_token_ids: Sequence[int] | None,
    prompt_tokens: int | None,
) -> tuple[Json, StreamState, str | None]:
    """A ChatCompletionChunk, the state for the next chunk, and at the end what was found."""
    known = facts or NO_REQUEST
    choices: list[Json] = []
    outcome = None
    if state is None:
        state = _first_state(model, known, prompt_token_ids)
    elif state.p is None and model.format is not None:
        raise invalid("it comes from a server without a parser, this one has one")
    elif state.p is not None and model.format is None:
        raise invalid("it comes from a server with a parser, this one has none")
    if generated.choices:
        choice = generated.choices[0]
        built, state, outcome = _chunk_choice(model, generated.request_id, choice, state, known)
        choices.append(built)
    answer = {
        "id": generated.request_id,
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": name,
        "choices": choices,
        "usage": None
        if generated.usage is None
        else usage_of(
            prompt_tokens if prompt_tokens is not None else generated.usage.prompt_tokens or 0,
            generated.usage.completion_tokens or 0,
        ),
        "system_fingerprint": None,
        "prompt_token_ids": fragment(generated.prompt_token_ids)
        if known.return_token_ids
        else None,
        "prompt_text": None,
        "metrics": fragment(generated.metrics),
        "kv_transfer_params": None,
    }
    return answer, state, outcome


def _first_state(
    model: Model, facts: RequestFacts, prompt_token_ids: Sequence[int] | None
) -> StreamState:
    decoder = model.detokenizer.start(
        prompt_token_ids,
        skip_special_tokens=model.format is None and facts.skip_special_tokens,
        spaces_between_special_tokens=facts.spaces_between_special_tokens,
        pieces=model.format is not None,
    )
    parser = None
    if model.format is not None:
        assert facts.context is not None
        parser = model.format.start(facts.context, prompt_token_ids).snapshot()
    return StreamState(v=VERSION, d=decoder.snapshot(), p=parser, n=len(prompt_token_ids or ()))


def _chunk_choice(
    model: Model,
    request_id: str,
    choice: GenerateStreamChoice,
    state: StreamState,
    facts: RequestFacts,
) -> tuple[Json, StreamState, str | None]:
    ids = choice.token_ids or []
    text_ids, stop_reason = drop_stop_token(
        ids, choice.finish_reason, choice.stop_reason, facts.stop, model.generation
    )
    parsed = model.format is not None
    try:
        decoder = model.detokenizer.resume(
            state.d,
            skip_special_tokens=not parsed and facts.skip_special_tokens,
            spaces_between_special_tokens=facts.spaces_between_special_tokens,
            pieces=parsed,
        )
    except ValueError as error:
        raise invalid(str(error)) from error
    pieces = decoder.feed(text_ids)
    finish_reason, outcome, snapshot = choice.finish_reason, None, None
    if parsed:
        delta, called, snapshot = _parsed_delta(model, request_id, choice, pieces, state, facts)
        if finish_reason is not None:
            if not state.e:
                outcome = "tool_calls" if called else "content"
            finish_reason = finish_reason_of(finish_reason or "stop", facts, called)
    else:
        delta = {"role": None, "content": "".join(pieces) or None, "reasoning": None}
        outcome = "plain" if finish_reason is not None else None
    if not state.r:
        delta["role"] = "assistant"
    hidden = parsed and not facts.include_reasoning
    built = {
        "index": choice.index,
        "delta": delta,
        "logprobs": None
        if choice.logprobs is None or hidden
        else chat_logprobs(
            choice.logprobs, model.detokenizer.strings, state.l, top_limit=facts.top_limit
        ),
        "finish_reason": finish_reason,
        "stop_reason": stop_reason,
        "token_ids": choice.token_ids if facts.return_token_ids and not hidden else None,
        "weight_versions": None,
    }
    after = StreamState(
        v=VERSION,
        d=decoder.snapshot(),
        p=snapshot,
        r=True,
        i=choice.index,
        e=state.e or finish_reason is not None,
        l=context_tail(state.l, ids),
        n=state.n + len(ids),
    )
    return built, after, outcome


def _parsed_delta(
    model: Model,
    request_id: str,
    choice: GenerateStreamChoice,
    pieces: Iterable[Piece],
    state: StreamState,
    facts: RequestFacts,
) -> tuple[Json, bool, list[Any]]:
    """The delta, whether a tool was called by now, and the parser's next snapshot."""
    assert model.format is not None
    assert facts.context is not None
    try:
        parser = model.format.resume(state.p, facts.context)
    except ValueError as error:
        raise invalid(str(error)) from error
    events = parser.feed(pieces)
    if choice.finish_reason is not None and not state.e:
        events += parser.finish(choice.finish_reason)
    return _delta(events, request_id, choice.index, facts), parser.called, parser.snapshot()


def _delta(events: Iterable[Event], request_id: str, choice: int, facts: RequestFacts) -> Json:
    """One DeltaMessage; `tool_calls` only where there are some, as vLLM serialises it."""
    content = reasoning = ""
    calls: dict[int, Json] = {}
    for event in events:
        match event:
            case Content(text):
                content += text
            case Reasoning(text):
                reasoning += text
            case ToolCall(index, called, written):
                call_id = tool_call_id(
                    request_id,
                    choice,
                    index,
                    called,
                    written=written,
                    numbered_from=facts.numbered_from,
                )
                calls[index] = _call_delta(index, call_id, called)
            case Arguments(index, text):
                call = calls.get(index)
                if call is None:
                    call = calls[index] = _call_delta(index, None, None)
                call["function"]["arguments"] = (call["function"]["arguments"] or "") + text
    delta: Json = {"role": None, "content": content or None, "reasoning": reasoning or None}
    if calls:
        delta["tool_calls"] = list(calls.values())
    return delta


def _call_delta(index: int, call_id: str | None, name: str | None) -> Json:
    return {
        "id": call_id,
        "type": None if name is None else "function",
        "index": index,
        "function": {"name": name, "arguments": None},
    }
