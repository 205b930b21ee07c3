"""The endpoints `/v1/chat/completions/derender` and `/v1/completions/derender`.

Both take a whole output, or with `stream: true` one chunk. Checks and their order are
vLLM 0.33.0's (`scale_out/derender/serving.py`), with one freedom more: chunks after the
first need neither `prompt_token_ids` nor `prompt_tokens`, the state knows what it must.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import orjson
from msgspec import UnsetType

from . import derender_chat, derender_chat_chunk, derender_completion, stream_state
from .answer import Answer
from .derender_bounds import check_logprobs, check_prompt, check_responses, check_token_ids
from .errors import RequestError, schema_error
from .fingerprint_check import check_fingerprint, written
from .protocol import derender as wire
from .protocol.decode import decode
from .protocol.generate import GenerateChunk
from .render import check_model
from .request_facts import RequestFacts, chat_facts, completion_facts
from .stream_state import Kind, StreamState, check_choice

if TYPE_CHECKING:
    from msgspec import Raw

    from .model import Model

T = TypeVar("T")

NEEDS_CHAT_REQUEST = (
    "chat_request is required when a tool or reasoning parser is configured because plain "
    "detokenization would leak raw parser markup into content."
)
NEEDS_PROMPT = (
    "prompt_token_ids is required when a tool or reasoning parser is configured: send it with "
    "the first chunk. Without it the parser cannot tell whether the prompt left reasoning open "
    "(e.g. a chat template that pre-opens <think>) and would misclassify reasoning as content."
)
NO_STOP_STRINGS = (
    "stop strings are not supported by streaming derender because text already sent cannot be "
    "cut. Use non-streaming derender or output_mode=text on /inference/v1/generate which holds "
    "stop strings back."
)


def chat(model: Model, body: bytes, request_id: str | None) -> Answer:
    request = decode(wire.chat_decoder, body)
    name = _model_name(model, request.model)
    if request.stream:
        return _chat_chunk(model, name, request)
    response = _required(request.generate_response, "generate_response")
    check_fingerprint(model, response.request_id)
    facts = chat_facts(model, request.chat_request)
    check_responses(model, [response])
    prompt = wire.prompt_ids(request.prompt_token_ids)
    check_prompt(model, prompt)
    check_prompt(model, response.prompt_token_ids)
    if model.format is not None and facts is None:
        raise RequestError(NEEDS_CHAT_REQUEST)
    response.request_id = response.request_id or _new_id()
    answer, outcome = derender_chat.whole(
        model, name, response, facts, prompt, request.prompt_tokens
    )
    return Answer(orjson.dumps(answer), answer["usage"]["completion_tokens"], outcome)


def _chat_chunk(model: Model, name: str, request: wire.DerenderChatRequest) -> Answer:
    chunk = _required(request.generate_chunk, "generate_chunk")
    state = _state(model, request.stream_state, "chat")
    check_fingerprint(model, chunk.request_id, state)
    tag = _tag(chunk, state)
    facts = chat_facts(model, request.chat_request)
    _refuse_stop_strings(facts)
    if model.format is not None and facts is None:
        raise RequestError(NEEDS_CHAT_REQUEST)
    prompt = _first_prompt(model, state, request.prompt_token_ids)
    if model.format is not None and state is None and prompt is None:
        raise RequestError(NEEDS_PROMPT)
    if len(chunk.choices) > 1:
        raise RequestError(
            f"derender_chat_stream expects at most one choice per chunk (got {len(chunk.choices)})."
        )
    _check_chunk(model, chunk, state, prompt)
    if prompt is None and state is None:
        prompt = _engine_prompt(model, chunk)
    answer, after, outcome = derender_chat_chunk.chunk(
        model, name, chunk, state, facts, prompt, request.prompt_tokens
    )
    after.q = tag
    return _chunk_answer(model, answer, after, chunk, outcome)


def completion(model: Model, body: bytes, request_id: str | None) -> Answer:
    request = decode(wire.completion_decoder, body)
    name = _model_name(model, request.model)
    if request.stream:
        return _completion_chunk(model, name, request)
    responses = _required(request.generate_responses, "generate_responses")
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
        response.request_id = response.request_id or _new_id()
    answer = derender_completion.whole(model, name, responses, facts, prompts, counts)
    return Answer(orjson.dumps(answer), answer["usage"]["completion_tokens"], "plain")


def _completion_chunk(model: Model, name: str, request: wire.DerenderCompletionRequest) -> Answer:
    chunk = _required(request.generate_chunk, "generate_chunk")
    if isinstance(request.prompt_tokens, list):
        raise schema_error("`prompt_tokens` is one integer when streamed.", "body.prompt_tokens")
    state = _state(model, request.stream_state, "completion")
    check_fingerprint(model, chunk.request_id, state)
    tag = _tag(chunk, state)
    facts = completion_facts(model, request.completion_request)
    _refuse_stop_strings(facts)
    prompt = _first_prompt(model, state, request.prompt_token_ids)
    check_prompt(model, prompt)
    if len(chunk.choices) > 1:
        raise RequestError("derender_completion_stream expects at most one choice per chunk")
    _check_chunk(model, chunk, state, prompt)
    if prompt is None and state is None:
        prompt = _engine_prompt(model, chunk)
    answer, after = derender_completion.chunk(
        model, name, chunk, state, facts, prompt, request.prompt_tokens
    )
    after.q = tag
    return _chunk_answer(model, answer, after, chunk, None)


def _chunk_answer(
    model: Model,
    answer: dict[str, Any],
    after: StreamState,
    chunk: GenerateChunk,
    outcome: str | None,
) -> Answer:
    after.f = written(model)
    state = stream_state.encode(after, model.state_keys)
    body = orjson.dumps({"chunk": answer, "stream_state": orjson.Fragment(state)})
    tokens = sum(len(choice.token_ids or ()) for choice in chunk.choices)
    return Answer(body, tokens, outcome, len(state))


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


def _model_name(model: Model, name: str | None) -> str:
    check_model(model, name)
    return name or model.names[0]


def _refuse_stop_strings(facts: RequestFacts | None) -> None:
    if facts is not None and facts.stop.stop:
        raise RequestError(NO_STOP_STRINGS)


def _state(model: Model, raw: Raw, kind: Kind) -> StreamState | None:
    if not wire.given(raw):
        return None
    return stream_state.decode(bytes(raw), kind, model.state_keys)


def _tag(chunk: GenerateChunk, state: StreamState | None) -> str:
    """What the next state keeps of the request; a chunk without an ID gets one here."""
    tag = stream_state.request_tag(chunk.request_id)
    if state is not None:
        stream_state.check_request(state, chunk.request_id)
        tag = state.q or tag
    chunk.request_id = chunk.request_id or _new_id()
    return tag


def _first_prompt(model: Model, state: StreamState | None, raw: Raw) -> list[int] | None:
    """The prompt's IDs with the first chunk; later ones need none and are not read."""
    if state is not None:
        return None
    prompt = wire.prompt_ids(raw)
    check_token_ids(model, prompt, "prompt_token_ids")
    return prompt


def _engine_prompt(model: Model, chunk: GenerateChunk) -> list[int] | None:
    prompt = wire.prompt_ids(chunk.prompt_token_ids)
    check_prompt(model, prompt)
    return prompt


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


def _required(value: T | UnsetType, field: str) -> T:
    if isinstance(value, UnsetType):
        raise schema_error(f"Field required: `{field}`.", f"body.{field}")
    return value


def _new_id() -> str:
    return uuid.uuid4().hex[:16]
