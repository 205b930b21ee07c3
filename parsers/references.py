"""`$ref`s into the `$defs` of a tool's own schema, followed as far as types need it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .context import Tool

_BRANCHES = ("anyOf", "oneOf", "allOf")
_PREFIX = "#/$defs/"
_MAX_DEPTH = 10
"""Branches in branches, as in vLLM."""


def followed(schema: object, definitions: Mapping[str, Any]) -> Any:
    """The schema of a parameter with what it refers to in its place, each definition once.

    Only where no `type` stands beside, and in branches; a reference to nothing becomes None.
    """
    return _followed(schema, definitions, set(), 0)


def _followed(schema: object, definitions: Mapping[str, Any], seen: set[str], depth: int) -> Any:
    if depth > _MAX_DEPTH:
        return None
    # By a loop, since definitions may refer to each other without end.
    while isinstance(schema, Mapping) and "type" not in schema:
        ref = schema.get("$ref")
        if not isinstance(ref, str) or not ref.startswith(_PREFIX):
            found = {key: schema[key] for key in _BRANCHES if isinstance(schema.get(key), list)}
            branches = {
                key: [_followed(branch, definitions, seen, depth + 1) for branch in found[key]]
                for key in found
            }
            return {**schema, **branches} if branches else schema
        name = ref.rpartition("/")[2]
        schema = None if name in seen else definitions.get(name)
        seen.add(name)
    return schema


def self_contained(tool: Tool) -> Tool:
    """The tool whose parameters refer to nothing."""
    parameters = tool.parameters or {}
    properties, definitions = parameters.get("properties"), tool.definitions()
    if not (definitions and isinstance(properties, Mapping)):
        return tool
    found = {name: followed(schema, definitions) for name, schema in properties.items()}
    return Tool(tool.name, {**parameters, "properties": found})
