"""Tools of a Responses request, and the choice among them.

Rule: a model is shown functions only. Those of a namespace get its name in front, a custom tool is
a function of one text, and tools that a server would run itself are not shown. Source: vLLM
0.33.0's `get_function_tools` (`tool_parsers/utils.py`) and the openai package's `Tool`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec
from msgspec import Struct

from ..errors import RequestError, schema_error
from .decode import convert
from .fields import FunctionDefinition, NamedFunction, NamedToolChoice, ToolParam, invalid

CUSTOM_INPUT = "input"
"""The one argument of the function that a custom tool is shown as."""

_CUSTOM_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        CUSTOM_INPUT: {
            "type": "string",
            "description": "The freeform text payload for this tool.",
        }
    },
    "required": [CUSTOM_INPUT],
    "additionalProperties": False,
}

_SERVER_TOOLS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "apply_patch": {},
    "code_interpreter": {"container": (str, dict)},
    "computer": {},
    "computer_use_preview": {"display_height": int, "display_width": int, "environment": str},
    "file_search": {"vector_store_ids": list},
    "image_generation": {},
    "local_shell": {},
    "mcp": {"server_label": str},
    "programmatic_tool_calling": {},
    "shell": {},
    "tool_search": {},
    "web_search": {},
    "web_search_2025_08_26": {},
    "web_search_preview": {},
    "web_search_preview_2025_03_11": {},
}
"""Tools that are not shown: by type, the fields that they need. Others are not looked at."""

_CHOICES: dict[str, tuple[str, ...]] = {
    "allowed_tools": ("mode", "tools"),
    "apply_patch": (),
    "code_interpreter": (),
    "computer": (),
    "computer_use": (),
    "computer_use_preview": (),
    "custom": ("name",),
    "file_search": (),
    "function": ("name",),
    "image_generation": (),
    "mcp": ("server_label",),
    "programmatic_tool_calling": (),
    "shell": (),
    "web_search_preview": (),
    "web_search_preview_2025_03_11": (),
}
"""Forms of `tool_choice` beside none, auto and required, and the fields that they need."""

AllowedCallers = list[Literal["direct", "programmatic"]] | None


class Head(Struct, kw_only=True):
    """What vLLM looks at before the type of a tool."""

    name: str
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class Function(Head, kw_only=True, rename={"in_background": "async"}):
    allowed_callers: AllowedCallers = None
    in_background: bool | None = None
    defer_loading: bool | None = None
    description: str | None = None
    output_schema: dict[str, Any] | None = None


class FunctionTool(Function, tag="function"):
    pass


class FreeText(Struct):
    type: Literal["text"]


class CustomTool(Struct, tag="custom", rename={"in_background": "async"}):
    """`check_custom_formats` refuses grammars."""

    name: str
    allowed_callers: AllowedCallers = None
    in_background: bool | None = None
    defer_loading: bool | None = None
    description: str | None = None
    format: FreeText | None = None


class NamespacedFunction(Function, tag="function"):
    """parameters: anything here, and an object once the function is shown."""

    parameters: Any = None


class Namespace(Struct, tag="namespace"):
    name: str
    description: str
    tools: list[NamespacedFunction | CustomTool]


Tool = FunctionTool | CustomTool | Namespace

ToolChoice = Literal["none", "auto", "required"] | NamedToolChoice | None
"""None: a choice that asks for no call and allows any."""


def read_tools(given: list[Any]) -> list[Tool]:
    """Those that hold functions; RequestError with vLLM's `param`."""
    tools = (_read(tool, index) for index, tool in enumerate(given))
    return [tool for tool in tools if tool is not None]


def function_tools(tools: list[Tool]) -> list[ToolParam]:
    """What the model is shown, in order."""
    return [
        ToolParam(
            function=FunctionDefinition(
                name=tool.name,
                description=tool.description,
                parameters=tool.parameters,
                strict=tool.strict,
                defer_loading=tool.defer_loading,
            )
        )
        for tool in _functions(tools)
    ]


def read_choice(given: Any) -> ToolChoice:
    if given in ("none", "auto", "required"):
        choice: Literal["none", "auto", "required"] = given
        return choice
    kind = given.get("type") if isinstance(given, dict) else None
    needs = _CHOICES.get(kind) if isinstance(kind, str) else None
    if needs is None or any(given.get(field) is None for field in needs):
        raise schema_error(
            '`tool_choice` must be "none", "auto", "required" or name a tool.', "body.tool_choice"
        )
    if kind not in ("function", "custom"):
        return None
    return NamedToolChoice(convert(given, NamedFunction))


def check_custom_formats(tools: Any) -> None:
    for tool in tools if isinstance(tools, list) else ():
        if not isinstance(tool, dict) or tool.get("type") != "custom":
            continue
        wanted = tool.get("format")
        if isinstance(wanted, dict) and wanted.get("type") == "grammar":
            raise invalid(
                "Custom tools with a grammar format are not supported; "
                "only free-form text custom tools are accepted.",
                "tools",
            )


def check_tool_choice(body: dict[str, Any]) -> None:
    """Also makes `none` of `auto` where there are no tools, and the full name of a bare one."""
    tools, choice = body.get("tools"), body.get("tool_choice", "auto")
    named = isinstance(choice, dict) and choice.get("type") in ("function", "custom")
    if tools:
        if named and isinstance(tools, list):
            body["tool_choice"] = {**choice, "name": _full_name(choice.get("name"), tools)}
    elif choice in ("auto", "none"):
        body["tool_choice"] = "none"
    elif choice == "required":
        raise invalid(
            "Tool choice 'required' must be specified with 'tools' parameter.", "tool_choice"
        )
    elif named:
        raise _not_found()


def flat_name(namespace: str, name: str) -> str:
    return f"{namespace}__{name}"


def _full_name(name: Any, tools: list[Any]) -> str:
    """The name as the model is shown it; a namespace may be left out where only one fits."""
    exact: set[Any] = set()
    inside: list[str] = []
    for tool in tools:
        if not isinstance(tool, dict):
            continue
        if tool.get("type") != "namespace":
            exact.add(tool["name"]) if isinstance(tool.get("name"), str) else None
            continue
        for part in tool["tools"] if isinstance(tool.get("tools"), list) else ():
            own = part.get("name") if isinstance(part, dict) else None
            if isinstance(own, str):
                full = flat_name(str(tool.get("name")), own)
                exact.add(full)
                inside += [full] * (own == name)
    if not isinstance(name, str) or not name:
        raise _not_found()
    if name in exact:
        return name
    if len(inside) > 1:
        raise invalid(
            f"Tool choice '{name}' is ambiguous: it is defined in more than one namespace "
            f"({', '.join(inside)}). Select it by its full '<namespace>__<name>' name.",
            "tool_choice",
        )
    if not inside:
        raise _not_found()
    return inside[0]


def _not_found() -> RequestError:
    return invalid("Tool choice 'function' not found in 'tools' parameter.", "tool_choice")


def _functions(tools: list[Tool]) -> Iterator[Function]:
    for tool in tools:
        if isinstance(tool, FunctionTool):
            yield tool
        elif isinstance(tool, CustomTool):
            yield Function(
                name=tool.name, description=tool.description, parameters=_CUSTOM_PARAMETERS
            )
        else:
            for part in tool.tools:
                if isinstance(part, NamespacedFunction):
                    yield _flat(tool, part)


def _flat(namespace: Namespace, function: NamespacedFunction) -> Function:
    if not isinstance(function.parameters, dict | None):
        raise RequestError(f"`parameters` of tool '{function.name}' must be an object.")
    return msgspec.structs.replace(function, name=flat_name(namespace.name, function.name))


def _read(tool: Any, index: int) -> Tool | None:
    """None for a tool that is not shown."""
    kind = tool.get("type") if isinstance(tool, dict) else None
    needs = _SERVER_TOOLS.get(kind) if isinstance(kind, str) else None
    if needs is not None and all(isinstance(tool.get(k), of) for k, of in needs.items()):
        return None
    try:
        found: Tool = msgspec.convert(tool, Tool, strict=False)
    except msgspec.ValidationError:
        raise _tool_fault(tool, index) from None
    return found


def _tool_fault(tool: Any, index: int) -> RequestError:
    """vLLM names what does not fit a function, whatever the tool was meant to be."""
    name, param = f"`tools.{index}`", f"body.tools.{index}.FunctionTool"
    if not isinstance(tool, dict):
        return schema_error(f"{name} must be an object.", param)
    try:
        convert(tool, FunctionTool if tool.get("type") == "function" else Head)
    except RequestError as error:
        path = (error.param or "").removeprefix("body")
        return schema_error(f"{name} is no tool that is known here: {error.message}", param + path)
    return schema_error(f"{name} is no tool that is known here.", f"{param}.type")
