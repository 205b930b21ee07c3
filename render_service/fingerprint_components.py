"""What the fingerprint covers: everything that changes an answer, and nothing else.

Each component is what is in force, not how it was written: a template's text and not its path, a
parser's canonical name, lengths and sampling defaults as they were resolved.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from . import adjust

if TYPE_CHECKING:
    import parsers

    from .generation import GenerationDefaults
    from .settings import Settings
    from .template_source import ChatTemplates
    from .tokenizer import Tokenizer

# Raised when bodies or states change so that older replicas would answer otherwise. Not when newer
# replicas merely write more: streams live on through a rolling upgrade.
WIRE_VERSION = 1


def components(
    settings: Settings,
    *,
    tokenizer: Tokenizer,
    templates: ChatTemplates,
    generation: GenerationDefaults,
    format: parsers.Format | None,
    vocab_size: int,
    max_model_len: int,
) -> dict[str, Any]:
    """By name, as JSON values; the order is part of the fingerprint."""
    tool = None if format is None else format.tool
    reasoning = None if format is None else format.reasoning
    return {
        "wire": WIRE_VERSION,
        "tokenizer": _tokenizer(tokenizer, vocab_size),
        "chat_template": _chat_template(settings, templates),
        "content_format": _content_format(settings, templates),
        "default_chat_template_kwargs": settings.default_chat_template_kwargs,
        "reasoning_effort_map": {
            effort: other
            for effort, other in settings.reasoning_effort_map.items()
            if effort != other
        },
        "exclude_tools_when_tool_choice_none": settings.exclude_tools_when_tool_choice_none,
        "trust_request_chat_template": settings.trust_request_chat_template,
        # Names of one format may still differ in what they ask of the engine.
        "reasoning_parser": [reasoning, settings.reasoning_parser in adjust.REASONING],
        "tool_call_parser": tool
        and [
            tool,
            settings.tool_call_parser in adjust.TOOLS,
            settings.tool_call_parser in adjust.TOOLS_IN_USE,
        ],
        "auto_tool_choice": tool is not None,
        "tool_strict_level": tool and settings.tool_strict_level,
        "generation_config": _generation_config(generation),
        "max_model_len": max_model_len,
    }


def _tokenizer(tokenizer: Tokenizer, vocab_size: int) -> dict[str, Any]:
    """vocab_size: the model's, which bounds the IDs that /derender takes."""
    return {
        "pipeline": blake2b(tokenizer.serialized().encode()).hexdigest(),
        "special_tokens": dict(tokenizer.special_tokens_map),
        "special_ids": sorted(tokenizer.special_ids),
        "all_special_ids": sorted(tokenizer.all_special_ids),
        "vocab_size": vocab_size,
    }


def _chat_template(settings: Settings, templates: ChatTemplates) -> dict[str, Any]:
    """Without what Jinja does not see: the kind of line ends, and the last one."""
    texts = {
        name: source.text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
        for name, source in templates.sources.items()
    }
    if _picks_templates(settings):
        return {"texts": texts, "fixed": bool(settings.chat_template)}
    return {"texts": {name: texts[name] for name in ("default", "tool_use") if name in texts}}


def _content_format(settings: Settings, templates: ChatTemplates) -> list[str | None]:
    own = (templates.default, templates.tool_use)
    formats: list[str | None] = [None if t is None else t.content_format for t in own]
    if _picks_templates(settings):
        formats.append(settings.chat_template_content_format)
    return formats


def _picks_templates(settings: Settings) -> bool:
    """Whether template arguments may bring a template, or name any of the model's."""
    return (
        settings.trust_request_chat_template
        or "chat_template" in settings.default_chat_template_kwargs
    )


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
