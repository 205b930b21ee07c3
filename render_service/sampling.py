"""Sampling parameters of a generate request, as vLLM 0.33.0's /render gives them.

Rule: the request's value, else the model's generation config, else vLLM's default; then the
checks of `SamplingParams` (`sampling_checks.py`). A field at its default is left
out as vLLM leaves it out: it compares by identity, so floats and lists stay, except those that
greedy sampling resets.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from .errors import RequestError
from .protocol.chat import ChatRequest
from .protocol.completion import CompletionRequest
from .protocol.fields import ResponseFormat, StructuredOutputs, invalid
from .sampling_checks import GREEDY_BELOW, refuse_first

if TYPE_CHECKING:
    from .generation import GenerationDefaults

MIN_TEMPERATURE = 1e-2

_TUNABLE: Mapping[str, float] = {
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
    "repetition_penalty": 1.0,
    "temperature": 1.0,
    "top_p": 1.0,
    "top_k": 0,
    "min_p": 0.0,
}
"""What the generation config may set, with vLLM's defaults, in the order of the answer."""

_DEFAULT_MAX_TOKENS = 16
_DELTA, _FINAL_ONLY = 1, 2

Request = ChatRequest | CompletionRequest


class Sampling(NamedTuple):
    """params: `sampling_params`. The other two go out beside it, for the engine's connectors."""

    params: dict[str, Any]
    kv_transfer_params: dict[str, Any] | None
    ec_transfer_params: dict[str, Any] | None


def with_max_tokens(sampling: Sampling, max_tokens: int) -> Sampling | None:
    """The same but for this; None where all has to be made and checked again."""
    params = sampling.params
    now = params.get("max_tokens", _DEFAULT_MAX_TOKENS)
    if now == max_tokens:
        return sampling
    fits = max_tokens >= max(1, params.get("min_tokens", 0))
    if not fits or _DEFAULT_MAX_TOKENS in (now, max_tokens):  # which is left out
        return None
    return sampling._replace(params={**params, "max_tokens": max_tokens})


def max_output_tokens(
    generation: GenerationDefaults,
    max_model_len: int,
    asked: int | None,
    prompt_tokens: int,
    truncate_prompt_tokens: int | None,
) -> int:
    """Output tokens that fit: the least of what is asked, configured and left of the context.

    Source: `get_max_tokens` in `entrypoints/serve/utils/api_utils.py`.
    """
    if truncate_prompt_tokens is not None:
        limit = max_model_len if truncate_prompt_tokens == -1 else truncate_prompt_tokens
        prompt_tokens = min(prompt_tokens, limit)
    if prompt_tokens > max_model_len:
        raise RequestError(
            f"Input length ({prompt_tokens}) exceeds model's maximum "
            f"context length ({max_model_len})."
        )
    left = max_model_len - prompt_tokens
    configured = generation.defaults.get("max_tokens") if asked is None else asked
    override = generation.override_max_tokens
    most: int = left if configured is None else min(left, configured)
    return most if override is None else min(most, override)


def chat_sampling(
    request: ChatRequest,
    generation: GenerationDefaults,
    max_tokens: int,
    *,
    keep_special: bool = False,
    extra_args: bool = False,
) -> Sampling:
    """keep_special: the parsers read special tokens, whatever the request says.

    extra_args: an object even where it is empty.
    """
    labels = request.logprob_token_ids
    echoed = request.top_logprobs or 0 if request.echo else None
    return _sampling(
        request,
        generation,
        max_tokens=max_tokens,
        logprobs=(request.top_logprobs or 0) if request.logprobs and not labels else None,
        prompt_logprobs=echoed if request.prompt_logprobs is None else request.prompt_logprobs,
        skip_special=not keep_special and _skip_special(request, generation),
        extra_args=extra_args,
    )


def completion_sampling(
    request: CompletionRequest, generation: GenerationDefaults, max_tokens: int
) -> Sampling:
    echoed = request.logprobs if request.echo else None
    return _sampling(
        request,
        generation,
        # An echo without output still needs one step of the engine.
        max_tokens=1 if request.echo and request.max_tokens == 0 else max_tokens,
        logprobs=None if request.logprob_token_ids else request.logprobs,
        prompt_logprobs=echoed if request.prompt_logprobs is None else request.prompt_logprobs,
        skip_special=_skip_special(request, generation),
    )


def _sampling(
    request: Request,
    generation: GenerationDefaults,
    *,
    max_tokens: int,
    logprobs: int | None,
    prompt_logprobs: int | None,
    skip_special: bool,
    extra_args: bool = False,
) -> Sampling:
    outputs = structured_outputs(request.structured_outputs, request.response_format)
    bias = _logit_bias(request.logit_bias)
    tunable = _tunable(request, generation.defaults)
    stop = [request.stop] if isinstance(request.stop, str) else request.stop or []
    extra, kv, ec = _extra_args(request)
    values = {
        "n": 1 if request.n is None else request.n,
        **tunable,
        "max_tokens": max_tokens,
        "min_tokens": request.min_tokens,
        "logprobs": logprobs,
        "stop": stop,
        "bad_words": list(dict.fromkeys(request.bad_words)),
        "extra_args": (extra, kv, ec),
    }
    refuse_first(values)
    greedy = tunable["temperature"] < GREEDY_BELOW
    hold_back = max(map(len, stop)) - 1 if stop and not request.include_stop_str_in_output else 0
    given: dict[str, Any] = {
        "n": _unless(values["n"], 1),
        "presence_penalty": tunable["presence_penalty"],
        "frequency_penalty": tunable["frequency_penalty"],
        "repetition_penalty": tunable["repetition_penalty"],
        "temperature": tunable["temperature"],
        "watermarking": request.watermarking,
        "top_p": None if greedy else tunable["top_p"],
        "top_k": None if greedy else _unless(tunable["top_k"], 0),
        "min_p": None if greedy else tunable["min_p"],
        "seed": _unless(request.seed, -1),
        "stop": stop,
        "stop_token_ids": list(dict.fromkeys(request.stop_token_ids or ())),
        "ignore_eos": request.ignore_eos or None,
        "max_tokens": _unless(max_tokens, _DEFAULT_MAX_TOKENS),
        "min_tokens": request.min_tokens or None,
        "logprobs": logprobs,
        "prompt_logprobs": prompt_logprobs,
        "logprob_token_ids": request.logprob_token_ids or None,
        "skip_special_tokens": None if skip_special else False,
        "spaces_between_special_tokens": None if request.spaces_between_special_tokens else False,
        "include_stop_str_in_output": request.include_stop_str_in_output or None,
        "output_kind": _DELTA if request.stream else _FINAL_ONLY,
        "stream_interval": request.stream_interval,
        "skip_clone": True,
        "output_text_buffer_length": hold_back or None,
        "structured_outputs": outputs and msgspec.to_builtins(outputs),
        "logit_bias": bias,
        "allowed_token_ids": request.allowed_token_ids,
        "extra_args": extra if extra or (extra_args and not kv and not ec) else None,
        "bad_words": values["bad_words"],
        "skip_reading_prefix_cache": prompt_logprobs is not None,
        "thinking_token_budget": request.thinking_token_budget,
        "repetition_detection": request.repetition_detection
        and msgspec.to_builtins(request.repetition_detection),
        "routed_experts_prompt_start": request.routed_experts_prompt_start or None,
    }
    return Sampling(
        {name: value for name, value in given.items() if value is not None}, kv or None, ec or None
    )


def _skip_special(request: Request, generation: GenerationDefaults) -> bool:
    wanted = request.skip_special_tokens
    return bool(generation.defaults.get("skip_special_tokens", True) if wanted is None else wanted)


def _unless(value: Any, default: Any) -> Any:
    return None if value == default else value


def _tunable(request: Request, defaults: Mapping[str, Any]) -> dict[str, Any]:
    values = {}
    for name, default in _TUNABLE.items():
        value = getattr(request, name)
        values[name] = defaults.get(name, default) if value is None else value
    if 0 < values["temperature"] < MIN_TEMPERATURE:
        values["temperature"] = MIN_TEMPERATURE
    return values


def structured_outputs(
    outputs: StructuredOutputs | None, wanted: ResponseFormat | None
) -> StructuredOutputs | None:
    """The constraint of both fields: `response_format` wins."""
    if wanted is None or wanted.type == "text":
        return outputs
    constraint: dict[str, Any]
    if wanted.type == "json_object":
        constraint = {"json_object": True}
    elif wanted.type == "json_schema":
        schema = wanted.json_schema.schema if wanted.json_schema else None
        constraint = {"json": schema}
    else:
        constraint = {"structural_tag": json.dumps(_structural_tag(wanted))}
    if outputs is None:
        return StructuredOutputs(**constraint)
    return msgspec.structs.replace(outputs, **constraint)


def _structural_tag(wanted: ResponseFormat) -> dict[str, Any]:
    if wanted.format is not None:
        return {"type": wanted.type, "format": wanted.format}
    return {"type": wanted.type, "structures": wanted.structures, "triggers": wanted.triggers}


def _logit_bias(bias: dict[str, float] | None) -> dict[str, float] | None:
    """Token ID to bias, kept within what the engine takes. JSON has text keys only."""
    if bias is None:
        return None
    wrong = [token for token in bias if not _is_integer(token)]
    if wrong:
        raise invalid(
            f"logit_bias contains key(s) that cannot be converted to integer token IDs: {wrong!r}",
            "logit_bias",
            wrong,
        )
    return {str(int(token)): min(100.0, max(-100.0, value)) for token, value in bias.items()}


def _is_integer(text: str) -> bool:
    try:
        int(text)
    except ValueError:
        return False
    return True


def _extra_args(request: Request) -> tuple[dict[str, Any], Any, Any]:
    extra = dict(request.vllm_xargs or {})
    reserved = [name for name in ("kv_transfer_params", "ec_transfer_params") if name in extra]
    if reserved:
        raise invalid(f"`vllm_xargs` must not contain `{reserved[0]}`.", "vllm_xargs")
    return extra, request.kv_transfer_params, request.ec_transfer_params
