"""What vLLM 0.33.0 refuses of sampling values once defaults are applied.

Source: `SamplingParams._verify_args` in `sampling_params.py`, with its texts and its order.
Bounds on single fields that the schema states are not repeated here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from .errors import RequestError
from .protocol.fields import invalid

MAX_SEQUENCES = 16384
"""vLLM's VLLM_MAX_N_SEQUENCES."""

GREEDY_BELOW = 1e-5


def refuse_first(values: Mapping[str, Any]) -> None:
    """Raise what is wrong first."""
    for fault in _faults(values):
        raise fault


def _faults(v: Mapping[str, Any]) -> Iterator[RequestError]:
    n, max_tokens = v["n"], v["max_tokens"]
    if n < 1:
        yield invalid(f"n must be at least 1, got {n}.")
    if n > MAX_SEQUENCES:
        yield invalid(
            f"n must be at most {MAX_SEQUENCES}, got {n}. To increase this limit, "
            "set the VLLM_MAX_N_SEQUENCES environment variable."
        )
    if not _integers_fit(v["extra_args"]):
        yield invalid("extra_args integers must be between -2**63 and 2**64 - 1.", "extra_args")
    yield from _tunable_faults(v)
    if max_tokens < 1:
        yield invalid(f"max_tokens must be at least 1, got {max_tokens}.", "max_tokens", max_tokens)
    if v["min_tokens"] < 0:
        yield invalid(f"min_tokens must be greater than or equal to 0, got {v['min_tokens']}.")
    if v["min_tokens"] > max_tokens:
        yield invalid(
            "min_tokens must be less than or equal to "
            f"max_tokens={max_tokens}, got {v['min_tokens']}."
        )
    logprobs = v["logprobs"]
    if logprobs is not None and logprobs < -1:
        yield invalid(f"logprobs must be non-negative or -1, got {logprobs}.", "logprobs", logprobs)
    if not all(v["stop"]):
        yield invalid("stop cannot contain an empty string.")
    if not all(v["bad_words"]):
        yield invalid(f"bad_words cannot contain an empty string. Got bad_words={v['bad_words']}")
    if v["temperature"] < GREEDY_BELOW and n > 1:
        yield invalid(f"n must be 1 when using greedy sampling, got {n}.")


def _tunable_faults(v: Mapping[str, Any]) -> Iterator[RequestError]:
    for name in ("presence_penalty", "frequency_penalty"):
        if not -2.0 <= v[name] <= 2.0:
            yield invalid(f"{name} must be in [-2, 2], got {v[name]}.")
    penalty, temperature = v["repetition_penalty"], v["temperature"]
    if not math.isfinite(penalty):
        yield invalid(f"repetition_penalty must be a finite number, got {penalty}.")
    if penalty <= 0.0:
        yield invalid(f"repetition_penalty must be greater than zero, got {penalty}.")
    if not math.isfinite(temperature):
        wrong = "must be a finite number"
    elif temperature < 0.0:
        wrong = "must be non-negative"
    else:
        wrong = "must be in [0, 2]" if temperature > 2.0 else ""
    if wrong:
        yield invalid(f"temperature {wrong}, got {temperature}.", "temperature", temperature)
    if not 0.0 < v["top_p"] <= 1.0:
        yield invalid(f"top_p must be in (0, 1], got {v['top_p']}.", "top_p", v["top_p"])
    if v["top_k"] < -1:
        yield invalid(f"top_k must be 0 (disable), or at least 1, got {v['top_k']}.")
    if not 0.0 <= v["min_p"] <= 1.0:
        yield invalid(f"min_p must be in [0, 1], got {v['min_p']}.")


def _integers_fit(value: Any) -> bool:
    """Whether the engine's MessagePack takes every integer in there."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pending.extend(item.values())
        elif isinstance(item, (list, tuple)):
            pending.extend(item)
        elif isinstance(item, int) and not -(2**63) <= item < 2**64:
            return False
    return True
