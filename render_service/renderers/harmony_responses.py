"""A Responses request for gpt-oss: its items to harmony messages.

Source of the rules: vLLM 0.33.0's `_render_responses_with_harmony` (`renderers/online_renderer.py`)
and `entrypoints/openai/responses/harmony.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from ..errors import RequestError
from ..protocol.fields import invalid
from ..protocol.response_items import (
    CallOutput,
    CustomCall,
    CustomCallOutput,
    FunctionCall,
    Item,
    Other,
    OutputMessage,
    OutputText,
    Reasoning,
)
from ..protocol.response_tools import FunctionTool
from ..protocol.responses import ResponsesRequest
from .harmony import Message
from .harmony_chat import ROLES, HarmonyRenderer, flat_text, texts_of, tool_call, tool_result
from .harmony_tools import Function

OWN_TOOLS = frozenset(("web_search_preview", "code_interpreter", "container"))
"""Tools that the model was trained to use; the render server has none of them to offer."""

INSTRUCTIONS = ("system", "developer")


def responses_prompt(
    renderer: HarmonyRenderer, request: ResponsesRequest, effort: str | None
) -> list[int]:
    """effort: as mapped, None for the default. RequestError (400)."""
    instructions, given = request.body.instructions, request.input
    functions = _functions(request)
    if instructions is None and isinstance(given, list) and given:
        first = given[0]
        if isinstance(first, dict) and first["role"] in INSTRUCTIONS:
            instructions, given = flat_text(first["content"]), given[1:]
    messages = renderer.preamble(instructions, functions, effort)
    earlier = [m for each in request.body.previous_input_messages or () for m in _earlier(each)]
    messages += [message for message in earlier if message.role not in INSTRUCTIONS]
    if not isinstance(given, str):
        messages += _conversation(renderer, given, bool(functions))
    elif given or not request.body.previous_input_messages:
        messages.append(Message("user", (given,)))
    return renderer.encoding.prompt(messages)


def _functions(request: ResponsesRequest) -> list[Function]:
    kinds = [tool["type"] for tool in request.body.tools]
    if all(kind in OWN_TOOLS or kind == "mcp" for kind in kinds):
        return []
    for kind in kinds:
        if kind != "function" and kind not in OWN_TOOLS:
            raise invalid(f"tool type {kind!r} is not supported.", "tools")
    return [
        Function(tool.name, tool.description or "", tool.parameters)
        for tool in request.tools
        if isinstance(tool, FunctionTool)
    ]


def _conversation(
    renderer: HarmonyRenderer, items: list[Item], functions: bool
) -> Iterator[Message]:
    names: dict[str | None, str] = {}
    for item in items:
        if isinstance(item, dict):
            yield from _message(renderer, item, functions)
        elif isinstance(item, OutputMessage):
            texts = (p.text if isinstance(p, OutputText) else "" for p in item.content)
            yield Message("assistant", tuple(texts), channel="final")
        elif isinstance(item, Reasoning):
            if item.content:
                yield Message("assistant", ("\n".join(item.content),), channel="analysis")
        elif isinstance(item, FunctionCall):
            names[item.call_id] = item.name
            yield tool_call(item.name, item.arguments)
        elif isinstance(item, CallOutput) and not isinstance(item, CustomCallOutput):
            if item.call_id not in names:
                raise _refused(f"No call message found for {item.call_id}")
            text = flat_text(msgspec.to_builtins(item.output)) or ""
            yield tool_result(f"functions.{names[item.call_id]}", text)
        else:
            raise _refused(f"Unknown input type: {_type_of(item)}")


def _message(renderer: HarmonyRenderer, item: dict[str, Any], functions: bool) -> Iterator[Message]:
    role, content = item["role"], item["content"]
    if role not in INSTRUCTIONS:
        channel = "final" if role == "assistant" else None
        yield Message(role, texts_of(content) if content else ("",), channel=channel)
    elif text := flat_text(content):
        yield from renderer.later_instructions(role, text, functions)


def _type_of(item: Item) -> str | None:
    if isinstance(item, Other):
        return item.type
    return "custom_tool_call" if isinstance(item, CustomCall) else "custom_tool_call_output"


def _refused(message: str) -> RequestError:
    return RequestError(f"{message} (parameter=input)", type="invalid_request_error", param="input")


def _earlier(message: dict[str, Any]) -> Iterator[Message]:
    """One of `previous_input_messages`, in harmony's form or a chat's."""
    content = message.get("content")
    if not isinstance(content, (str, list)):
        content = ""
    author = message.get("author")
    if isinstance(author, dict):
        yield Message(
            _role(author.get("role")),
            texts_of(content),
            name=_word(author.get("name")),
            channel=_word(message.get("channel")),
            recipient=_word(message.get("recipient")),
            content_type=_word(message.get("content_type")),
        )
        return
    if message.get("role") is None:
        raise invalid(f"Message has no 'role' key: {message}", "input")
    role, calls = _role(message["role"]), message.get("tool_calls")
    if role == "assistant" and isinstance(calls, list) and calls:
        for call in calls:
            function = call.get("function") if isinstance(call, dict) else None
            given = function if isinstance(function, dict) else {}
            yield tool_call(_word(given.get("name")) or "", _word(given.get("arguments")) or "")
    elif role == "tool":
        name = _word(message.get("name")) or ""
        if name and not name.startswith("functions."):
            name = f"functions.{name}"
        yield tool_result(name, flat_text(content) or "")
    else:
        yield Message(role, texts_of(content))


def _role(role: Any) -> str:
    if role not in ROLES:
        raise RequestError(f"Unknown role: {role!r}. Harmony has {', '.join(ROLES)}.")
    found: str = role
    return found


def _word(value: Any) -> str | None:
    """None for nothing, as an empty text is."""
    if value is not None and not isinstance(value, str):
        raise RequestError("Fields of a harmony message must be strings.")
    return value or None
