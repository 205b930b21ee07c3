"""Body of `POST /v1/responses` and of its `/render`: vLLM 0.33.0's ResponsesRequest.

Fields, defaults and checks are vLLM's (`entrypoints/openai/responses/protocol.py`).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from ..errors import schema_error
from . import checks
from .decode import convert, decode_object
from .fields import (
    ExtraArgs,
    Int64,
    MediaPayload,
    ReasoningEffort,
    StopStrings,
    StructuredOutputs,
    invalid,
)
from .generate import TokenId
from .response_items import Item, read_input
from .response_tools import (
    Tool,
    ToolChoice,
    check_custom_formats,
    check_tool_choice,
    read_choice,
    read_tools,
)

LOGPROBS = "message.output_text.logprobs"
"""What `include` holds where the log probabilities of the output are wanted."""

Penalty = Annotated[float, Meta(ge=-2.0, le=2.0)]
Include = Literal[
    "code_interpreter_call.outputs",
    "computer_call_output.output.image_url",
    "file_search_call.results",
    "message.input_image.image_url",
    "message.output_text.logprobs",
    "reasoning.encrypted_content",
]


class ReasoningOptions(Struct):
    context: Literal["auto", "current_turn", "all_turns"] | None = None
    effort: ReasoningEffort | None = None
    generate_summary: Literal["auto", "concise", "detailed"] | None = None
    mode: str | None = None
    summary: Literal["auto", "concise", "detailed"] | None = None


class TextFormat(Struct, tag="text"):
    pass


class JsonFormat(Struct, tag="json_object"):
    pass


class SchemaFormat(Struct, tag="json_schema"):
    name: str
    schema: dict[str, Any]
    description: str | None = None
    strict: bool | None = None


Format = TextFormat | JsonFormat | SchemaFormat


class TextOptions(Struct):
    """format: as it came; `ResponsesRequest.format` is what it says."""

    format: Any = None
    verbosity: Literal["low", "medium", "high"] | None = None


class CacheOptions(Struct):
    mode: Literal["implicit", "explicit"] = "implicit"
    ttl: Literal["30m"] = "30m"
    comparison_response_id: str | None = None
    prewarm: bool | None = None


class Body(Struct, kw_only=True):
    """The fields as they came; those of type Any are taken apart in `ResponsesRequest`."""

    background: bool | None = False
    include: list[Include] | None = None
    input: Any
    instructions: str | None = None
    max_output_tokens: int | None = None
    max_tool_calls: int | None = None
    metadata: dict[str, str] | None = None
    model: str | None = None
    logit_bias: dict[str, float] | None = None
    parallel_tool_calls: bool | None = True
    previous_response_id: str | None = None
    reasoning: ReasoningOptions | None = None
    include_reasoning: bool = True
    service_tier: Literal["auto", "default", "flex", "scale", "priority"] = "auto"
    store: bool | None = True
    stream: bool | None = False
    temperature: float | None = None
    text: TextOptions | None = None
    tool_choice: Any = "auto"
    tools: list[Any] = []
    top_logprobs: int | None = 0
    top_p: float | None = None
    truncation: Literal["auto", "disabled"] | None = "disabled"
    user: str | None = None
    prompt_cache_key: str | None = None
    prompt_cache_options: CacheOptions | None = None
    prompt_cache_retention: Literal["in_memory", "24h", "in-memory"] | None = None
    safety_identifier: str | None = None

    # Sampling, beyond OpenAI's
    top_k: int | None = None
    min_p: float | None = None
    presence_penalty: Penalty | None = None
    frequency_penalty: Penalty | None = None
    repetition_penalty: float | None = None
    seed: Int64 | None = None
    stop: StopStrings = None
    stop_token_ids: list[int] | None = None
    include_stop_str_in_output: bool = False
    ignore_eos: bool = False
    skip_special_tokens: bool | None = None
    spaces_between_special_tokens: bool = True
    watermarking: bool | None = None

    # Rendering and serving
    chat_template_kwargs: dict[str, Any] | None = None
    media_io_kwargs: dict[str, dict[str, Any]] | None = None
    mm_processor_kwargs: dict[str, Any] | None = None
    structured_outputs: StructuredOutputs | None = None
    previous_input_messages: list[dict[str, Any]] | None = None
    enable_response_messages: bool = False
    priority: Int64 = 0
    request_id: str | UnsetType = UNSET
    session_id: str | None = None
    previous_token_ids: list[TokenId] | None = None  # ours
    mm_payload: MediaPayload = "tensors"
    return_mm_kwargs: bool | None = None
    cache_salt: str | None = None
    kv_transfer_params: dict[str, Any] | None = None
    ec_transfer_params: dict[str, Any] | None = None
    vllm_xargs: ExtraArgs | None = None


class ResponsesRequest(NamedTuple):
    """tools: those that hold functions. format: that of `text`, None where it has none."""

    body: Body
    input: str | list[Item]
    tools: list[Tool]
    tool_choice: ToolChoice
    format: Format | None


def decode_responses_request(raw: bytes) -> ResponsesRequest:
    """The body `raw`; RequestError as vLLM refuses it."""
    body = decode_object(raw)
    _check(body)
    items = read_input(body["input"]) if "input" in body else ""
    fields = convert(body, Body)
    return ResponsesRequest(
        body=fields,
        input=items,
        tools=read_tools(fields.tools),
        tool_choice=read_choice(fields.tool_choice),
        format=None if fields.text is None else _read_format(fields.text.format),
    )


def _check(body: dict[str, Any]) -> None:
    check_tool_choice(body)
    check_custom_formats(body.get("tools"))
    if body.get("prompt") is not None:
        raise invalid("prompt template is not supported", "prompt")
    if body.get("background") and not body.get("store", True):
        raise invalid("background can only be used when `store` is true", "background")
    checks.cache_salt(body)
    checks.media_payload(body)


def _read_format(given: Any) -> Format | None:
    if given is None:
        return None
    try:
        found: Format = msgspec.convert(given, Format, strict=False)
    except msgspec.ValidationError:
        # vLLM names what does not fit the first of the formats.
        field = ".type" if isinstance(given, dict) else ""
        raise schema_error(
            "`text.format` must be of type text, json_object, or json_schema with `name` and "
            "`schema`, an object.",
            f"body.text.format.ResponseFormatText{field}",
        ) from None
    return found
