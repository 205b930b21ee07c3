"""What config.json says about lengths, by vLLM's rules.

`_get_and_verify_max_len` (vllm/config/model.py) and `derive_max_model_len_and_key`
(vllm/transformers_utils/model_arch_config_convertor.py).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from .hub import StartupError

# Keys that hold a maximum length; the smallest counts, and the last one listed overrides.
LENGTH_KEYS = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "seq_length",
    "max_target_positions",
    "max_sequence_length",
    "max_seq_length",
    "seq_len",
    "model_max_length",
)
FALLBACK_LENGTH = 2048
MAX_COUNT = 2**31 - 1

# (max_position_embeddings, vocab_size) of configuration classes whose published config.json
# may leave them out because they equal the class's default (transformers 5.19).
CLASS_DEFAULTS: Mapping[str, tuple[int, int]] = {
    "gemma": (8192, 256000),
    "gemma2": (8192, 256000),
    "gemma3_text": (131072, 262208),
    "gemma3n_text": (32768, 262400),
    "llama": (2048, 32000),
    "mistral": (131072, 32000),
    "qwen2": (32768, 151936),
    "qwen3": (32768, 151936),
}

# Rope types whose `factor` is already in max_position_embeddings.
SCALED_ROPE = frozenset(
    ("su", "longrope", "llama3", "yarn", "deepseek_yarn", "deepseek_llama_scaling")
)


def text_config(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The language model's part of a multimodal config; the config itself otherwise."""
    config = config.get("thinker_config") or config
    for name in ("text_config", "llm_config", "language_config"):
        if isinstance(config.get(name), Mapping):
            inner: Mapping[str, Any] = config[name]
            return inner
    return config


def vocab_size(config: Mapping[str, Any], tokenizer_max_id: int) -> int:
    """The model's vocabulary size; the tokenizer's where the config does not tell."""
    text = text_config(config)
    size = text.get("vocab_size", config.get("vocab_size"))
    if size is None:
        default = CLASS_DEFAULTS.get(text.get("model_type", ""))
        size = default[1] if default else tokenizer_max_id + 1
    return _count("vocab_size", size)


def max_model_len(config: Mapping[str, Any], asked: int | None) -> int:
    """Prompt and output tokens together. asked: --max-model-len, -1 and None for the model's.

    Raises StartupError where more is asked than the model was made for, unless
    VLLM_ALLOW_LONG_MAX_MODEL_LEN=1.
    """
    if asked is not None and asked != -1 and not 0 < asked <= MAX_COUNT:
        raise StartupError(f"--max-model-len must be between 1 and {MAX_COUNT}, not {asked}")
    text = text_config(config)
    derived, key = _derived(text)
    if derived is None:
        if asked is not None and asked != -1:
            return asked
        derived = FALLBACK_LENGTH
    ropes = list(_rope_parameters(text))
    if "gemma3" not in str(text.get("model_type", "")):
        derived *= _rope_factor(ropes)
    if asked is None or asked == -1:
        if any(_rope_type(rope) == "longrope" for rope in ropes):
            derived = text.get("original_max_position_embeddings", derived)
        return _count(key, int(derived))
    own = text.get("model_max_length")
    allowed = asked <= derived or (own is not None and asked <= own)
    if not allowed and os.environ.get("VLLM_ALLOW_LONG_MAX_MODEL_LEN", "0") in ("", "0"):
        raise StartupError(
            f"--max-model-len {asked} is greater than the model's own ({key}={derived:g} in "
            "config.json); lower it, or set VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 to accept wrong output"
        )
    return asked


def _count(key: str, value: Any) -> int:
    if type(value) is not int or not 0 < value <= MAX_COUNT:
        raise StartupError(f"config.json: {key} must be a positive integer, not {value!r:.99}")
    return value


def _derived(text: Mapping[str, Any]) -> tuple[float | None, str]:
    lengths = {key: _count(key, text[key]) for key in LENGTH_KEYS if text.get(key) is not None}
    if not lengths:
        default = CLASS_DEFAULTS.get(text.get("model_type", ""))
        return (default[0] if default else None), LENGTH_KEYS[0]
    key = min(lengths, key=lambda name: lengths[name])
    if lengths.get("model_max_length"):
        key = "model_max_length"
    return lengths[key], key


def _rope_parameters(text: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """One mapping, or one for each layer type."""
    found = text.get("rope_parameters") or text.get("rope_scaling") or {}
    nested = [value for value in found.values() if isinstance(value, Mapping)]
    if nested and len(nested) == len(found):
        yield from nested
    elif found:
        yield found


def _rope_type(rope: Mapping[str, Any]) -> str:
    name = str(rope.get("rope_type", rope.get("type", "default")))
    return {"su": "longrope", "mrope": "default"}.get(name, name)


def _rope_factor(ropes: list[Mapping[str, Any]]) -> float:
    factor: float | None = 1.0
    for rope in ropes:
        if _rope_type(rope) not in SCALED_ROPE:
            factor = rope.get("factor", factor)
    return 1.0 if factor is None else factor
