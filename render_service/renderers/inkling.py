"""Inkling: a chat as token IDs.

Source of the rules: vLLM 0.33.0's `renderers/inkling*.py`. A message is its role's token, the
author's name where it has one, its kind's token, its text and the end token. Text is tokenized as
always: what spells a special token in it becomes one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import RequestError
from ..hub import StartupError
from ..messages import Message, conversation
from .chat import Chat

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

ROLES = {
    "user": "<|message_user|>",
    "assistant": "<|message_model|>",
    "system": "<|message_system|>",
    "developer": "<|message_system|>",
    "tool": "<|message_tool|>",
}
KINDS = {
    "text": "<|content_text|>",
    "thinking": "<|content_thinking|>",
    "xml": "<|content_xml|>",
    "call": "<|content_invoke_tool_json|>",
}
END, END_SAMPLING = "<|end_message|>", "<|content_model_end_sampling|>"
# vLLM wants these of a tokenizer, too; only models that see and hear write them.
MEDIA = ("<|content_image|>", "<|content_audio_input|>", "<|audio_end|>")
# The name in the published vocabulary, where it is another.
SPELLINGS = {"<|content_xml|>": "<|unused_200024|>"}

EFFORTS = {
    "none": 0.0,
    "minimal": 0.1,
    "low": 0.2,
    "medium": 0.7,
    "high": 0.9,
    "xhigh": 0.99,
    "max": 0.99,
}
DEFAULT_EFFORT, HIGHEST_EFFORT = 0.9, 0.99


class Block(NamedTuple):
    """role: of ROLES. kind: of KINDS. author: a tool's name."""

    role: str
    kind: str
    text: str
    author: str = ""


class InklingRenderer:
    facts: Mapping[str, Any] = {"renderer": "inkling"}

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        tokens = {*ROLES.values(), *KINDS.values(), END, END_SAMPLING, *MEDIA}
        found = {
            token: tokenizer.token_to_id(token)
            if tokenizer.token_to_id(token) is not None
            else tokenizer.token_to_id(SPELLINGS.get(token, token))
            for token in tokens
        }
        missing = sorted(token for token, index in found.items() if index is None)
        if missing:
            raise StartupError(f"the tokenizer has no {', '.join(missing)}: inkling needs them")
        self._ids = {token: index for token, index in found.items() if index is not None}

    def render(self, chat: Chat) -> list[int]:
        # Refuses what no text model takes.
        seen = conversation(chat.messages, content_format="string")
        if chat.kwargs.get("continue_final_message"):
            raise RequestError("Inkling renderer does not support continue_final_message")
        ids: list[int] = []
        for item in _items(chat, seen):
            ids += [self._ids[item]] if isinstance(item, str) else self._block(item)
        if chat.kwargs.get("add_generation_prompt", True):
            ids.append(self._ids[ROLES["assistant"]])
        return ids

    def _block(self, block: Block) -> list[int]:
        return [
            self._ids[ROLES[block.role]],
            *(self._encode(block.author) if block.author else ()),
            self._ids[KINDS[block.kind]],
            *self._encode(block.text),
            self._ids[END],
        ]

    def _encode(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, add_special_tokens=False)


def _items(chat: Chat, conversation: list[Message]) -> Iterator[Block | str]:
    """Blocks, and single tokens. conversation: the same, for the calls' arguments."""
    tools = [*(chat.kwargs.get("tools", chat.tools) or ())]
    for message in chat.messages:
        if message["role"] == "developer" and isinstance(message.get("tools"), list):
            tools += message["tools"]
    if tools:
        yield Block("system", "xml", _json(list(map(_declared, tools))), "tool_declare")
    effort = _effort(chat.kwargs.get("reasoning_effort"))
    names: dict[str, str] = {}
    for message, seen in zip(chat.messages, conversation, strict=True):
        role = message["role"]
        if role not in ROLES:
            raise RequestError(
                f"unsupported Inkling message role {role!r}; expected one of {sorted(ROLES)}"
            )
        if role not in ("system", "developer") and effort is not None:
            yield _effort_block(effort)
            effort = None
        if role == "tool":
            name = message.get("name") or names.get(message.get("tool_call_id") or "", "")
            text = "".join(_texts(message.get("content")))
            yield Block("tool", "text", text, str(name))
        elif role == "assistant":
            yield from _assistant(message, seen.get("tool_calls") or (), names)
        else:
            yield from (Block(role, "text", text) for text in _texts(message.get("content")))
    if effort is not None:
        yield _effort_block(effort)


def _assistant(
    message: Mapping[str, Any], calls: Iterable[Mapping[str, Any]], names: dict[str, str]
) -> Iterator[Block | str]:
    """names: of tools by a call's ID; those of the message are added."""
    reasoning = message.get("reasoning")
    if reasoning:
        if not isinstance(reasoning, str):
            raise RequestError("assistant reasoning_content must be a string for Inkling rendering")
        yield Block("assistant", "thinking", reasoning)
    yield from (Block("assistant", "text", text) for text in _texts(message.get("content")))
    for call in calls:
        name = call["function"]["name"]
        if call.get("id"):
            names[call["id"]] = name
        arguments = _json(call["function"]["arguments"])
        text = f'{{"name":{json.dumps(name, ensure_ascii=False)},"args":{arguments}}}'
        yield Block("assistant", "call", text, name)
    yield END_SAMPLING


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        if content:
            yield content
        return
    for part in content or ():
        if isinstance(part, str):
            yield part
        elif part.get("type") in (None, "text", "input_text"):
            text = part.get("text", "")
            yield text if isinstance(text, str) else ""
        else:
            raise RequestError(f"unsupported content part type: {part.get('type')!r}")


def _declared(tool: Any) -> dict[str, Any]:
    function = tool.get("function") if isinstance(tool, dict) else None
    if not isinstance(function, dict) or "name" not in function:
        raise RequestError("Tools must be a list of objects, each with a named `function`.")
    return {
        "description": function.get("description") or "",
        "name": function["name"],
        "parameters": function.get("parameters") or {},
        "type": tool.get("type", "function"),
    }


def _json(value: Any) -> str:
    try:
        return json.dumps(
            value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True
        )
    except (TypeError, ValueError) as error:  # keys that cannot be sorted, numbers that are none
        raise RequestError(str(error)) from error


def _effort(value: Any) -> float | None:
    """None says nothing of effort: for names and values that are no number."""
    if value is None:
        return DEFAULT_EFFORT
    if isinstance(value, str):
        return EFFORTS.get(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if not 0 <= value <= HIGHEST_EFFORT:
        raise RequestError(f"Inkling reasoning_effort must be in [0.0, 0.99], got {float(value)}")
    return float(value)


def _effort_block(effort: float) -> Block:
    text = f"{effort:.2f}".rstrip("0").rstrip(".")
    return Block("system", "text", f"Thinking effort level: {'0.0' if text == '0' else text}")
