"""What the tools of a chat request add to its constraints on the output.

Rule: calls in a parser's own syntax are held by a structural tag, calls in plain JSON by a JSON
schema; either takes the place of the request's `structured_outputs` and `response_format`, except
that where a call is optional the answer may also be what these ask for. Source: vLLM 0.33.0's
`DelegatingParser.adjust_request`, `ToolParser.adjust_request` and `tool_parsers/utils.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from .errors import RequestError
from .harmony_tags import harmony_answer
from .output_format import may_stand_beside_calls, output_format
from .protocol.chat import ChatRequest, NamedToolChoice
from .protocol.fields import StructuredOutputs, ToolParam, invalid
from .sampling import structured_outputs
from .schema_limits import load_schema
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
from .tag_nodes import Node, either

if TYPE_CHECKING:
    from .settings import Settings

Schema = dict[str, Any]

_NO_CONSTRAINT: dict[str, None] = dict.fromkeys(
    ("json", "regex", "choice", "grammar", "json_object")
)


def constrain_calls(
    settings: Settings,
    request: ChatRequest,
    *,
    harmony: bool = False,
    vocab: Iterable[str] = (),
) -> ChatRequest:
    """The request with the constraints that go to the engine; `request` itself stays.

    harmony: the model's outputs are Harmony messages, and so is what the request's own constraint
    asks for, with tools or without. vocab: texts of added tokens. Tools lose `$defs` that a JSON
    schema of all calls takes over, as in vLLM. RequestError where the tools do not go together.
    """
    parser = settings.tool_call_parser if settings.enable_auto_tool_choice else None
    if parser == "hf":
        _refuse_guarantees(request)
        return request
    outputs = structured_outputs(request.structured_outputs, request.response_format)
    answer = _answer(outputs) if harmony and outputs is not None else None
    if outputs is not None and answer is not None:
        tag = msgspec.structs.replace(outputs, **_NO_CONSTRAINT, structural_tag=as_text(answer))
        request = _constrained(request, tag)
    if not parser or not request.tools or request.tool_choice in (None, "none"):
        return request
    _check_named(parser, request)
    level_name = settings.tool_strict_level
    level = DEFAULT_LEVEL.get(parser, AUTO) if level_name is None else LEVELS[level_name]
    tagged = _tagged(parser, level, request, outputs, answer, vocab)
    if tagged is not None:
        return tagged
    own = request.structured_outputs
    if parser not in JSON_CALLS or (own is not None and own.structural_tag is not None):
        return request
    return _json_calls(request, request.tools)


def holds_calls(settings: Settings) -> bool:
    """Whether calls that are required are held to what tools there are."""
    parser = settings.tool_call_parser if settings.enable_auto_tool_choice else None
    return parser in BUILDERS or parser in JSON_CALLS


def _check_named(parser: str, request: ChatRequest) -> None:
    """A chat's named tool is one of its tools; those of other requests are looked up here."""
    choice = request.tool_choice
    if isinstance(choice, NamedToolChoice) and parser in BUILDERS:
        name = choice.function.name
        if all(tool.function.name != name for tool in request.tools or ()):
            raise RequestError(f"The tool with name '{name}' is not found in the tools list.")


def _refuse_guarantees(request: ChatRequest) -> None:
    """RequestError: nothing is known of the format of calls that could hold them to anything."""
    if not request.tools or request.tool_choice == "none":
        return
    asked = {
        "strict tools": ("tools", any(tool.function.strict for tool in request.tools or ())),
        "required tool choice": ("tool_choice", request.tool_choice == "required"),
        "named tool choice": ("tool_choice", isinstance(request.tool_choice, NamedToolChoice)),
        "parallel_tool_calls=False": ("parallel_tool_calls", request.parallel_tool_calls is False),
    }
    for guarantee, (param, is_asked) in asked.items():
        if is_asked:
            raise invalid(
                f"response_template parsing cannot guarantee {guarantee} without a "
                "format-compatible structural grammar",
                param,
            )


def _answer(outputs: StructuredOutputs) -> Node | None:
    """A Harmony message of what is asked for."""
    if isinstance(outputs.json, str):
        try:
            load_schema(outputs.json)
        except ValueError as error:
            raise RequestError(str(error)) from error
    content = output_format(outputs)
    return None if content is None else harmony_answer(content)


def _tagged(
    parser: str,
    level: int,
    request: ChatRequest,
    outputs: StructuredOutputs | None,
    answer: Node | None,
    vocab: Iterable[str],
) -> ChatRequest | None:
    """The request with a structural tag; None where nothing calls for one.

    outputs: the request's own constraint. answer: its node in a tag, where it has one already.
    """
    optional = request.tool_choice == "auto"
    # An output format of the request's own leaves no room for calls unless something asks.
    if request.parallel_tool_calls is False and not (optional and outputs is not None):
        level = max(level, FUNCTION)
    beside = None
    if optional and outputs is not None and parser in BUILDERS and applies(request, level):
        if not may_stand_beside_calls(outputs, in_tag=answer is not None):
            return None
        beside = output_format(outputs) if answer is None else answer
        if beside is None:
            return None
    node = calls_tag(parser, request, level, required=beside is not None, vocab=vocab)
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
        tool = by_name.get(choice.function.name)
        if tool is None:
            raise RequestError(f"Tool '{choice.function.name}' has not been passed in `tools`.")
        schema = _arguments(tool)
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
            "anyOf": [
                _call(
                    tool.function.name,
                    _arguments(tool) if tool is old else tool.function.parameters,
                )
                for tool, old in zip(bare, tools, strict=True)
            ],
        },
    }
    if request.parallel_tool_calls is False:
        array["maxItems"] = 1
    if shared:
        array["$defs"] = shared
    return _constrained(request, StructuredOutputs(json=array), tools=bare)


def _call(name: str, arguments: Schema | None) -> Schema:
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
