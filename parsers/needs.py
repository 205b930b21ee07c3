"""What of a request a format reads, so that only that much of it need travel with a stream.

A stream that is resumed with the reduced context gives the same events as with the whole one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from enum import IntEnum
from typing import Any

from .context import Context, Tool
from .references import self_contained


class Reads(IntEnum):
    """What a codec reads of the tools that a request offers: each level includes the ones before.

    PRESENCE: whether there are any. TYPES: what their schemas say about the types of values.
    REFERENCES: also where a schema refers to its definitions for them.
    """

    PRESENCE = 0
    NAMES = 1
    TYPES = 2
    REFERENCES = 3


_BRANCHES = frozenset(("anyOf", "oneOf", "allOf"))
_NESTED = frozenset(("items", "additionalProperties"))
# Of an enum only the types of its values count.
_SAMPLES: tuple[tuple[type, Any], ...] = (
    (bool, True), (int, 0), (float, 0.5), (str, ""), (list, []), (dict, {}),
)  # fmt: skip


def needed(context: Context, reads: Reads, told: Collection[str]) -> Context:
    """told: the template arguments that are read."""
    kwargs = {key: value for key, value in context.template_kwargs.items() if key in told}
    tools = context.tools
    if reads is Reads.REFERENCES:
        tools = tuple(map(self_contained, tools))
    return replace(context, tools=_tools(tools, reads), template_kwargs=kwargs)


def _tools(tools: tuple[Tool, ...], reads: Reads) -> tuple[Tool, ...]:
    if reads is Reads.PRESENCE:
        return (Tool(""),) if tools else ()
    if reads is Reads.NAMES:
        return tuple(Tool(tool.name) for tool in tools)
    return tuple(Tool(tool.name, _parameters(tool.parameters)) for tool in tools)


def _parameters(schema: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Of the schema of all arguments only the parameters are read."""
    properties = (schema or {}).get("properties")
    if not isinstance(properties, Mapping):
        return None
    return {"properties": {name: _types(inner) for name, inner in properties.items()}}


def _types(schema: object) -> Any:
    """What the rules of `schema.py` and `typing_rules.py` look at; None for what is no schema."""
    if not isinstance(schema, Mapping):
        return None
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("type", "nullable"):
            kept[key] = value
        elif key == "properties" and isinstance(value, Mapping):
            kept[key] = {name: _types(inner) for name, inner in value.items()}
        elif key in _NESTED or key == "properties":
            kept[key] = _types(value)
        elif key in _BRANCHES:
            kept[key] = [_types(branch) for branch in value] if isinstance(value, list) else None
        elif key == "enum":
            kept[key] = _samples(value) if isinstance(value, list) else None
    return kept


def _samples(values: list[Any]) -> list[Any]:
    kinds = {
        next((kind for kind, _ in _SAMPLES if isinstance(value, kind)), None) for value in values
    }
    samples = [sample for kind, sample in _SAMPLES if kind in kinds]
    return samples + ([None] if None in kinds else [])
