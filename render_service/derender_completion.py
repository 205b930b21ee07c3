"""Token IDs back to completion answers: whole outputs, or one chunk of a stream.

Answers have vLLM 0.33.0's fields in its order (`renderers/online_derenderer.py`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .derender_common import decode_output, fragment, usage_of
from .errors import RequestError
from .logprobs import completion_logprobs
from .request_facts import NO_REQUEST, RequestFacts
from .stop import drop_stop_token
from .stream_state import StreamState, advance, invalid

if TYPE_CHECKING:
    from .model import Model
    from .protocol.generate import (
        GenerateChoice,
        GenerateChunk,
        GenerateResponse,
        GenerateStreamChoice,
    )

Json = dict[str, Any]


def whole(
    model: Model,
    name: str,
    responses: Sequence[GenerateResponse],
    facts: RequestFacts | None,
    prompts: Sequence[Sequence[int] | None],
    prompt_tokens: Sequence[int],
) -> Json:
    """A Completion: the choices of all prompts in one list, numbered through."""
    known = facts or NO_REQUEST
    choices: list[Json] = []
    for response, prompt in zip(responses, prompts, strict=True):
        seed = prompt if prompt is not None else response.prompt_token_ids
        for choice in response.choices:
            choices.append(_whole_choice(model, response, choice, known, seed, len(choices)))
    first = responses[0]
    same_transfer = all(
        bytes(r.kv_transfer_params) == bytes(first.kv_transfer_params) for r in responses
    )
    completion_tokens = sum(len(c.token_ids or ()) for r in responses for c in r.choices)
    return {
        "id": first.request_id,
        "object": "text_completion",
        "created": int(time.time()),
        "model": name,
        "choices": choices,
        "service_tier": None,
        "system_fingerprint": None,
        "usage": usage_of(sum(prompt_tokens), completion_tokens),
        "kv_transfer_params": fragment(first.kv_transfer_params) if same_transfer else None,
        "ec_transfer_params": None,
        "metrics": fragment(first.metrics) if len(responses) == 1 else None,
    }


def _whole_choice(
    model: Model,
    response: GenerateResponse,
    choice: GenerateChoice,
    facts: RequestFacts,
    seed: Sequence[int] | None,
    index: int,
) -> Json:
    if not choice.token_ids:
        raise RequestError(
            f"choice {choice.index} in response {response.request_id} has empty or null token_ids"
        )
    pieces, stop_reason = decode_output(model, choice, facts, seed, pieces=False)
    return {
        "index": index,
        "text": "".join(pieces),
        "logprobs": None
        if choice.logprobs is None
        else completion_logprobs(
            choice.logprobs, model.detokenizer.strings, top_limit=facts.top_limit
        ),
        "finish_reason": choice.finish_reason,
        "stop_reason": stop_reason,
        "token_ids": choice.token_ids if facts.return_token_ids else None,
        "prompt_logprobs": None,
        "prompt_token_ids": response.prompt_token_ids if facts.return_token_ids else None,
        "routed_experts": None,
        "weight_versions": None,
    }


def chunk(
    model: Model,
    name: str,
    generated: GenerateChunk,
    state: StreamState,
    facts: RequestFacts,
    prompt_tokens: int | None,
) -> Json:
    """A Completion chunk. Advances the state."""
    choices = [
        _chunk_choice(model, generated, choice, state, facts) for choice in generated.choices
    ]
    usage = generated.usage
    return {
        "id": generated.request_id,
        "object": "text_completion",
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
        "metrics": fragment(generated.metrics),
        "kv_transfer_params": None,
    }


def _chunk_choice(
    model: Model,
    generated: GenerateChunk,
    choice: GenerateStreamChoice,
    state: StreamState,
    facts: RequestFacts,
) -> Json:
    ids = choice.token_ids or []
    text_ids, stop_reason = drop_stop_token(
        ids, choice.finish_reason, choice.stop_reason, facts.stop, model.generation
    )
    try:
        decoder = model.detokenizer.resume(
            state.d,
            skip_special_tokens=facts.skip_special_tokens,
            spaces_between_special_tokens=facts.spaces_between_special_tokens,
        )
    except ValueError as error:
        raise invalid(str(error)) from error
    text = "".join(decoder.feed(text_ids))
    logprobs, offset = None, state.o + len(text)
    if choice.logprobs is not None:
        logprobs = completion_logprobs(
            choice.logprobs,
            model.detokenizer.strings,
            state.l,
            top_limit=facts.top_limit,
            text_offset=state.o,
        )
        if logprobs["tokens"]:
            offset = logprobs["text_offset"][-1] + len(logprobs["tokens"][-1])
    built = {
        "index": choice.index,
        "text": text,
        "logprobs": logprobs,
        "finish_reason": choice.finish_reason,
        "stop_reason": stop_reason,
        "prompt_token_ids": fragment(generated.prompt_token_ids)
        if facts.return_token_ids
        else None,
        "token_ids": choice.token_ids if facts.return_token_ids else None,
        "weight_versions": None,
    }
    state.d = decoder.snapshot()
    state.o = offset
    advance(state, choice)
    return built
