"""What the endpoints answer: the shapes, for the OpenAPI document and for clients in Python.

Rule: nothing is built from these, answers are written as dicts in vLLM's order of keys. Tests hold
that every answer fits its shape, with no field more. Fields that vLLM's engine fills, and that stay
null here, are `None`.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

Json = dict[str, Any]
FinishReason = str | None
StopReason = int | str | None


class Shape(Struct, forbid_unknown_fields=True):
    """A JSON object with these fields and no other."""


class Error(Shape):
    """code: the HTTP status. param: the field at fault, if it is one."""

    message: str
    type: str
    param: str | None
    code: int


class ErrorAnswer(Shape):
    error: Error


class Refused(Shape):
    """A missing or wrong API key."""

    error: Literal["Unauthorized"]


class GenerateRequest(Shape):
    """The body of an engine's `POST /inference/v1/generate`.

    stream_state: only where the header `x-render-stream-state` asked for it.
    """

    request_id: str
    token_ids: list[int]
    token_offsets: list[list[int]] | None
    features: None
    content_parts: Any
    sampling_params: Json
    model: str | None
    reasoning_ended: bool | None
    reasoning_parser_kwargs: Json | None
    return_token_ids: bool | None
    output_mode: Literal["tokens"]
    parse_context: Json | None
    stream: bool
    stream_options: Json | None
    cache_salt: str | None
    priority: int
    kv_transfer_params: Json | None
    ec_transfer_params: Json | None
    stream_state: Any | UnsetType = UNSET


class Usage(Shape):
    prompt_tokens: int
    total_tokens: int
    completion_tokens: int
    prompt_tokens_details: None
    completion_tokens_details: None


class Function(Shape):
    name: str
    arguments: str


class Call(Shape):
    id: str
    type: Literal["function"]
    function: Function


class Message(Shape):
    role: Literal["assistant"]
    content: str | None
    refusal: None
    annotations: None
    audio: None
    function_call: None
    reasoning: str | None
    tool_calls: list[Call] | UnsetType = UNSET


class TopLogprob(Shape):
    token: str
    logprob: float
    bytes: list[int] | None


class Logprob(TopLogprob):
    top_logprobs: list[TopLogprob]


class ChatLogprobs(Shape):
    content: list[Logprob] | None


class CompletionLogprobs(Shape):
    text_offset: list[int]
    token_logprobs: list[float | None]
    tokens: list[str]
    top_logprobs: list[dict[str, float] | None]


class Choice(Shape):
    index: int
    message: Message
    logprobs: ChatLogprobs | None
    finish_reason: FinishReason
    stop_reason: StopReason
    token_ids: list[int] | None
    routed_experts: None
    weight_versions: None


class ChatCompletion(Shape):
    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[Choice]
    service_tier: None
    system_fingerprint: None
    usage: Usage
    prompt_logprobs: list[Any] | None
    prompt_token_ids: list[int] | None
    prompt_text: None
    kv_transfer_params: Any
    ec_transfer_params: None
    metrics: Any


class FunctionDelta(Shape):
    name: str | None
    arguments: str | None


class CallDelta(Shape):
    id: str | None
    type: Literal["function"] | None
    index: int
    function: FunctionDelta


class Delta(Shape):
    role: Literal["assistant"] | None
    content: str | None
    reasoning: str | None
    tool_calls: list[CallDelta] | UnsetType = UNSET


class ChunkChoice(Shape):
    index: int
    delta: Delta
    logprobs: ChatLogprobs | None
    finish_reason: FinishReason
    stop_reason: StopReason
    token_ids: list[int] | None
    weight_versions: None


class ChatCompletionChunk(Shape):
    id: str
    object: Literal["chat.completion.chunk"]
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: Usage | None
    system_fingerprint: None
    prompt_token_ids: list[int] | None
    prompt_text: None
    metrics: Any
    kv_transfer_params: None


class ChatChunkAnswer(Shape):
    """chunk: a list where `generate_chunk` was one. stream_state: opaque; goes with the next chunk
    of this choice.
    """

    chunk: ChatCompletionChunk | list[ChatCompletionChunk]
    stream_state: Any


class CompletionChunkChoice(Shape):
    index: int
    text: str
    logprobs: CompletionLogprobs | None
    finish_reason: FinishReason
    stop_reason: StopReason
    prompt_token_ids: list[int] | None
    token_ids: list[int] | None
    weight_versions: None


class CompletionChoice(CompletionChunkChoice):
    prompt_logprobs: None
    routed_experts: None


class Completion(Shape):
    id: str
    object: Literal["text_completion"]
    created: int
    model: str
    choices: list[CompletionChoice]
    service_tier: None
    system_fingerprint: None
    usage: Usage
    kv_transfer_params: Any
    ec_transfer_params: None
    metrics: Any


class CompletionChunk(Shape):
    id: str
    object: Literal["text_completion"]
    created: int
    model: str
    choices: list[CompletionChunkChoice]
    usage: Usage | None
    system_fingerprint: None
    metrics: Any
    kv_transfer_params: None


class CompletionChunkAnswer(Shape):
    """chunk: a list where `generate_chunk` was one. stream_state: opaque; goes with the next chunk
    of this choice.
    """

    chunk: CompletionChunk | list[CompletionChunk]
    stream_state: Any


class Tokens(Shape):
    """token_strs: only with `return_token_strs`; null for an ID that no token has."""

    count: int
    max_model_len: int
    tokens: list[int]
    token_strs: list[str | None] | None


class Text(Shape):
    prompt: str


class Permission(Shape):
    id: str
    object: Literal["model_permission"]
    created: int
    allow_create_engine: bool
    allow_sampling: bool
    allow_logprobs: bool
    allow_search_indices: bool
    allow_view: bool
    allow_fine_tuning: bool
    organization: str
    group: None
    is_blocking: bool


class ModelCard(Shape):
    id: str
    object: Literal["model"]
    created: int
    owned_by: str
    root: str
    parent: None
    max_model_len: int
    permission: list[Permission]


class ModelList(Shape):
    object: Literal["list"]
    data: list[ModelCard]


class Version(Shape):
    version: str


class Readiness(Shape):
    status: Literal["ready", "draining"]


class FingerprintReport(Shape):
    fingerprint: str
    components: dict[str, str]
    mode: Literal["off", "check", "require"]
    state_keys: list[str]
