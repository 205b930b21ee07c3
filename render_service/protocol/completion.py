"""Body of `POST /v1/completions` and of its `/render`: vLLM 0.33.0's CompletionRequest.

Fields, defaults and checks are vLLM's (`entrypoints/openai/completion/protocol.py`).
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from ..errors import RequestError, schema_error
from . import checks
from .decode import convert, decode_object
from .fields import (
    Count,
    ExtraArgs,
    Int64,
    MediaPayload,
    RepetitionDetection,
    ResponseFormat,
    StopStrings,
    StreamInterval,
    StreamOptions,
    StructuredOutputs,
    TruncatePrompt,
    TruncationSide,
    invalid,
)
from .generate import TokenId

MAX_PROMPTS = 1024
"""vLLM's VLLM_MAX_COMPLETION_PROMPTS."""

DEFAULT_MAX_TOKENS = 16

Prompt = str | list[int]


class CompletionRequest(Struct, kw_only=True):
    """prompt: as it came; `prompts()` gives it as a list of texts and token ID lists."""

    prompt: Any = None
    model: str | None = None
    echo: bool | None = False
    frequency_penalty: float | None = None
    logit_bias: dict[str, float] | None = None
    logprobs: int | None = None
    max_tokens: int | None = DEFAULT_MAX_TOKENS
    n: int = 1
    presence_penalty: float | None = None
    seed: Int64 | None = None
    stop: StopStrings = None
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    suffix: str | None = None
    temperature: float | None = None
    top_p: float | None = None
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
    allowed_token_ids: list[int] | None = None
    prompt_logprobs: int | None = None
    logprob_token_ids: list[int] | None = None
    bad_words: list[str] = []

    # Rendering and serving
    prompt_embeds: str | list[str] | None = None
    add_special_tokens: bool = True
    response_format: ResponseFormat | None = None
    structured_outputs: StructuredOutputs | None = None
    priority: Int64 = 0
    request_id: str | UnsetType = UNSET
    session_id: str | None = None
    return_tokens_as_token_ids: bool | None = None
    return_token_ids: bool | None = None
    return_weight_versions: bool = False
    routed_experts_prompt_start: Count = 0
    return_token_offsets: bool | None = False
    previous_token_ids: list[TokenId | list[TokenId]] | None = None  # ours
    mm_payload: MediaPayload = "tensors"
    return_mm_kwargs: bool | None = None
    cache_salt: str | None = None
    kv_transfer_params: dict[str, Any] | None = None
    ec_transfer_params: dict[str, Any] | None = None
    vllm_xargs: ExtraArgs | None = None
    repetition_detection: RepetitionDetection | None = None
    thinking_token_budget: int | None = None
    stream_interval: StreamInterval | None = None

    def prompts(self) -> list[Prompt]:
        """One text or token ID list for each completion."""
        prompt = self.prompt
        if prompt is None:
            return []
        if isinstance(prompt, str) or (prompt and isinstance(prompt[0], int)):
            return [prompt]
        return list(prompt)


def decode_completion_request(raw: bytes) -> CompletionRequest:
    """The body `raw`; RequestError as vLLM refuses it."""
    body = decode_object(raw)
    _check(body)
    request = convert(body, CompletionRequest)
    request.prompt = _checked_prompt(request.prompt)
    return request


def _check(body: dict[str, Any]) -> None:
    _check_prompt_given(body)
    checks.stream_options(body)
    _check_logprobs(body)
    checks.structured_outputs(body, "structured_outputs")
    checks.response_format(body)
    if body.get("max_tokens") is None:
        body["max_tokens"] = DEFAULT_MAX_TOKENS
    checks.cache_salt(body)
    checks.media_payload(body)
    checks.thinking_token_budget(body)


def _check_prompt_given(body: dict[str, Any]) -> None:
    prompt, embeds = body.get("prompt"), body.get("prompt_embeds")
    for name, value in (("prompt", prompt), ("prompt_embeds", embeds)):
        if not isinstance(value, list) or len(value) <= MAX_PROMPTS:
            continue
        if name == "prompt" and all(isinstance(item, int) for item in value):
            continue
        raise invalid(
            f"{name} list length {len(value)} exceeds the maximum allowed count of {MAX_PROMPTS}. "
            "To increase this limit, set the VLLM_MAX_COMPLETION_PROMPTS environment variable.",
            name,
        )
    if prompt in (None, "") and embeds in (None, []):
        raise invalid("Either prompt or prompt_embeds must be provided and non-empty.", "prompt")


def _check_logprobs(body: dict[str, Any]) -> None:
    logprobs, beam, echo = body.get("logprobs"), body.get("use_beam_search"), body.get("echo")
    labels = "logprob_token_ids"
    if body.get(labels) and beam:
        raise invalid("`logprob_token_ids` is not supported with beam search.", labels)
    if beam and echo and logprobs is not None:
        raise invalid(
            "`echo` with `logprobs` is not supported with beam search "
            "because beam search does not compute prompt logprobs.",
            "echo",
        )
    if body.get(labels) and echo and body.get("max_tokens") == 0:
        raise invalid(
            "`logprob_token_ids` is not supported when `echo=True` and "
            "`max_tokens=0` because no output tokens are generated.",
            labels,
        )
    if body.get(labels) and logprobs is None:
        raise invalid("when using `logprob_token_ids`, `logprobs` must be set.", labels)
    checks.integers(body, "prompt_logprobs", "logprobs")
    checks.prompt_logprobs(body)
    checks.not_negative(body, "logprobs")


class _TokenIds(Struct):
    prompt: list[Count]


class _TokenIdLists(Struct):
    prompt: list[list[Count]]


def _checked_prompt(prompt: Any) -> str | list[Any] | None:
    """Token IDs, a text, or a list of either; whole numbers and quoted ones are read as IDs."""
    if prompt is None or isinstance(prompt, str):
        return prompt
    if not isinstance(prompt, list):
        raise schema_error(
            "`prompt` must be a string, an array of strings, of token IDs or of token ID arrays.",
            "body.prompt",
        )
    if all(isinstance(item, str) for item in prompt):
        return prompt
    if not isinstance(prompt[0], list):
        return convert({"prompt": prompt}, _TokenIds).prompt
    try:
        return convert({"prompt": prompt}, _TokenIdLists).prompt
    except RequestError as error:
        # vLLM names what does not fit an array of token IDs: the first item.
        raise schema_error(error.message, "body.prompt.0") from None
