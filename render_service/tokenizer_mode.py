"""`--tokenizer-mode`: which family's own renderer serves a model, and which tokenizer goes with it.

Source: vLLM 0.33.0's `config/model.py` and `tokenizers/registry.py`. There, too, models of type
gpt_oss are rendered as harmony whatever the mode.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from .hub import ModelFiles

Mode = Literal[
    "hf",
    "mistral",
    "deepseek_v32",
    "deepseek_v4",
    "deepseek_v41",
    "kimi_k3",
    "inkling",
    "cohere",
]
MODES: tuple[str, ...] = get_args(Mode)

ARCHITECTURES: Mapping[str, Mode] = {
    "DeepseekV32ForCausalLM": "deepseek_v32",
    "DeepseekV4ForCausalLM": "deepseek_v4",
    "DeepseekV4ForConditionalGeneration": "deepseek_v4",
    "DeepseekV41ForCausalLM": "deepseek_v41",
    "InklingForCausalLM": "inkling",
    "InklingForConditionalGeneration": "inkling",
    "KimiK3ForConditionalGeneration": "kimi_k3",
}
# A repository in Mistral's own form. vLLM looks for the weights, which are not fetched here: the
# settings that go with them are.
MISTRAL_MODEL = ("params.json", "consolidated*.safetensors")
MISTRAL_TOKENIZER = ("tekken.json", "tokenizer.model.v*")


def tokenizer_mode(asked: str, config: Mapping[str, Any], files: ModelFiles) -> Mode:
    """asked: the flag; `auto` goes by the architecture, then by the tokenizer's files.

    config: the model's config.json. files: those of the tokenizer.
    """
    if asked != "auto":
        mode: Mode = next(mode for mode in get_args(Mode) if mode == asked)
        return mode
    architectures = config.get("architectures")
    for name in architectures if isinstance(architectures, list) else ():
        if name in ARCHITECTURES:
            return ARCHITECTURES[name]
    parts = (MISTRAL_MODEL, MISTRAL_TOKENIZER)
    own = all(any(next(files.folder.glob(p), None) for p in patterns) for patterns in parts)
    return "mistral" if own else "hf"
