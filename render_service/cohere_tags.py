"""What Cohere's parsers change in a chat request before it goes to the engine.

Rule: text is free, but each action holds a list of calls of the tools there are, and each answer
the JSON that is asked for, in the markers of the model's architecture. Nothing forces a call.
Source: vLLM 0.33.0's `CohereCommandParser`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from .errors import RequestError
from .protocol.chat import ChatRequest
from .protocol.fields import StructuredOutputs, ToolParam, invalid
from .schema_limits import check_nesting, load_schema
from .tag_nodes import Node, const, json_schema, many, one_of, regex, sequence

_ACTION = ("<|START_ACTION|>", "<|END_ACTION|>")
_RESPONSE = ("<|START_RESPONSE|>", "<|END_RESPONSE|>")
_TEXT = ("<|START_TEXT|>", "<|END_TEXT|>")

ANSWERS: Mapping[str, Sequence[tuple[str, str]]] = {
    "Cohere2ForCausalLM": (_RESPONSE,),
    "Cohere2VisionForConditionalGeneration": (_RESPONSE, _TEXT),
    "Cohere2MoeForCausalLM": (_RESPONSE, _TEXT),
}
"""Markers of an answer, by architecture."""

_SPACE = regex(r"[ \t\n]*")


def hold_sections(
    request: ChatRequest, architecture: str | None, *, text_format: bool = False
) -> ChatRequest:
    """architecture: the model's. text_format: the constraint is the format of a response, which
    vLLM neither reads here nor takes beside a tag.

    RequestError (400) where the markers of the architecture are not known, or JSON is wrong.
    """
    own = request.structured_outputs
    wanted = request.response_format
    if (own is not None and own.structural_tag) or (
        wanted is not None and wanted.type == "structural_tag"
    ):
        return request
    schema = None if text_format else _schema(request)
    if architecture is None or (schema is None and request.tools is None):
        return request
    if architecture not in ANSWERS:
        raise RequestError(
            "Failed to build structural_tag guided decoding constraints from this request's JSON "
            f"schema and/or tools. The configured model architecture ({architecture!r}) does not "
            "support Cohere command structural tags, or the schema cannot be expressed in that "
            "format."
        )
    # Tools of a server are none that a model calls.
    if request.tools is not None and not request.tools:
        raise RequestError(
            "No valid tool definitions could be parsed from the request for structural tag "
            "conversion."
        )
    if text_format:
        raise invalid(
            "Cannot specify both structured_outputs and text.format", "structured_outputs"
        )
    tags = []
    if schema is not None:
        content = {"type": "json_schema", "json_schema": schema}
        tags += [_tag(markers, content) for markers in ANSWERS[architecture]]
    if request.tools:
        tags.append(_tag(_ACTION, _calls(request.tools)))
    format = {"type": "triggered_tags", "triggers": [tag["begin"] for tag in tags], "tags": tags}
    text = json.dumps({"type": "structural_tag", "format": format})
    replaced = wanted is not None and wanted.type in ("json_schema", "json_object")
    return msgspec.structs.replace(
        request,
        structured_outputs=StructuredOutputs(structural_tag=text),
        response_format=None if replaced else wanted,
    )


def _tag(markers: tuple[str, str], content: Node) -> Node:
    return {"begin": markers[0], "content": content, "end": markers[1]}


def _calls(tools: Sequence[ToolParam]) -> Node:
    """A list of calls. vLLM has xgrammar write the same as a grammar's text."""
    schemas = {tool.function.name: _call_schema(tool) for tool in tools}
    call = one_of(list(map(json_schema, schemas.values())))
    more = sequence(_SPACE, const(","), _SPACE, call)
    return sequence(_SPACE, const("["), _SPACE, call, many(more), _SPACE, const("]"), _SPACE)


def _call_schema(tool: ToolParam) -> dict[str, Any]:
    parameters = dict(tool.function.parameters or {})
    check_nesting(parameters)
    shared: dict[str, Any] = {
        name: parameters.pop(name) for name in ("$defs", "definitions") if name in parameters
    }
    return {
        "type": "object",
        "properties": {
            "tool_call_id": {"type": "string", "pattern": "^[0-9]+$"},
            "tool_name": {"type": "string", "const": tool.function.name},
            "parameters": parameters,
        },
        **shared,
    }


def _schema(request: ChatRequest) -> dict[str, Any] | None:
    """JSON schema of the answer that is asked for, as an object."""
    own, wanted = request.structured_outputs, request.response_format
    if wanted is not None and wanted.type == "json_object":
        return {"type": "object"}
    if wanted is not None and wanted.type == "json_schema" and wanted.json_schema is not None:
        return _unwrapped(wanted.json_schema.schema)
    if own is None:
        return None
    if own.json_object:
        return {"type": "object"}
    if own.json is None:
        return None
    schema: Any = own.json
    if isinstance(schema, str):
        if not schema.strip():
            raise RequestError("structured_outputs.json cannot be empty.")
        try:
            schema = load_schema(schema)
        except ValueError:
            raise RequestError("structured_outputs.json must be valid JSON.") from None
        if not isinstance(schema, dict):
            raise RequestError("structured_outputs.json must decode to a JSON object.")
    inner = (_unwrapped(schema.get(name)) for name in ("schema", "json_schema"))
    return next((found for found in inner if found is not None), None) or schema


def _unwrapped(value: Any) -> dict[str, Any] | None:
    """The schema, which may be text, and within another object."""
    if isinstance(value, str):
        try:
            value = load_schema(value)
        except (ValueError, RequestError):
            return None
    if not isinstance(value, dict):
        return None
    inner = value.get("schema")
    return inner if isinstance(inner, dict) else value
