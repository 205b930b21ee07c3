"""The endpoints `/v1/chat/completions/derender` and `/v1/completions/derender`.

Both take a whole output, or with `stream: true` a chunk or several (`live_chunk.py`,
`derender_chunks.py`, `derender_stream.py`). Checks and their order are vLLM 0.33.0's
(`scale_out/derender/serving.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import orjson

from . import derender_chat, derender_chunks, derender_completion, derender_stream, live_chunk
from .answer import Answer
from .derender_bounds import check_prompt, check_responses
from .derender_common import NEEDS_CHAT_REQUEST, new_id, required
from .errors import RequestError, schema_error
from .fingerprint_check import check_fingerprint
from .protocol import derender as wire
from .protocol.decode import decode
from .render import check_model
from .request_facts import chat_facts, completion_facts

if TYPE_CHECKING:
    from msgspec import Raw

    from .model import Model


def chat(model: Model, body: bytes, request_id: str | None) -> Answer:
    request = decode(wire.chat_decoder, body)
    name = _model_name(model, request.model)
    if request.stream:
        return live_chunk.answer(model, name, request) or derender_chunks.answer(
            model, name, request, derender_stream.chat
        )
    response = required(request.generate_response, "generate_response")
    check_fingerprint(model, response.request_id)
    facts = chat_facts(model, request.chat_request)
    check_responses(model, [response])
    prompt = wire.prompt_ids(request.prompt_token_ids)
    check_prompt(model, prompt)
    check_prompt(model, response.prompt_token_ids)
    if model.outputs.parses and facts is None:
        raise RequestError(NEEDS_CHAT_REQUEST)
    response.request_id = response.request_id or new_id()
    answer, outcome = derender_chat.whole(
        model, name, response, facts, prompt, request.prompt_tokens
    )
    return Answer(orjson.dumps(answer), answer["usage"]["completion_tokens"], outcome)


def completion(model: Model, body: bytes, request_id: str | None) -> Answer:
    request = decode(wire.completion_decoder, body)
    name = _model_name(model, request.model)
    if request.stream:
        return derender_chunks.answer(model, name, request, derender_stream.completion)
    responses = required(request.generate_responses, "generate_responses")
    for response in responses:
        check_fingerprint(model, response.request_id)
    prompts = _prompt_lists(request.prompt_token_ids, len(responses))
    counts = _prompt_counts(request.prompt_tokens, len(responses))
    facts = completion_facts(model, request.completion_request)
    if not responses:
        raise RequestError("generate_responses must not be empty")
    check_responses(model, responses)
    for response, prompt in zip(responses, prompts, strict=True):
        check_prompt(model, prompt)
        check_prompt(model, response.prompt_token_ids)
        response.request_id = response.request_id or new_id()
    answer = derender_completion.whole(model, name, responses, facts, prompts, counts)
    return Answer(orjson.dumps(answer), answer["usage"]["completion_tokens"], "plain")


def _model_name(model: Model, name: str | None) -> str:
    check_model(model, name)
    return name or model.names[0]


def _prompt_lists(raw: Raw, responses: int) -> Sequence[list[int] | None]:
    lists = wire.prompt_id_lists(raw)
    if lists is None:
        return [None] * responses
    _check_parallel("prompt_token_ids", len(lists), responses)
    return lists


def _prompt_counts(counts: int | list[int] | None, responses: int) -> list[int]:
    if counts is None:
        return [0] * responses
    if isinstance(counts, int):
        raise schema_error(
            "`prompt_tokens` is a list with one integer a response.", "body.prompt_tokens"
        )
    _check_parallel("prompt_tokens", len(counts), responses)
    return counts


def _check_parallel(field: str, length: int, responses: int) -> None:
    if length != responses:
        raise schema_error(
            f"{field} length ({length}) must equal generate_responses length ({responses})",
            "body",
        )
