"""Calls of Hunyuan V4: a section of calls, each with its argument keys and values as tags.

Keys are held to the tool's, values are free text, strict tools or not; optional calls are not
held. All tags may have a suffix that the vocabulary chooses. Source: `hy_v4` in vLLM 0.33.0's
`structural_tag_registry.py` and `hy_v4_tool_parser.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .call_tags import Choice, HeldTool
from .tag_nodes import Node, any_text, const, many, one_of, separated, sequence, tag

_TAG = re.compile(r"<(?:think|tool_calls|tool_call|arg_key|arg_value)(:[^\s>]+)?>")


def hy_v4_tag(
    tools: Sequence[HeldTool], choice: Choice, once: bool, *, vocab: Iterable[str] = ()
) -> Node | None:
    if choice == "auto":
        return None
    suffix = _suffix(vocab)
    keys = [_keys(tool.parameters or {}) for tool in tools]
    calls = [
        tag(f"<tool_call{suffix}>{tool.name}", _arguments(*known, suffix), f"</tool_call{suffix}>")
        for tool, known in zip(tools, keys, strict=True)
        if known is not None
    ]
    if len(calls) < len(tools):
        return None  # as vLLM, which gives up where a schema's keys cannot be read
    return sequence(
        const(f"<tool_calls{suffix}>"),
        separated(calls, once=once or choice == "named"),
        const(f"</tool_calls{suffix}>"),
    )


def _suffix(vocab: Iterable[str]) -> str:
    matches = (match for token in vocab if (match := _TAG.fullmatch(token)))
    return next((match[1] or "" for match in matches), "")


def _keys(schema: Mapping[str, Any]) -> tuple[list[str], list[str]] | None:
    """Required keys, those without a schema last, and optional ones; None if they are no keys."""
    properties, required = schema.get("properties") or {}, schema.get("required") or []
    if not isinstance(properties, dict) or not isinstance(required, list):
        return None
    if not all(isinstance(key, str) for key in required):
        return None
    needed = [key for key in properties if key in required]
    needed += [key for key in required if key not in properties]
    return needed, [key for key in properties if key not in required]


def _arguments(required: list[str], optional: list[str], suffix: str) -> Node:
    """Required keys in their order, then optional ones in any."""
    elements = [_pair(key, suffix) for key in required]
    if optional:
        elements.append(many(one_of([_pair(key, suffix) for key in optional])))
    return sequence(*elements) if elements else any_text()


def _pair(key: str, suffix: str) -> Node:
    return sequence(
        const(f"<arg_key{suffix}>"),
        const(key),
        const(f"</arg_key{suffix}>"),
        const(f"<arg_value{suffix}>"),
        any_text(),
        const(f"</arg_value{suffix}>"),
    )
