"""Body of `POST /v1/chat/completions` and of its `/render`: vLLM 0.33.0's ChatCompletionRequest.

Fields, defaults and checks are vLLM's (`entrypoints/openai/chat_completion/protocol.py`).
Messages stay dicts: the chat template reads them as they are.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from . import checks
from .decode import convert, decode_object
from .fields import (
    Count,
    ExtraArgs,
    Int64,
    MediaPayload,
    NamedToolChoice,
    ReasoningEffort,
    RepetitionDetection,
    ResponseFormat,
    StopStrings,
    StreamInterval,
    StreamOptions,
    StructuredOutputs,
    ToolParam,
    TruncatePrompt,
    TruncationSide,
    invalid,
)
from .generate import TokenId
from .message_shape import read_messages

__all__ = ["ChatRequest", "NamedToolChoice", "decode_chat_request"]

ToolChoice = Literal["none", "auto", "required"] | NamedToolChoice | None


class ChatRequest(Struct, kw_only=True):
    messages: list[dict[str, Any]]
    model: str | None = None
    frequency_penalty: float | None = None
    logit_bias: dict[str, float] | None = None
    logprobs: bool | None = False
    top_logprobs: int | None = 0
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    n: int | None = 1
    presence_penalty: float | None = None
    response_format: ResponseFormat | None = None
    seed: Int64 | None = None
    stop: StopStrings = None
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    temperature: float | None = None
    top_p: float | None = None
    tools: list[ToolParam] | None = None
    tool_choice: ToolChoice = "none"
    reasoning_effort: ReasoningEffort | None = None
    thinking_token_budget: int | None = None
    include_reasoning: bool = True
    parallel_tool_calls: bool | None = True
    user: str | None = None

    # Sampling, beyond OpenAI's
    use_beam_search: bool = False
    top_k: int | None = None
    min_p: float | None = None
    repetition_penalty: float | None = None
    watermarking: bool | None = None
    length_penalty: float = 1.0
    stop_token_ids: list[int] | None = None
    include_stop_str_in_output: bool = False
    ignore_eos: bool = False
    min_tokens: int = 0
    skip_special_tokens: bool | None = None
    spaces_between_special_tokens: bool = True
    truncate_prompt_tokens: TruncatePrompt | None = None
    truncation_side: TruncationSide | None = None
    prompt_logprobs: int | None = None
    logprob_token_ids: list[int] | None = None
    allowed_token_ids: list[int] | None = None
    bad_words: list[str] = []

    # Rendering
    echo: bool = False
    add_generation_prompt: bool = True
    continue_final_message: bool = False
    add_special_tokens: bool = False
    documents: list[dict[str, str]] | None = None
    chat_template: str | None = None
    chat_template_kwargs: dict[str, Any] | None = None
    media_io_kwargs: dict[str, dict[str, Any]] | None = None
    mm_processor_kwargs: dict[str, Any] | None = None

    # Serving
    structured_outputs: StructuredOutputs | None = None
    priority: Int64 = 0
    request_id: str | UnsetType = UNSET
    session_id: str | None = None
    return_tokens_as_token_ids: bool | None = None
    return_token_ids: bool | None = None
    return_weight_versions: bool = False
    routed_experts_prompt_start: Count = 0
    return_token_offsets: bool | None = False
    return_prompt_text: bool | None = None
    previous_token_ids: list[TokenId] | None = None  # ours
    mm_payload: MediaPayload = "tensors"
    return_mm_kwargs: bool | None = None
    cache_salt: str | None = None
    kv_transfer_params: dict[str, Any] | None = None
    ec_transfer_params: dict[str, Any] | None = None
    vllm_xargs: ExtraArgs | None = None
    repetition_detection: RepetitionDetection | None = None
    stream_interval: StreamInterval | None = None


def decode_chat_request(raw: bytes) -> ChatRequest:
    """The body `raw`; RequestError as vLLM refuses it."""
    body = decode_object(raw)
    _check(body)
    return convert(body, ChatRequest)


def _check(body: dict[str, Any]) -> None:
    checks.generation_prompt(body)
    _check_tools(body)
    constrained = checks.structured_outputs(body, None)
    choice = body.get("tool_choice", "none")
    if constrained and choice not in ("none", "auto", "required"):
        raise invalid(
            "You can only either use constraints for structured outputs or tools, not both."
        )
    _check_logprobs(body)
    checks.stream_options(body)
    checks.response_format(body)
    checks.cache_salt(body)
    checks.media_payload(body)
    if "messages" in body:
        read_messages(body["messages"])
    checks.thinking_token_budget(body)


def _check_logprobs(body: dict[str, Any]) -> None:
    if body.get("logprob_token_ids"):
        if body.get("use_beam_search"):
            raise invalid(
                "`logprob_token_ids` is not supported with beam search.", "logprob_token_ids"
            )
        if not body.get("logprobs"):
            raise invalid(
                "when using `logprob_token_ids`, `logprobs` must be set to true.",
                "logprob_token_ids",
            )
    checks.integers(body, "prompt_logprobs", "top_logprobs")
    checks.prompt_logprobs(body)
    checks.not_negative(body, "top_logprobs")
    if body.get("top_logprobs") and not body.get("logprobs"):
        raise invalid("when using `top_logprobs`, `logprobs` must be set to true.", "top_logprobs")


def _check_tools(body: dict[str, Any]) -> None:
    """Also makes `auto` the default where tools are given."""
    tools = body.get("tools")
    if tools == []:
        raise invalid(
            "`tools` must not be an empty array. "
            "Either provide at least one tool or omit the field entirely.",
            "tools",
        )
    if "tool_choice" not in body and tools:
        body["tool_choice"] = "auto"
    choice = body.get("tool_choice")
    if choice is None or choice == "none":
        return
    if tools is None:
        raise invalid("When using `tool_choice`, `tools` must be set.", "tool_choice")
    if isinstance(choice, dict):
        _check_named_choice(choice, tools)
    elif choice not in ("auto", "required"):
        raise invalid(
            f"Invalid value for `tool_choice`: {choice}! "
            'Only named tools, "none", "auto" or "required" are supported.',
            "tool_choice",
        )


def _check_named_choice(choice: dict[str, Any], tools: Any) -> None:
    usage = 'Correct usage: `{"type": "function", "function": {"name": "my_function"}}`'
    function = choice.get("function")
    if not isinstance(function, dict):
        raise invalid(
            f"Invalid value for `function`: `{function}` in `tool_choice`! {usage}",
            "tool_choice.function",
        )
    if "name" not in function:
        raise invalid(
            f"Expected field `name` in `function` in `tool_choice`! {usage}",
            "tool_choice.function.name",
        )
    name = function["name"]
    if not isinstance(name, str) or not name:
        raise invalid(
            f"Invalid `name` in `function`: `{name}` in `tool_choice`! {usage}",
            "tool_choice.function.name",
        )
    if isinstance(tools, list) and not any(_tool_name(tool) == name for tool in tools):
        raise invalid(
            "The tool specified in `tool_choice` does not match any of the specified `tools`",
            "tool_choice",
        )


def _tool_name(tool: Any) -> Any:
    function = tool.get("function") if isinstance(tool, dict) else None
    return function.get("name") if isinstance(function, dict) else None
