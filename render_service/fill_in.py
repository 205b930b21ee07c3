"""Completions between a prompt and a suffix, for models that are trained to fill in the middle.

Source of the rules and texts: `render_completion` in vLLM 0.33.0's `renderers/online_renderer.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .errors import RequestError
from .renderers.deepseek_v4 import DeepseekV4Renderer

if TYPE_CHECKING:
    from .model import Model
    from .protocol.completion import CompletionRequest, Prompt


def prompts_of(model: Model, request: CompletionRequest) -> Sequence[Prompt]:
    """The request's prompts, each with its suffix in its place. RequestError (400)."""
    prompts = request.prompts()
    if request.suffix is None:
        return prompts
    texts = [prompt for prompt in prompts if isinstance(prompt, str)]
    if fault := _fault(request, all_text=len(texts) == len(prompts)):
        raise RequestError(fault, param="suffix")
    if not isinstance(model.renderer, DeepseekV4Renderer):
        raise RequestError(
            "suffix is only supported for models with FIM completion rendering", param="suffix"
        )
    return [model.renderer.fill_in_the_middle(text, request.suffix) for text in texts]


def _fault(request: CompletionRequest, *, all_text: bool) -> str:
    if request.echo:
        return "Echo is unsupported with suffix."
    if request.prompt_embeds is not None:
        return "suffix is not supported with prompt_embeds"
    if request.truncate_prompt_tokens is not None:
        return "suffix is not supported with truncate_prompt_tokens"
    return "" if all_text else "suffix requires text prompt input for FIM completion rendering"
