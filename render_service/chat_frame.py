"""All that a chat request asks for beside its messages, and what is made of it for the engine.

Most clients send it the same with every request, twenty tools often. Kept by its bytes, it spares
a third of a short request's time, and with tools 0.2 ms of each turn.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import msgspec
import orjson

from .beam_constraints import holds_to_template
from .chat_prompt import chat_of, picked_template, prompt_limits, rendered_prompt, tools_seen
from .chat_sampling import chat_max_tokens, constrained_sampling
from .messages import NotMultimodal, conversation
from .native_parser import NativeParser
from .prompt import tokenize
from .renderers.harmony_chat import HarmonyRenderer
from .renderers.kimi_k3 import KimiK3Renderer
from .renderers.mistral import MistralRenderer
from .request_cache import footprint
from .sampling import Sampling, with_max_tokens

if TYPE_CHECKING:
    from .model import Model
    from .prompt import Prompt, PromptLimits
    from .protocol.chat import ChatRequest
    from .renderers.chat import Chat
    from .template_call import TemplateCall

KIND = "frame"
_SEEN = object()
# Bytes of the objects around what was in the request.
_OWN_BYTES = 4096


@dataclass(frozen=True, slots=True)
class ChatFrame:
    """Right for any messages; immutable but for `rest`.

    request, chat: without messages. limits: None where nothing is checked, as in harmony. kwargs:
    of the template. whole: a constraint is in force from the first token on. context:
    `parse_context`, but for the number of earlier calls. template: with the arguments, where the
    prompt is what it makes, whole. rest: the newest answer's JSON but for its IDs, by what else
    decides it.
    """

    request: ChatRequest
    chat: Chat
    limits: PromptLimits | None
    kwargs: dict[str, Any]
    whole: bool
    sampling: Sampling
    context: dict[str, Any]
    template: TemplateCall | None = None
    rest: dict[Any, bytes] = field(default_factory=dict, init=False)

    def with_messages(self, messages: list[dict[str, Any]]) -> ChatRequest:
        """The request that has these."""
        request = copy(self.request)
        request.messages = messages
        return request

    def prompt(self, model: Model, messages: list[dict[str, Any]]) -> Prompt:
        """Theirs."""
        if self.template is not None and self.limits is not None:
            try:
                return tokenize(model, _text(self.template, messages), self.limits)
            except NotMultimodal:
                pass  # refused below, with the model's name
        return rendered_prompt(model, self.chat._replace(messages=messages), self.limits)

    def keep_rest(self, key: Any, rest: bytes) -> None:
        """In place of what was kept before."""
        self.rest.clear()
        self.rest[key] = rest

    def sampling_for(self, model: Model, prompt: Prompt) -> Sampling | None:
        """Its sampling with the output tokens that this prompt leaves; None: to be made anew."""
        return with_max_tokens(self.sampling, chat_max_tokens(model, self.request, prompt))


def make_frame(
    model: Model,
    request: ChatRequest,
    prompt: Prompt,
    tools: list[dict[str, Any]] | None,
    kwargs: dict[str, Any],
) -> ChatFrame:
    """That of a request whose prompt is made. Raises RequestError (400)."""
    harmony = isinstance(model.renderer, HarmonyRenderer)
    (constrained, whole), sampling = constrained_sampling(model, request, prompt)
    same = constrained.tools is request.tools
    context = {
        "tools": tools if same else msgspec.to_builtins(constrained.tools),
        "tool_choice": msgspec.to_builtins(request.tool_choice),
        "parallel_tool_calls": request.parallel_tool_calls,
        "include_reasoning": request.include_reasoning,
        "chat_template_kwargs": {} if harmony else kwargs,
    }
    chat = chat_of(model, request, tools, kwargs)
    limits = None if harmony else prompt_limits(model, request)
    return ChatFrame(request, chat, limits, kwargs, whole, sampling, context)


def _text(template: TemplateCall, messages: list[dict[str, Any]]) -> str:
    return template.render(conversation(messages, content_format=template.content_format))


def kept_frame(model: Model, raw: bytes) -> ChatFrame | None:
    """What was kept for these bytes of a frame."""
    found = model.requests.find(KIND, raw)
    return found if isinstance(found, ChatFrame) else None


def keep_frame(model: Model, raw: bytes, frame: ChatFrame) -> None:
    """Keep it when it comes a second time: one with an ID or a seed of its own never does."""
    if not _lasts(model, frame.request):
        return
    if model.requests.find(KIND, raw) is None:
        model.requests.keep(KIND, raw, _SEEN, 0)
        return
    lasting = _lasting(model, frame)
    if lasting is not None:
        size = footprint(frame.chat.tools, frame.kwargs, frame.sampling.params) + 4 * len(raw)
        model.requests.keep(KIND, raw, lasting, size + _OWN_BYTES)


def _lasts(model: Model, request: ChatRequest) -> bool:
    """Whether nothing of it depends on the messages, and nobody changes it."""
    return (
        isinstance(model.outputs, NativeParser)
        and not holds_to_template(model.format)
        # Libraries that are not ours get objects of their own.
        and not isinstance(model.renderer, (MistralRenderer, KimiK3Renderer))
        # Token IDs of one conversation.
        and request.kv_transfer_params is None
        and request.previous_token_ids is None
    )


def _lasting(model: Model, frame: ChatFrame) -> ChatFrame | None:
    """With its template, and tools as JSON already; None where orjson does not write all of it, or
    where the template may change what others would be given.
    """
    template = picked_template(model, frame.chat) if model.renderer is None else None
    if template is not None and template.changes_values:
        return None
    try:
        orjson.dumps((frame.context, frame.kwargs, frame.sampling.params))
        tools = orjson.Fragment(orjson.dumps(frame.context["tools"]))
    except TypeError:
        return None
    request = copy(frame.request)
    request.messages = []
    chat = frame.chat._replace(messages=[])
    return replace(
        frame,
        request=request,
        chat=chat,
        context={**frame.context, "tools": tools},
        # The model's own; one of the request's is not kept.
        template=None
        if template is None or chat.chat_template or chat.kwargs.get("chat_template")
        else template.call(tools=tools_seen(chat), kwargs=chat.kwargs),
    )
