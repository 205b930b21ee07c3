"""What the fingerprint covers: everything that changes an answer, and nothing else.

Each component is what is in force, not how it was written: a template's text and not its path, a
parser's canonical name, lengths and sampling defaults as they were resolved.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from parsers import FROM_TEMPLATE

from . import adjust

if TYPE_CHECKING:
    import parsers

    from .generation import GenerationDefaults
    from .renderers.chat import Renderer
    from .settings import Settings
    from .template_source import ChatTemplates
    from .tokenizer import Tokenizer
    from .vllm_backend import VllmBackend

# Raised when bodies or states change so that older replicas would answer otherwise. Not when newer
# replicas merely write more: streams live on through a rolling upgrade.
WIRE_VERSION = 1

_OWN = ("default", "tool_use")  # templates that serve requests which name none


def components(
    settings: Settings,
    *,
    tokenizer: Tokenizer,
    templates: ChatTemplates,
    renderer: Renderer | None = None,
    generation: GenerationDefaults,
    format: parsers.Format | None,
    backend: VllmBackend | None = None,
    vocab_size: int,
    max_model_len: int,
) -> dict[str, Any]:
    """By name, as JSON values; the order is part of the fingerprint."""
    names = format or backend
    tool = None if names is None else names.tool
    reasoning = None if names is None else names.reasoning
    foreign = [] if backend is None else backend.components()
    return {
        "wire": WIRE_VERSION,
        "tokenizer": _tokenizer(tokenizer, vocab_size),
        "chat_template": _chat_template(templates) if renderer is None else dict(renderer.facts),
        "content_format": renderer is None
        and [
            template and template.content_format
            for template in (templates.default, templates.tool_use)
        ],
        "default_chat_template_kwargs": settings.default_chat_template_kwargs,
        "reasoning_effort_map": {
            effort: other
            for effort, other in settings.reasoning_effort_map.items()
            if effort != other
        },
        "anthropic_disabled_thinking_effort": settings.anthropic_disabled_thinking_effort,
        "exclude_tools_when_tool_choice_none": settings.exclude_tools_when_tool_choice_none,
        "trust_request_chat_template": _trust(settings, templates),
        # Names of one format may still differ in what they ask of the engine.
        "reasoning_parser": [
            reasoning,
            settings.reasoning_parser in adjust.REASONING,
            *foreign,
            *_response_template(tokenizer, reasoning),
        ],
        "tool_call_parser": tool
        and [
            tool,
            settings.tool_call_parser in adjust.TOOLS,
            settings.tool_call_parser in adjust.TOOLS_IN_USE,
            *foreign,
            *_response_template(tokenizer, tool),
        ],
        "auto_tool_choice": tool is not None,
        "tool_strict_level": tool and settings.tool_strict_level,
        "generation_config": _generation_config(generation),
        "max_model_len": max_model_len,
    }


def _response_template(tokenizer: Tokenizer, name: str | None) -> list[Any]:
    """What a parser of this name reads in the tokenizer's configuration."""
    return [tokenizer.config.get("response_template")] if name in FROM_TEMPLATE else []


def _tokenizer(tokenizer: Tokenizer, vocab_size: int) -> dict[str, Any]:
    """vocab_size: the model's, which bounds the IDs that /derender takes."""
    return {
        "pipeline": blake2b(tokenizer.serialized().encode()).hexdigest(),
        "special_tokens": dict(tokenizer.special_tokens_map),
        "special_ids": sorted(tokenizer.special_ids),
        "all_special_ids": sorted(tokenizer.all_special_ids),
        "vocab_size": vocab_size,
    }


def _chat_template(templates: ChatTemplates) -> dict[str, str]:
    return {name: _text(templates, name) for name in _OWN if name in templates.sources}


def _text(templates: ChatTemplates, name: str) -> str:
    """Without what Jinja does not see: the kind of line ends, and the last one."""
    text = templates.sources[name].text
    return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")


def _trust(settings: Settings, templates: ChatTemplates) -> list[Any]:
    """With trust, or a default argument `chat_template`, template arguments may name any of the
    model's templates and bring others, unless the operator gave one.
    """
    trusted = settings.trust_request_chat_template
    if not trusted and "chat_template" not in settings.default_chat_template_kwargs:
        return [trusted]
    others = {name: _text(templates, name) for name in templates.sources if name not in _OWN}
    content_format = settings.chat_template_content_format
    return [trusted, others, content_format, bool(settings.chat_template)]


def _generation_config(generation: GenerationDefaults) -> dict[str, Any]:
    """Numbers that are written 1 and 1.0 are the same to an engine."""
    return {
        "defaults": {
            name: int(value) if isinstance(value, float) and value.is_integer() else value
            for name, value in generation.defaults.items()
        },
        "eos_token_id": generation.eos_token_id,
        "eos_token_ids": sorted(generation.eos_token_ids),
        "override_max_tokens": generation.override_max_tokens,
    }
