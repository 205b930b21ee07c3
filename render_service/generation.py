"""The model's own sampling defaults and stop IDs, by vLLM's rules.

`ModelConfig.try_get_generation_config` and `get_diff_sampling_param` (vllm/config/model.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .hub import ModelFiles, StartupError, find
from .settings import Settings
from .tokenizer import Tokenizer

Types = tuple[type, ...]

NUMBER: Types = (int, float)
INTEGER: Types = (int,)
FLAG: Types = (bool,)

SAMPLING_FIELDS: Mapping[str, Types] = {
    "repetition_penalty": NUMBER,
    "presence_penalty": NUMBER,
    "frequency_penalty": NUMBER,
    "temperature": NUMBER,
    "top_k": INTEGER,
    "top_p": NUMBER,
    "min_p": NUMBER,
    "max_new_tokens": INTEGER,
    "skip_special_tokens": FLAG,
}


@dataclass(frozen=True, slots=True)
class GenerationDefaults:
    """defaults: sampling fields that the model sets (`max_new_tokens` is `max_tokens` here).

    eos_token_id: the tokenizer's. eos_token_ids: that and those of the generation config.
    override_max_tokens: the operator's bound on max_tokens, None where there is none.
    """

    defaults: Mapping[str, Any]
    eos_token_id: int | None
    eos_token_ids: frozenset[int]
    override_max_tokens: int | None


def load_generation(
    settings: Settings, files: ModelFiles, config: Mapping[str, Any], tokenizer: Tokenizer
) -> GenerationDefaults:
    """config: config.json, which stands in where the model has no generation config."""
    source = settings.generation_config
    stored = _stored(source, files, config)
    sampling = {} if source == "vllm" else dict(stored)
    sampling |= settings.override_generation_config
    defaults = {
        field: sampling[field] for field in SAMPLING_FIELDS if sampling.get(field) is not None
    }
    _check(defaults)
    if "max_new_tokens" in defaults:
        defaults["max_tokens"] = defaults.pop("max_new_tokens")
    if source in ("auto", "vllm"):
        override = settings.override_generation_config.get("max_new_tokens")
    else:
        override = defaults.get("max_tokens")
    eos = tokenizer.eos_token_id
    return GenerationDefaults(
        defaults=defaults,
        eos_token_id=eos,
        eos_token_ids=_token_ids(stored.get("eos_token_id")) | _token_ids(eos),
        override_max_tokens=override,
    )


def _stored(source: str, files: ModelFiles, config: Mapping[str, Any]) -> Mapping[str, Any]:
    """generation_config.json of the model, or of what --generation-config names."""
    if source not in ("auto", "vllm"):
        path = Path(source).expanduser()
        if path.is_file():
            files, name = ModelFiles(source, path.parent), path.name
        else:
            files, name = find(source), "generation_config.json"
        stored = files.json(name)
        if stored is None:
            raise StartupError(f"--generation-config {source} has no {name}")
    else:
        stored = files.json("generation_config.json")
    if stored is None:
        text: Mapping[str, Any] = config.get("text_config") or {}
        eos = config.get("eos_token_id", text.get("eos_token_id"))
        stored = {"eos_token_id": eos, "max_new_tokens": config.get("max_new_tokens")}
    return stored


def _check(defaults: Mapping[str, Any]) -> None:
    """Types only: whether a value is in range shows with each request, as in vLLM."""
    for field, value in defaults.items():
        if type(value) not in SAMPLING_FIELDS[field]:
            wanted = {NUMBER: "a number", INTEGER: "a whole number", FLAG: "true or false"}
            raise StartupError(
                f"the generation config's {field} must be {wanted[SAMPLING_FIELDS[field]]}, "
                f"not {value!r:.99}"
            )
    limit = defaults.get("max_new_tokens", 1)
    if limit <= 0:
        raise StartupError(f"the generation config's max_new_tokens must be positive, not {limit}")


def _token_ids(value: Any) -> frozenset[int]:
    ids = value if isinstance(value, list) else [value]
    return frozenset(i for i in ids if isinstance(i, int))
