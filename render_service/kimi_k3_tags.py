"""Calls of Kimi K3: a response channel, then a channel of calls whose arguments are tags each.

Text values stand as they are, other values are JSON. Source: `kimi_k3` in vLLM 0.33.0's
`structural_tag_registry.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeGuard

from .call_tags import Choice, HeldTool
from .errors import RequestError
from .tag_nodes import (
    Node,
    any_text,
    const,
    json_schema,
    many,
    one_of,
    optional,
    regex,
    separated,
    sequence,
    some,
    tag,
)

_OPEN, _CLOSE, _SEP = "<|open|>", "<|close|>", "<|sep|>"
_FREE_TEXT = any_text((_OPEN, _CLOSE, "<|end_of_msg|>"))
_VALUE = any_text((_CLOSE,))
_ARGUMENT_END = f"{_CLOSE}argument{_SEP}"
_ANY_ARGUMENT = tag(f"{_OPEN}argument ", sequence(regex(r"[^<]*<\|sep\|>"), _VALUE), _ARGUMENT_END)
_TYPES = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
    "object": "object",
    "array": "array",
}
"""A schema's type: what the tag calls it."""

_MAX_TEXT, _MAX_WORDS = 4096, 256
"""Characters of a bounded text, words of an enumeration; beyond them any text is taken."""


_MAX_REPEATED = 16 * 1024 * 1024
"""Characters of definitions, which each argument repeats: else a small request makes a vast one."""


def kimi_k3_tag(tools: Sequence[HeldTool], choice: Choice, once: bool) -> Node:
    """RequestError where tools have too many arguments for their definitions."""
    if sum(_repeated(tool.schema) for tool in tools) > _MAX_REPEATED:
        raise RequestError(
            "The definitions in the tools' parameters are too large for the number of properties.",
            param="tools",
        )
    calls = separated([_call(tool) for tool in tools], once=once)
    channel = tag(f"{_OPEN}tools{_SEP}", calls, f"{_CLOSE}tools{_SEP}")
    return sequence(
        optional(const(f"{_OPEN}response{_SEP}")),
        tag("", _FREE_TEXT, f"{_CLOSE}response{_SEP}"),
        optional(channel) if choice == "auto" else channel,
        optional(const(f"{_CLOSE}message{_SEP}")),
    )


def _call(tool: HeldTool) -> Node:
    return tag(
        f'{_OPEN}call tool="{_escaped(tool.name)}" index="',
        sequence(regex("[0-9]+"), const(f'"{_SEP}'), _arguments(tool.schema)),
        f"{_CLOSE}call{_SEP}",
    )


def _arguments(schema: dict[str, Any] | bool) -> Node:
    """In any order, each any number of times; at least one where one is required."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(schema, dict) or not isinstance(properties, dict) or not properties:
        return many(_ANY_ARGUMENT)
    definitions = _definitions(schema)
    tags = [
        _argument(key, value if isinstance(value, dict) else {}, definitions)
        for key, value in properties.items()
    ]
    required = schema.get("required")
    repeated = some if isinstance(required, list) and required else many
    return repeated(one_of(tags))


def _definitions(schema: dict[str, Any]) -> dict[str, Any]:
    return {
        key: schema[key] for key in ("$defs", "definitions") if isinstance(schema.get(key), dict)
    }


def _repeated(schema: dict[str, Any] | bool) -> int:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(schema, dict) or not isinstance(properties, dict):
        return 0
    return len(json.dumps(_definitions(schema))) * len(properties)


def _argument(key: str, schema: dict[str, Any], definitions: dict[str, Any]) -> Node:
    given = schema.get("type")
    kind = _TYPES.get(given) if isinstance(given, str) else None
    if kind is None:
        return _ANY_ARGUMENT
    begin = f'{_OPEN}argument key="{_escaped(key)}" type="{kind}"{_SEP}'
    if kind == "string":
        return tag(begin, _text(schema), _ARGUMENT_END)
    # References of the property lead into its parent's definitions.
    added = {name: value for name, value in definitions.items() if name not in schema}
    return tag(begin, json_schema({**schema, **added}), _ARGUMENT_END)


def _text(schema: dict[str, Any]) -> Node:
    words = schema.get("enum")
    if words is None and isinstance(schema.get("const"), str):
        words = [schema["const"]]
    if _are_plain(words):
        return one_of([const(word) for word in words])
    longest, shortest = schema.get("maxLength"), schema.get("minLength", 0)
    if not isinstance(longest, int) or not 0 <= longest <= _MAX_TEXT:
        return _VALUE
    if not isinstance(shortest, int) or not 0 <= shortest <= longest:
        shortest = 0
    return regex(rf"(?:[^<]|<[^|]){{{shortest},{longest}}}")


def _are_plain(words: Any) -> TypeGuard[list[str]]:
    return (
        isinstance(words, list)
        and 0 < len(words) <= _MAX_WORDS
        and all(isinstance(word, str) and "<|" not in word for word in words)
    )


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;")
