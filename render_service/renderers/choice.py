"""The renderer of a model's family, where it has one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..parser_names import HARMONY
from ..tokenizer_transformers import TransformersTokenizer
from .chat import Renderer
from .cohere import CohereRenderer
from .deepseek_v4 import DeepseekV4Renderer, DeepseekV41Renderer
from .deepseek_v32 import DeepseekV32Renderer
from .harmony_chat import HarmonyRenderer
from .inkling import InklingRenderer
from .kimi_k3 import KimiK3Renderer

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer
    from ..tokenizer_mode import Mode


def load_renderer(
    mode: Mode, config: Mapping[str, Any], tokenizer: Tokenizer, chat_template: str | None
) -> Renderer | None:
    """None: the chat template renders. config: the model's config.json. Raises StartupError.

    chat_template: the text of --chat-template.
    """
    if config.get("model_type") == HARMONY:
        return HarmonyRenderer.from_environment(tokenizer)
    match mode:
        case "deepseek_v32":
            return DeepseekV32Renderer()
        case "deepseek_v4":
            return DeepseekV4Renderer()
        case "deepseek_v41":
            return DeepseekV41Renderer()
        case "inkling":
            return InklingRenderer(tokenizer)
        case "cohere":
            return CohereRenderer(chat_template)
        case "kimi_k3" if isinstance(tokenizer, TransformersTokenizer):
            return KimiK3Renderer(tokenizer, chat_template)
    return None
