"""Calls of GLM models: `<tool_call>NAME<arg_key>K</arg_key><arg_value>V</arg_value></tool_call>`.

Values of tools that are not strict are held to their basic types, one by one. Source: `glm_4_7`
in vLLM 0.33.0's `structural_tag_registry.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .call_tags import Choice, HeldTool, arranged
from .structural_tag_formats import Call, CallSyntax
from .tag_nodes import (
    Node,
    any_text,
    const,
    json_schema,
    many,
    one_of,
    sequence,
    tag,
)

_CALL = Call("<tool_call>", "", "</tool_call>")
_MARKERS = (
    *("<think>", "</think>", "<tool_call>", "</tool_call>"),
    *("<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"),
)
_STRICT = CallSyntax(
    calls=(_CALL,),
    trigger="<tool_call>",
    style="glm_xml",
    excludes=tuple(marker for marker in _MARKERS if marker != "<tool_call>"),
    text_before_required=True,
)
_LOOSE = replace(_STRICT, text_before_required=False, named_as_list=True)
_COMPOSED = ("$ref", "allOf", "anyOf", "oneOf", "patternProperties")


def glm_tag(tools: Sequence[HeldTool], choice: Choice, once: bool) -> Node:
    syntax = _STRICT if all(tool.strict for tool in tools) else _LOOSE
    calls = [tag(_CALL.before + tool.name, _arguments(tool), _CALL.end) for tool in tools]
    return arranged(syntax, calls, choice, once)


def _arguments(tool: HeldTool) -> Node:
    properties = None if tool.strict else _plain_properties(tool.parameters or {})
    if properties is None:
        return json_schema(tool.schema, "glm_xml")
    pairs = [
        sequence(
            const(f"<arg_key>{key}</arg_key><arg_value>"),
            _value(schema if isinstance(schema, dict) else {}),
            const("</arg_value>"),
        )
        for key, schema in properties.items()
    ]
    return many(one_of(pairs))


def _plain_properties(schema: dict[str, Any]) -> dict[str, Any] | None:
    """Properties by name, where they are all that the schema says about its object."""
    properties = schema.get("properties")
    if not isinstance(properties, dict) or schema.get("additionalProperties") is True:
        return None
    return None if any(key in schema for key in _COMPOSED) else properties or None


def _value(schema: dict[str, Any]) -> Node:
    given = schema.get("type")
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        words = [value if isinstance(value, str) else json.dumps(value) for value in schema["enum"]]
        return one_of([const(word) for word in words])
    if not isinstance(given, list):
        return any_text(_MARKERS) if given in (None, "string") else json_schema({"type": given})
    kinds = [_value({"type": kind}) for kind in given if kind != "string"]
    if "string" in given or not kinds:
        kinds.append(any_text(_MARKERS))
    return one_of(kinds)
