"""Record what vLLM makes of config.json and generation_config.json.

    python tests/record/model_config.py        (vLLM 0.33.0 importable)

Writes tests/golden/model_config.json: for each config and --max-model-len the model's length and
vocabulary size, and for each generation config and its flags the sampling defaults.
"""

from __future__ import annotations

import json
import logging
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from vllm.config.model import ModelConfig, _get_and_verify_max_len
from vllm.transformers_utils.config import get_config, get_hf_text_config
from vllm.transformers_utils.model_arch_config_convertor import ModelArchConfigConvertorBase

GOLDEN = Path(__file__).parent.parent / "golden" / "model_config.json"
ROPE = {"rope_type": "linear", "factor": 4.0}
LONG = {"short_factor": [1.0] * 8, "long_factor": [2.0] * 8}
PHI = {
    "model_type": "phi3",
    "max_position_embeddings": 131072,
    "original_max_position_embeddings": 4096,
    "vocab_size": 1000,
    "rope_scaling": {"type": "longrope", **LONG},
    "hidden_size": 64,
    "num_attention_heads": 4,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}


def config(model_type: str, length: int | None = 4096, **own: Any) -> dict[str, Any]:
    sizes = {} if length is None else {"max_position_embeddings": length}
    return {"model_type": model_type, "vocab_size": 1000, **sizes, **own}


# (config.json, --max-model-len)
CONFIGS: list[tuple[dict[str, Any], int | None]] = [
    *((config("qwen3"), asked) for asked in (None, -1, 100, 4096, 4097)),
    (config("llama", None), None),
    ({"model_type": "qwen3"}, None),
    ({"model_type": "gemma3_text"}, None),
    ({"model_type": "gemma2"}, None),
    ({"model_type": "gemma"}, None),
    ({"model_type": "mistral"}, None),
    ({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text"}}, None),
    (config("gpt2", None, n_positions=1024), None),
    (config("llama", 4096, model_max_length=8192), None),
    (config("llama", 4096, model_max_length=8192), 8000),
    (config("llama", 4096, model_max_length=8192), 9000),
    (config("llama", 4096, seq_length=2048), None),
    (config("llama", 4096, max_seq_len=512, seq_len=256), None),
    (config("llama", 4096, rope_scaling=ROPE, rope_theta=1e4), None),
    (config("llama", 4096, rope_scaling=ROPE, rope_theta=1e4), 16384),
    (config("llama", 4096, rope_scaling=ROPE, rope_theta=1e4), 16385),
    (config("llama", 4096, rope_parameters={**ROPE, "rope_theta": 1e4}), None),
    (config("llama", 4096, rope_scaling={"type": "dynamic", "factor": 2.0}, rope_theta=1e4), None),
    (
        config(
            "llama",
            4096,
            rope_theta=1e4,
            rope_scaling={
                "rope_type": "yarn",
                "factor": 4.0,
                "original_max_position_embeddings": 1024,
            },
        ),
        None,
    ),
    (
        config(
            "llama",
            131072,
            rope_theta=5e5,
            rope_scaling={
                "rope_type": "llama3",
                "factor": 8.0,
                "low_freq_factor": 1.0,
                "high_freq_factor": 4.0,
                "original_max_position_embeddings": 8192,
            },
        ),
        None,
    ),
    (
        config(
            "qwen2_vl",
            None,
            text_config=config(
                "qwen2_vl_text",
                32768,
                rope_scaling={"type": "mrope", "mrope_section": [16, 24, 24]},
            ),
        ),
        None,
    ),
    (config("gemma3_text", 8192, rope_scaling=ROPE), None),
    (PHI, None),
    (PHI, 131072),
    (PHI, 131073),
    (config("llama", 4096, sliding_window=512), None),
]

DEFAULTS: dict[str, Any] = {"temperature": 0.6, "top_k": 20, "top_p": 0.95, "do_sample": True}
# (generation_config.json or None, --generation-config, --override-generation-config)
GENERATION: list[tuple[dict[str, Any] | None, str, dict[str, Any]]] = [
    (DEFAULTS, "auto", {}),
    (DEFAULTS, "vllm", {}),
    (DEFAULTS, "FOLDER", {}),
    (DEFAULTS, "auto", {"temperature": 0.1, "max_new_tokens": 7, "stop_token_ids": [3]}),
    (DEFAULTS, "vllm", {"max_new_tokens": 7}),
    ({"max_new_tokens": 9, "temperature": 1.0, "repetition_penalty": 1.0}, "auto", {}),
    ({"max_new_tokens": 9}, "FOLDER", {}),
    ({"max_new_tokens": 9}, "FOLDER", {"max_new_tokens": 7}),
    ({"eos_token_id": [3, 4], "temperature": None, "top_k": 0}, "auto", {}),
    ({"eos_token_id": 5, "min_p": 0.1, "presence_penalty": 0.2, "foo": 1}, "vllm", {}),
    ({"skip_special_tokens": False, "frequency_penalty": 0.5}, "auto", {"temperature": None}),
    ({}, "auto", {}),
    (None, "auto", {}),
    (None, "auto", {"top_p": 0.5}),
]
MODEL = {"model_type": "qwen3", "eos_token_id": [6, 7], "max_new_tokens": 11, "temperature": 0.3}


def length(folder: Path, stored: dict[str, Any], asked: int | None) -> dict[str, Any]:
    (folder / "config.json").write_text(json.dumps(stored))
    hf_config = get_config(folder, trust_remote_code=False)
    text = get_hf_text_config(hf_config)
    convertor = ModelArchConfigConvertorBase(hf_config, text)
    derived = SimpleNamespace(
        derived_max_model_len_and_key=convertor.derive_max_model_len_and_key()
    )
    answer: dict[str, Any] = {"vocab_size": convertor.get_vocab_size()}
    try:
        answer["length"] = _get_and_verify_max_len(text, derived, None, asked, False, None)
    except ValueError as error:
        answer["error"] = str(error).partition(" To allow")[0]
    return answer


def generation(
    folder: Path, stored: dict[str, Any] | None, source: str, override: dict[str, Any]
) -> dict[str, Any]:
    (folder / "config.json").write_text(json.dumps(MODEL))
    path = folder / "generation_config.json"
    path.unlink(missing_ok=True)
    if stored is not None:
        path.write_text(json.dumps(stored))
    model = SimpleNamespace(
        generation_config=str(folder) if source == "FOLDER" else source,
        override_generation_config=override,
        hf_config_path=None,
        model=str(folder),
        trust_remote_code=False,
        revision=None,
        _hf_config_revision=None,
        code_revision=None,
        config_format="auto",
        hf_token=None,
    )
    model.try_get_generation_config = lambda: ModelConfig.try_get_generation_config(model)
    return {
        "defaults": ModelConfig.get_diff_sampling_param(model),
        "eos_token_id": model.try_get_generation_config().get("eos_token_id"),
    }


def main() -> None:
    logging.disable(logging.ERROR)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        golden = {
            "lengths": [
                {"config": stored, "asked": asked, **length(folder, stored, asked)}
                for stored, asked in CONFIGS
            ],
            "config": MODEL,
            "generation": [
                {
                    "stored": stored,
                    "source": source,
                    "override": override,
                    **generation(folder, stored, source, override),
                }
                for stored, source, override in GENERATION
            ],
        }
    GOLDEN.write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()
