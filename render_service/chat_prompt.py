"""The prompt of a chat: template arguments, the template, and token IDs that are used again.

Source: vLLM 0.33.0's `build_chat_params` (`chat_completion/protocol.py`), `preprocess_chat`
(`renderers/online_renderer.py`) and `renderers/hf.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from .errors import RequestError
from .messages import NotMultimodal, conversation
from .prompt import Prompt, PromptLimits, check_token_ids, limit_ids, tokenize
from .protocol.checks import media_kwargs
from .protocol.fields import invalid
from .protocol.message_shape import has_media
from .renderers.chat import Chat, Tools
from .renderers.harmony_chat import HarmonyRenderer

if TYPE_CHECKING:
    from .model import Model
    from .protocol.chat import ChatRequest
    from .protocol.completion import CompletionRequest
    from .template import ChatTemplate

_UNSET = (None, "auto")
"""Template arguments that count as not given."""


def template_kwargs(model: Model, request: ChatRequest) -> dict[str, Any]:
    """What the chat template is given beside messages and tools, server defaults included."""
    effort = reasoning_effort(model, request)
    own: dict[str, Any] = {
        "add_generation_prompt": request.add_generation_prompt,
        "continue_final_message": request.continue_final_message,
        "documents": request.documents,
        "reasoning_effort": effort,
    }
    asked = request.chat_template_kwargs or {}
    if effort is not None and "enable_thinking" not in asked:
        own["enable_thinking"] = effort != "none"
    return merge_kwargs(model, asked, own)


def reasoning_effort(model: Model, request: ChatRequest) -> str | None:
    """The request's own, as --reasoning-effort-map has it."""
    effort: str | None = request.reasoning_effort
    return None if effort is None else model.settings.reasoning_effort_map.get(effort, effort)


def merge_kwargs(model: Model, asked: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The request's own fields over what it asks for over the server's defaults."""
    # vLLM's --cohere-format, which it hands to every template.
    defaults = {**model.settings.default_chat_template_kwargs}
    defaults.setdefault("cohere_format", "cmd4")
    given = {**asked, **{name: value for name, value in own.items() if value not in _UNSET}}
    return defaults | {name: value for name, value in given.items() if value not in _UNSET}


def check_template_trust(
    model: Model, chat_template: str | None, asked: Mapping[str, Any] | None
) -> None:
    """Refuse a template that comes with the request, unless the operator trusts those."""
    if model.settings.trust_request_chat_template:
        return
    if chat_template is not None or (asked or {}).get("chat_template") is not None:
        raise RequestError(
            "Chat template is passed with request, but --trust-request-chat-template is not set. "
            "Refused request with untrusted chat template."
        )


def chat_prompt(
    model: Model,
    request: ChatRequest,
    tools: Tools,
    kwargs: Mapping[str, Any],
    max_tokens_field: str | None = None,
    tool_choice: Any = UNSET,
) -> Prompt:
    """tools: as dicts, whether or not the template gets to see them.

    max_tokens_field: what the client calls `max_completion_tokens`, if not so.
    tool_choice: as the client wrote it, if not as in a chat.
    """
    chat = chat_of(model, request, tools, kwargs, tool_choice)
    if isinstance(model.renderer, HarmonyRenderer):
        # In vLLM, too, nothing of the request but these has a say.
        reused = _reused_ids(model, request, media=True)
        return Prompt(reused) if reused else rendered_prompt(model, chat, None)
    check_template_trust(model, request.chat_template, request.chat_template_kwargs)
    media_kwargs(request.mm_processor_kwargs, request.media_io_kwargs)
    limits = prompt_limits(model, request, max_tokens_field)
    reused = _reused_ids(model, request)
    return rendered_prompt(model, chat, limits) if reused is None else Prompt(reused)


def chat_of(
    model: Model,
    request: ChatRequest,
    tools: Tools,
    kwargs: Mapping[str, Any],
    tool_choice: Any = UNSET,
) -> Chat:
    """What is rendered; see `chat_prompt`."""
    if tool_choice is UNSET:
        tool_choice = msgspec.to_builtins(request.tool_choice) if request.tools else None
    if request.tool_choice == "none" and model.settings.exclude_tools_when_tool_choice_none:
        tools = None
    return Chat(
        messages=request.messages,
        tools=tools,
        kwargs=kwargs,
        reasoning_effort=reasoning_effort(model, request),
        tool_choice=tool_choice,
        response_format=request.response_format,
        chat_template=request.chat_template,
    )


def rendered_prompt(model: Model, chat: Chat, limits: PromptLimits | None) -> Prompt:
    """limits: None where nothing is checked. RequestError (400)."""
    rendered = render_chat(model, chat)
    if limits is None:
        assert isinstance(rendered, list)
        return Prompt(rendered)
    if isinstance(rendered, str):
        return tokenize(model, rendered, limits)
    return limit_ids(model, rendered, limits)


def render_chat(model: Model, chat: Chat) -> str | list[int]:
    """The prompt as text, or as token IDs where the model's family has its own renderer."""
    try:
        return _rendered(model, chat)
    except NotMultimodal as error:
        # vLLM names the model; a folder, which it masks as `<path>`, is nobody's business.
        served = model.settings.served_model_name
        message = f"{served[0]} is not a multimodal model" if served else error.message
        raise RequestError(message) from None


def _rendered(model: Model, chat: Chat) -> str | list[int]:
    if model.renderer is not None:
        return model.renderer.render(chat)
    try:
        template = picked_template(model, chat)
    except RequestError:
        conversation(chat.messages, content_format="string")  # their faults come first, as in vLLM
        raise
    seen = conversation(chat.messages, content_format=template.content_format)
    return template.render(seen, tools=tools_seen(chat), kwargs=chat.kwargs)


def picked_template(model: Model, chat: Chat) -> ChatTemplate:
    """The one that renders the chat. Raises RequestError (400)."""
    # A template among the arguments counts where neither request nor operator gives one.
    source = chat.chat_template or (
        None if model.settings.chat_template else chat.kwargs.get("chat_template")
    )
    return model.templates.pick(tools=tools_seen(chat), source=source)


def tools_seen(chat: Chat) -> Tools:
    """Those that the template gets to see."""
    tools: Tools = chat.kwargs.get("tools", chat.tools)
    return tools


def gives_offsets(model: Model, request: ChatRequest | CompletionRequest) -> bool:
    """vLLM's renderers of other families, and mistral-common, tell none."""
    family = model.renderer is not None and not isinstance(model.renderer, HarmonyRenderer)
    return bool(request.return_token_offsets) and not family


def prompt_limits(model: Model, request: ChatRequest, field: str | None = None) -> PromptLimits:
    """field: what the client calls `max_completion_tokens`, if not so."""
    by_new_name = request.max_completion_tokens is not None
    return PromptLimits(
        max_model_len=model.max_model_len,
        max_tokens=request.max_completion_tokens if by_new_name else request.max_tokens,
        max_tokens_field=field or ("max_completion_tokens" if by_new_name else "max_tokens"),
        truncate=request.truncate_prompt_tokens,
        side=request.truncation_side,
        add_special_tokens=request.add_special_tokens,
        offsets=gives_offsets(model, request),
    )


def _reused_ids(model: Model, request: ChatRequest, *, media: bool = False) -> list[int] | None:
    """Token IDs that a prefill step forwards. They are taken out of what the engine gets.

    media: they count even where messages have parts that are no text.
    """
    field = "kv_transfer_params.prompt_token_ids"
    if request.kv_transfer_params is None:
        return None
    ids = request.kv_transfer_params.pop("prompt_token_ids", None)
    if ids is None or request.echo or (not media and has_media(request.messages)):
        return None
    if not isinstance(ids, list) or not ids or any(type(i) is not int or i < 0 for i in ids):
        raise invalid(
            "`kv_transfer_params['prompt_token_ids']` must be a non-empty list "
            "of non-negative integers.",
            field,
        )
    check_token_ids(model, ids, field)
    found: list[int] = ids
    return found
