"""Token IDs of one chunk back to a chat completion chunk, and the state for the next one.

Answers have vLLM 0.33.0's fields in its order (`renderers/online_derenderer.py`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from parsers import Arguments, Content, Event, Reasoning, ToolCall

from .derender_chat import finish_reason as finish_reason_of
from .derender_common import fragment, usage_of
from .logprobs import chat_logprobs
from .stop import drop_stop_token
from .stream_state import StreamState, advance
from .tool_call_id import tool_call_id

if TYPE_CHECKING:
    from .model import Model
    from .output_parser import OutputStream
    from .parser_cache import LiveStream
    from .protocol.generate import GenerateChunk, GenerateStreamChoice
    from .request_facts import RequestFacts

Json = dict[str, Any]


def chunk(
    model: Model,
    name: str,
    generated: GenerateChunk,
    live: LiveStream,
    prompt_tokens: int | None,
) -> tuple[Json, str | None]:
    """A ChatCompletionChunk, and at the end what was found. Advances the stream and its state."""
    state, stream = live.state, live.stream
    choices: list[Json] = []
    outcome = None
    for choice in generated.choices:
        built, outcome = _chunk_choice(
            model, generated.request_id, choice, state, stream, live.facts
        )
        choices.append(built)
    state.d, state.p = stream.snapshot()
    return answer_of(name, generated, choices, live.facts, prompt_tokens), outcome


def answer_of(
    name: str,
    generated: GenerateChunk,
    choices: list[Json],
    facts: RequestFacts,
    prompt_tokens: int | None,
) -> Json:
    usage = generated.usage
    return {
        "id": generated.request_id,
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": name,
        "choices": choices,
        "usage": None
        if usage is None
        else usage_of(
            prompt_tokens if prompt_tokens is not None else usage.prompt_tokens or 0,
            usage.completion_tokens or 0,
        ),
        "system_fingerprint": None,
        "prompt_token_ids": fragment(generated.prompt_token_ids)
        if facts.return_token_ids
        else None,
        "prompt_text": None,
        "metrics": fragment(generated.metrics),
        "kv_transfer_params": None,
    }


def choice_of(
    choice: GenerateStreamChoice,
    delta: Json,
    *,
    logprobs: Any = None,
    finish_reason: str | None = None,
    stop_reason: int | str | None = None,
    token_ids: list[int] | None = None,
) -> Json:
    return {
        "index": choice.index,
        "delta": delta,
        "logprobs": logprobs,
        "finish_reason": finish_reason,
        "stop_reason": stop_reason,
        "token_ids": token_ids,
        "weight_versions": None,
    }


def _chunk_choice(
    model: Model,
    request_id: str,
    choice: GenerateStreamChoice,
    state: StreamState,
    stream: OutputStream,
    facts: RequestFacts,
) -> tuple[Json, str | None]:
    """The choice's part of the chunk, and at the end what was found. Advances state and stream."""
    ids = choice.token_ids or []
    text_ids, stop_reason = drop_stop_token(
        ids, choice.finish_reason, choice.stop_reason, facts.stop, model.generation
    )
    parsed, finish_reason, outcome = model.outputs.parses, choice.finish_reason, None
    ends = finish_reason is not None and not state.e
    events = stream.feed(ids, text_ids, finish_reason if ends else None)
    delta = delta_of(events, request_id, choice.index, facts)
    if not state.r:
        delta["role"] = "assistant"
    if ends:
        outcome = _outcome(parsed, stream.called)
    if parsed and finish_reason is not None:
        finish_reason = finish_reason_of(finish_reason or "stop", facts, stream.called)
    hidden = parsed and not facts.include_reasoning
    logprobs = None
    if choice.logprobs is not None and not hidden:
        strings = model.detokenizer.strings
        logprobs = chat_logprobs(choice.logprobs, strings, state.l, top_limit=facts.top_limit)
    built = choice_of(
        choice,
        delta,
        logprobs=logprobs,
        finish_reason=finish_reason,
        stop_reason=stop_reason,
        token_ids=choice.token_ids if facts.return_token_ids and not hidden else None,
    )
    advance(state, choice)
    return built, outcome


def _outcome(parsed: bool, called: bool) -> str:
    if not parsed:
        return "plain"
    return "tool_calls" if called else "content"


def delta_of(events: Iterable[Event], request_id: str, choice: int, facts: RequestFacts) -> Json:
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
