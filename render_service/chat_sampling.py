"""Sampling parameters of a chat request: what its tools and the parsers ask for, then defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from .adjust import joins_special_tokens, keeps_special_tokens
from .beam_constraints import opening
from .chat_prompt import template_kwargs
from .constraints import Constrained, constrain
from .renderers.harmony_chat import HarmonyRenderer
from .request_facts import context_of_chat
from .sampling import Sampling, chat_sampling, max_output_tokens
from .vllm_parser import VllmParser

if TYPE_CHECKING:
    from .model import Model
    from .prompt import Prompt
    from .protocol.chat import ChatRequest


def constrained_sampling(
    model: Model,
    request: ChatRequest,
    prompt: Prompt,
    *,
    response: bool = False,
    text_format: bool = False,
) -> tuple[Constrained, Sampling]:
    """The request with what its tools add, and its sampling parameters.

    response: its extra arguments are written even if there are none. See `constrain` for the rest.
    """
    if isinstance(model.outputs, VllmParser):
        kwargs = template_kwargs(model, request)
        constrained = Constrained(*model.outputs.adjusted(request, prompt.ids, kwargs))
        keeps = False
    else:
        constrained = _adjusted(model, request, prompt, response, text_format)
        keeps = keeps_special_tokens(model.settings, request)
    sampling = chat_sampling(
        constrained.request,
        model.generation,
        chat_max_tokens(model, request, prompt),
        keep_special=keeps,
        extra_args=response,
    )
    return constrained, sampling


def _adjusted(
    model: Model, request: ChatRequest, prompt: Prompt, response: bool, text_format: bool
) -> Constrained:
    """The request as our parsers change it. RequestError where they could not read the output."""
    context_of_chat(model, request)
    constrained, whole = constrain(
        model.settings,
        request,
        tokenizer=model.tokenizer,
        config=model.config,
        harmony=isinstance(model.renderer, HarmonyRenderer) and model.outputs.parses,
        response=response,
        text_format=text_format,
        opens=opening(model.format, prompt.ids, lambda: template_kwargs(model, request)),
    )
    if joins_special_tokens(model.settings, request):
        constrained = msgspec.structs.replace(constrained, spaces_between_special_tokens=False)
    return Constrained(constrained, whole)


def chat_max_tokens(model: Model, request: ChatRequest, prompt: Prompt) -> int:
    """Output tokens that the engine may make."""
    asked = request.max_completion_tokens
    return max_output_tokens(
        model.generation,
        model.max_model_len,
        request.max_tokens if asked is None else asked,
        len(prompt.ids),
        request.truncate_prompt_tokens,
    )
