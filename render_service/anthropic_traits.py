"""What a model's templates make of two things that only Anthropic's requests have.

Source: `_should_merge_inline_system` and DisabledThinkingEffortResolver in vLLM 0.33.0's
`entrypoints/anthropic/serving.py`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, get_args

from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from .chat_prompt import render_chat, template_kwargs
from .errors import RequestError
from .protocol.anthropic import Effort
from .protocol.chat import ChatRequest
from .protocol.fields import ReasoningEffort
from .renderers.chat import Chat

if TYPE_CHECKING:
    from .model import Model

_LATER_SYSTEM = [{"role": role, "content": "t"} for role in ("system", "user", "system", "user")]


def system_comes_first(model: Model) -> bool:
    """Whether a template takes system messages at the start only."""
    templates = model.templates
    if model.renderer is not None and not model.settings.chat_template:
        return True
    found = [template for template in (templates.default, templates.tool_use) if template]
    return not found or any(_refuses_later_system(template.source) for template in found)


@lru_cache(maxsize=8)
def _refuses_later_system(source: str) -> bool:
    """Tried as vLLM does, without the functions that a template has otherwise: one that calls
    any of them fails, and counts as refusing.
    """
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols]
    )
    try:
        environment.from_string(source).render(messages=_LATER_SYSTEM, add_generation_prompt=False)
    except Exception:  # a template may fail in any way that an expression can
        return True
    return False


def disabled_thinking_effort(model: Model) -> ReasoningEffort:
    """The operator's, or what means no thinking: `low` where `none` is refused or ignored."""
    chosen = model.settings.anthropic_disabled_thinking_effort
    if chosen != "auto":
        return chosen
    none = _prompt(model, "none")
    ignored = none is None or any(_prompt(model, effort) == none for effort in get_args(Effort))
    return "low" if ignored else "none"


def _prompt(model: Model, effort: ReasoningEffort) -> str | list[int] | None:
    messages = [{"role": "user", "content": "Hi"}]
    request = ChatRequest(messages=messages, reasoning_effort=effort)
    kwargs = template_kwargs(model, request)
    try:
        return render_chat(model, Chat(messages=messages, kwargs=kwargs, reasoning_effort=effort))
    except RequestError:
        return None
