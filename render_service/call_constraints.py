"""What the tools of a chat request add to its constraints on the output.

Rule: calls in a parser's own syntax are held by a structural tag, calls in plain JSON by a JSON
schema; either takes the place of the request's `structured_outputs` and `response_format`, except
that where a call is optional the answer may also be what these ask for. Source: vLLM 0.33.0's
`DelegatingParser.adjust_request`, `ToolParser.adjust_request` and `tool_parsers/utils.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from .output_format import output_format
from .protocol.chat import ChatRequest, NamedToolChoice
from .protocol.fields import StructuredOutputs, ToolParam, invalid
from .sampling import structured_outputs
from .structural_tag_formats import JSON_CALLS
from .structural_tags import (
    AUTO,
    BUILDERS,
    DEFAULT_LEVEL,
    FUNCTION,
    LEVELS,
    applies,
    as_text,
    calls_tag,
)
from .tag_nodes import either

if TYPE_CHECKING:
    from .settings import Settings

Schema = dict[str, Any]


def constrain_calls(settings: Settings, request: ChatRequest) -> ChatRequest:
    """The request with the constraints that go to the engine; `request` itself stays.

    Its tools lose `$defs` that a JSON schema of all calls takes over, as in vLLM. RequestError
    where the tools do not go together.
    """
    parser = settings.tool_call_parser if settings.enable_auto_tool_choice else None
    if not parser or not request.tools or request.tool_choice in (None, "none"):
        return request
    tagged = _tagged(parser, settings.tool_strict_level, request)
    if tagged is not None:
        return tagged
    own = request.structured_outputs
    if parser not in JSON_CALLS or (own is not None and own.structural_tag is not None):
        return request
    return _json_calls(request, request.tools)


def _tagged(parser: str, level_name: str | None, request: ChatRequest) -> ChatRequest | None:
    optional = request.tool_choice == "auto"
    outputs = structured_outputs(request.structured_outputs, request.response_format)
    level = DEFAULT_LEVEL.get(parser, AUTO) if level_name is None else LEVELS[level_name]
    # An output format of the request's own leaves no room for calls unless something asks.
    if request.parallel_tool_calls is False and not (optional and outputs is not None):
        level = max(level, FUNCTION)
    beside = None
    if optional and outputs is not None and parser in BUILDERS and applies(request, level):
        beside = output_format(outputs)
        if beside is None:
            return None
    node = calls_tag(parser, request, level, required=beside is not None)
    if node is None:
        return None
    text = as_text(node if beside is None else either([node, beside]))
    return _constrained(request, StructuredOutputs(structural_tag=text))


def _constrained(request: ChatRequest, outputs: StructuredOutputs, **changes: Any) -> ChatRequest:
    return msgspec.structs.replace(
        request, structured_outputs=outputs, response_format=None, **changes
    )


def _json_calls(request: ChatRequest, tools: list[ToolParam]) -> ChatRequest:
    choice = request.tool_choice
    if isinstance(choice, NamedToolChoice):
        by_name = {tool.function.name: tool for tool in tools}
        schema = _arguments(by_name[choice.function.name])
        return _constrained(request, StructuredOutputs(json=schema))
    if choice != "required":
        return request
    shared: Schema = {}
    bare = [_without_definitions(tool, shared) for tool in tools]
    array: Schema = {
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "anyOf": [_call(tool.function.name, _arguments(tool)) for tool in bare],
        },
    }
    if request.parallel_tool_calls is False:
        array["maxItems"] = 1
    if shared:
        array["$defs"] = shared
    return _constrained(request, StructuredOutputs(json=array), tools=bare)


def _call(name: str, arguments: Schema) -> Schema:
    return {
        "properties": {"name": {"type": "string", "enum": [name]}, "parameters": arguments},
        "required": ["name", "parameters"],
    }


def _arguments(tool: ToolParam) -> Schema:
    return tool.function.parameters or {"type": "object", "properties": {}}


def _without_definitions(tool: ToolParam, shared: Schema) -> ToolParam:
    """The tool without the `$defs` of its parameters, which go to `shared`."""
    schema, name = _arguments(tool), tool.function.name
    if "$defs" not in schema:
        return tool
    definitions = schema["$defs"]
    if not isinstance(definitions, dict):
        raise invalid(
            f"`$defs` in the parameters of tool '{name}' must be an object, "
            f"got {type(definitions).__name__}.",
            "tools",
        )
    for key, definition in definitions.items():
        if key in shared and shared[key] != definition:
            raise invalid(
                f"Tool definition '{key}' has multiple schemas, which is not supported.", "tools"
            )
        shared[key] = definition
    parameters = {key: value for key, value in schema.items() if key != "$defs"}
    function = msgspec.structs.replace(tool.function, parameters=parameters)
    return msgspec.structs.replace(tool, function=function)
