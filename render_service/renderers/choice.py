"""The tokenizer and the renderer of a model's family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..hub import ModelFiles
from ..parser_names import HARMONY
from ..tokenizer import load_tokenizer
from ..tokenizer_mistral import MistralTokenizer, load_mistral_tokenizer
from ..tokenizer_transformers import TransformersTokenizer
from .chat import Renderer
from .cohere import CohereRenderer
from .deepseek_v4 import DeepseekV4Renderer, DeepseekV41Renderer
from .deepseek_v32 import DeepseekV32Renderer
from .harmony_chat import HarmonyRenderer
from .inkling import InklingRenderer
from .kimi_k3 import KimiK3Renderer
from .mistral import MistralRenderer

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer
    from ..tokenizer_mode import Mode

# vLLM reads these as tokenizer.json says, whatever class their files name.
GENERIC = ("deepseek_v32", "deepseek_v4", "deepseek_v41")
# Its tokenizer renders, too.
RENDERING = ("kimi_k3",)


def load_family_tokenizer(
    mode: Mode, files: ModelFiles, config: Mapping[str, Any], *, remote_code: bool
) -> Tokenizer:
    """files: the tokenizer's. config: the model's config.json. Raises StartupError."""
    if mode == "mistral":
        return load_mistral_tokenizer(files)
    return load_tokenizer(
        files,
        config,
        remote_code=remote_code,
        generic=mode in GENERIC,
        through_transformers=mode in RENDERING,
    )


def load_renderer(
    mode: Mode, config: Mapping[str, Any], tokenizer: Tokenizer, chat_template: str | None
) -> Renderer | None:
    """None: the chat template renders. chat_template: --chat-template's text.

    config: the model's config.json. Raises StartupError.
    """
    if config.get("model_type") == HARMONY:
        return HarmonyRenderer.from_environment(tokenizer)
    match mode, tokenizer:
        case "deepseek_v32", _:
            return DeepseekV32Renderer()
        case "deepseek_v4", _:
            return DeepseekV4Renderer()
        case "deepseek_v41", _:
            return DeepseekV41Renderer()
        case "inkling", _:
            return InklingRenderer(tokenizer)
        case "cohere", _:
            return CohereRenderer(chat_template)
        case "kimi_k3", TransformersTokenizer():
            return KimiK3Renderer(tokenizer, chat_template)
        case "mistral", MistralTokenizer():
            return MistralRenderer(tokenizer)
    return None
