"""Body of Anthropic's `POST /v1/messages` and of its `/render`: vLLM 0.33.0's
AnthropicMessagesRequest.

Fields, defaults and checks are vLLM's (`entrypoints/anthropic/protocol.py`).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from ..errors import RequestError, schema_error
from . import checks
from .decode import convert, decode_object
from .fields import MAX_STOP_STRINGS, ExtraArgs, MediaPayload
from .generate import TokenId

MIN_BUDGET = 1024
"""Fewest tokens that thinking may be given."""

Effort = Literal["low", "medium", "high", "xhigh", "max"]
Display = Literal["summarized", "omitted", "updates"]
CHANGES = ("tool_addition", "tool_removal")


class Tool(Struct):
    """input_schema: of type object unless it says otherwise."""

    name: str
    input_schema: dict[str, Any]
    description: str | None = None
    strict: bool | None = None
    defer_loading: bool | None = None

    def __post_init__(self) -> None:
        self.input_schema.setdefault("type", "object")


class NamedTool(Struct, tag="tool_reference"):
    name: str


class DefinedTool(Struct, tag="tool_definition"):
    definition: Tool


class Block(Struct):
    """A part of a message. content: of a tool result. tool: what a tool change is about."""

    type: Literal[
        "text",
        "image",
        "tool_use",
        "tool_result",
        "tool_reference",
        "thinking",
        "redacted_thinking",
        "tool_addition",
        "tool_removal",
    ]
    text: str | None = None
    source: dict[str, Any] | None = None
    id: str | None = None
    tool_use_id: str | None = None
    name: str | None = None
    input: dict[str, Any] | None = None
    content: str | list[dict[str, Any]] | None = None
    is_error: bool | None = None
    tool_name: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    tool: NamedTool | DefinedTool | None = None

    def __post_init__(self) -> None:
        if self.type in CHANGES and self.tool is None:
            raise ValueError(f"tool is required for {self.type} blocks")
        if self.type == "tool_removal" and not isinstance(self.tool, NamedTool):
            raise ValueError("tool_removal only accepts a tool_reference")


Content = str | list[Block]


class Turn(Struct):
    role: Literal["user", "assistant", "system"]
    content: Content


class ToolChoice(Struct):
    type: Literal["auto", "any", "tool", "none"]
    name: str | None = None
    disable_parallel_tool_use: bool | None = None

    def __post_init__(self) -> None:
        if self.type == "tool" and not self.name:
            raise ValueError("tool_choice.name is required when type is 'tool'")


class OutputFormat(Struct):
    schema: dict[str, Any] | None = None
    type: Literal["json_schema"] = "json_schema"


class OutputConfig(Struct):
    effort: Effort | None = None
    format: OutputFormat | None = None


class Enabled(Struct, tag="enabled"):
    budget_tokens: Annotated[int, Meta(ge=MIN_BUDGET)]
    display: Display | None = None


class Disabled(Struct, tag="disabled"):
    pass


class Adaptive(Struct, tag="adaptive"):
    """The model chooses how much it thinks."""

    display: Display | None = None


class MessagesRequest(Struct, kw_only=True):
    model: Annotated[str, Meta(min_length=1)]
    messages: list[Turn]
    max_tokens: Annotated[int, Meta(gt=0)]
    metadata: dict[str, Any] | None = None
    output_config: OutputConfig | None = None
    thinking: Enabled | Disabled | Adaptive | None = None
    stop_sequences: Annotated[list[str], Meta(max_length=MAX_STOP_STRINGS)] | None = None
    stream: bool | None = False
    system: Content | None = None
    temperature: float | None = None
    tool_choice: ToolChoice | None = None
    tools: list[Tool] | None = None
    top_k: int | None = None
    top_p: float | None = None

    # Beyond Anthropic's
    mm_payload: MediaPayload = "tensors"
    return_mm_kwargs: bool | None = None
    cache_salt: Annotated[str, Meta(min_length=1, max_length=1024)] | None = None
    watermarking: bool | None = None
    kv_transfer_params: dict[str, Any] | None = None
    ec_transfer_params: dict[str, Any] | None = None
    vllm_xargs: ExtraArgs | None = None
    chat_template_kwargs: dict[str, Any] | None = None
    previous_token_ids: list[TokenId] | None = None  # ours


def decode_messages_request(raw: bytes) -> MessagesRequest:
    """The body `raw`; RequestError as vLLM refuses it."""
    body = decode_object(raw)
    checks.media_payload(body)
    request = _converted(body)
    _check_changes(request)
    _check_budget(request)
    checks.cache_salt(body)
    return request


def _converted(body: dict[str, Any]) -> MessagesRequest:
    try:
        return convert(body, MessagesRequest)
    except RequestError as error:
        if error.param == "body.thinking" and isinstance(body["thinking"], dict):
            _check_thinking(body["thinking"])
        raise


def _check_thinking(given: dict[str, Any]) -> None:
    """vLLM names the kind of thinking in the path to what is wrong in it."""
    kinds: dict[Any, type[Struct]] = {"enabled": Enabled, "adaptive": Adaptive}
    kind = given.get("type")
    if isinstance(kind, str) and kind in kinds:
        try:
            convert(given, kinds[kind])
        except RequestError as error:
            path = (error.param or "").removeprefix("body")
            raise schema_error(
                f"`thinking`: {error.message}", f"body.thinking.{kind}{path}"
            ) from None


def _check_changes(request: MessagesRequest) -> None:
    """Tools come and go by system messages only."""
    places: list[tuple[str, Content | None]] = [
        (f"messages.{index}", turn.content)
        for index, turn in enumerate(request.messages)
        if turn.role != "system"
    ]
    for place, content in [*places, ("system", request.system)]:
        for block in content if isinstance(content, list) else ():
            if block.type in CHANGES:
                raise schema_error(
                    f"`{place}`: {block.type} blocks are for messages of the system only.",
                    f"body.{place}",
                )


def _check_budget(request: MessagesRequest) -> None:
    transfer = request.kv_transfer_params or {}
    if transfer.get("do_remote_decode"):
        return  # A prefill step is sent with max_tokens=1; the decode step has the client's.
    thinking = request.thinking
    if isinstance(thinking, Enabled) and thinking.budget_tokens >= request.max_tokens:
        raise schema_error("`thinking.budget_tokens` must be less than `max_tokens`.", "body")
