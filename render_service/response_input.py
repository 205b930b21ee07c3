"""The input of a Responses request as chat messages.

Rule: what the model did in one turn (thought, said, called) comes as several items and becomes one
assistant message, as far as its fields are still free. Source: vLLM 0.33.0's
`construct_input_messages` (`openai/responses/utils.py`).
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from .messages import Message
from .protocol.fields import invalid
from .protocol.response_items import (
    OPEN,
    CallOutput,
    CustomCall,
    FunctionCall,
    Item,
    Other,
    OutputMessage,
    OutputText,
    Reasoning,
)
from .protocol.response_tools import CUSTOM_INPUT, flat_name


def chat_messages(instructions: str | None, given: str | list[Item]) -> list[Message]:
    """RequestError (400) for items that no chat has."""
    messages: list[Message] = []
    if instructions:
        messages.append({"role": "system", "content": instructions})
    if isinstance(given, str):
        return [*messages, {"role": "user", "content": given}]
    turns: list[Message] = []
    for item in given:
        _add(item, turns)
    return messages + turns


def is_unfinished(given: str | list[Item]) -> bool:
    """Whether the last message is to be continued instead of a new one begun."""
    if isinstance(given, str) or not given:
        return False
    last = given[-1]
    if isinstance(last, dict):
        return last.get("status") in OPEN
    return isinstance(last, (OutputMessage, Reasoning)) and last.status in OPEN


def _add(item: Item, turns: list[Message]) -> None:
    if isinstance(item, dict):
        _add_message(item, turns)
    elif isinstance(item, OutputMessage):
        _add_field("content", _words(item), turns)
    elif isinstance(item, Reasoning):
        _add_field("reasoning", _thought(item), turns)
    elif isinstance(item, CallOutput):
        turns.append({"role": "tool", "content": _result(item), "tool_call_id": item.call_id})
    elif isinstance(item, Other):
        raise invalid(f"Unsupported input item type: {item.type}", "input")
    else:
        _add_call(item, turns)


def _add_message(item: dict[str, Any], turns: list[Message]) -> None:
    if item["role"] != "assistant":
        turns.append(item)
        return
    content = item["content"]
    text = content[0].get("text") if content and isinstance(content, list) else content
    if isinstance(text, str):
        _add_field("content", text, turns)
    else:
        turns.append({"role": "assistant", "content": content})


def _add_field(field: str, value: str, turns: list[Message]) -> None:
    """To the assistant's message where it still lacks the field, else as a new one."""
    last = turns[-1] if turns else None
    if last is not None and last["role"] == "assistant" and last.get(field) is None:
        last[field] = value
    else:
        turns.append({"role": "assistant", field: value})


def _add_call(item: FunctionCall | CustomCall, turns: list[Message]) -> None:
    if isinstance(item, FunctionCall):
        name = flat_name(item.namespace, item.name) if item.namespace else item.name
        arguments = item.arguments
    else:
        name = item.name
        arguments = json.dumps({CUSTOM_INPUT: item.input}, ensure_ascii=False)
    call = {
        "id": item.call_id,
        "function": {"name": name, "arguments": arguments},
        "type": "function",
    }
    if turns and turns[-1]["role"] == "assistant":
        turns[-1].setdefault("tool_calls", []).append(call)
    else:
        turns.append({"role": "assistant", "tool_calls": [call]})


def _words(item: OutputMessage) -> str:
    """The first part of what the model said, as in vLLM."""
    if not item.content:
        return ""
    part = item.content[0]
    return part.text if isinstance(part, OutputText) else part.refusal


def _thought(item: Reasoning) -> str:
    if item.encrypted:
        raise invalid("Encrypted content is not supported.", "input")
    parts = item.content or item.summary
    return parts[0] if parts else ""


def _result(item: CallOutput) -> Any:
    if isinstance(item.output, str):
        return item.output
    return msgspec.to_builtins(item.output)
