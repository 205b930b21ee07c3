"""Token IDs of a whole output back to a chat completion.

Answers have vLLM 0.33.0's fields in its order (`renderers/online_derenderer.py`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from parsers import Result

from .derender_common import decode_output, fragment, raw_or_none, usage_of
from .errors import RequestError
from .logprobs import chat_logprobs
from .request_facts import NO_REQUEST, RequestFacts
from .tool_call_id import tool_call_id

if TYPE_CHECKING:
    from .model import Model
    from .protocol.generate import (
        GenerateChoice,
        GenerateResponse,
    )

Json = dict[str, Any]


def whole(
    model: Model,
    name: str,
    response: GenerateResponse,
    facts: RequestFacts | None,
    prompt_token_ids: Sequence[int] | None,
    prompt_tokens: int | None,
) -> tuple[Json, str]:
    """A ChatCompletion, and what the parser found in it."""
    if prompt_token_ids is None:
        prompt_token_ids = response.prompt_token_ids
    choices, outcome = [], "plain"
    for choice in response.choices:
        built, outcome = _whole_choice(model, response.request_id, choice, facts, prompt_token_ids)
        choices.append(built)
    completion_tokens = sum(len(choice.token_ids or ()) for choice in response.choices)
    shows_ids = facts is not None and facts.return_token_ids
    answer = {
        "id": response.request_id,
        "object": "chat.completion",
        "created": int(time.time()),
        "model": name,
        "choices": choices,
        "service_tier": None,
        "system_fingerprint": None,
        "usage": usage_of(prompt_tokens or 0, completion_tokens),
        "prompt_logprobs": raw_or_none(response.prompt_logprobs),
        "prompt_token_ids": response.prompt_token_ids if shows_ids else None,
        "prompt_text": None,
        "kv_transfer_params": fragment(response.kv_transfer_params),
        "ec_transfer_params": None,
        "metrics": fragment(response.metrics),
    }
    return answer, outcome


def _whole_choice(
    model: Model,
    request_id: str,
    choice: GenerateChoice,
    facts: RequestFacts | None,
    prompt_token_ids: Sequence[int] | None,
) -> tuple[Json, str]:
    if not choice.token_ids:
        raise RequestError(f"choice {choice.index} has empty or null token_ids")
    known = facts or NO_REQUEST
    parsed = model.outputs.parses and facts is not None
    pieces, stop_reason = decode_output(model, choice, known, prompt_token_ids, pieces=parsed)
    if parsed:
        result = model.outputs.parse(
            pieces, choice.token_ids, known, prompt_token_ids, choice.finish_reason
        )
    else:
        result = Result(None, "".join(pieces), [])
    hidden = parsed and not known.include_reasoning
    built = {
        "index": choice.index,
        "message": _message(result, request_id, choice.index, known),
        "logprobs": None
        if choice.logprobs is None or hidden
        else chat_logprobs(choice.logprobs, model.detokenizer.strings, top_limit=known.top_limit),
        "finish_reason": finish_reason(choice.finish_reason or "stop", known, bool(result.calls)),
        "stop_reason": stop_reason,
        "token_ids": choice.token_ids if known.return_token_ids and not hidden else None,
        "routed_experts": None,
        "weight_versions": None,
    }
    return built, _outcome(result) if parsed else "plain"


def _message(result: Result, request_id: str, choice: int, facts: RequestFacts) -> Json:
    content = result.content
    if facts.forces_calls:
        content = content or ""
    message: Json = {
        "role": "assistant",
        "content": content,
        "refusal": None,
        "annotations": None,
        "audio": None,
        "function_call": None,
    }
    if result.calls:
        message["tool_calls"] = [
            {
                "id": tool_call_id(
                    request_id,
                    choice,
                    index,
                    call.name,
                    written=result.ids[index] if result.ids else "",
                    numbered_from=facts.numbered_from,
                ),
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for index, call in enumerate(result.calls)
        ]
    message["reasoning"] = result.reasoning
    return message


def finish_reason(reason: str, facts: RequestFacts, called: bool) -> str:
    """`tool_calls` where the model stopped on its own after a call that it chose to make."""
    if called and reason == "stop" and not facts.named_tool:
        return "tool_calls"
    return reason


def _outcome(result: Result) -> str:
    if result.calls:
        return "tool_calls"
    return "content" if result.content else "reasoning" if result.reasoning else "empty"
