"""Messages as DeepSeek V4 and V4.1 see them: tool results are parts of a user's turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from ..errors import RequestError
from ..messages import Message
from .dsml import Call, calls_of

IMAGE = "<｜deepseek_image｜>"
V41_ROLES = ("system", "developer", "user", "assistant", "tool")
TEXT_PARTS = ("text", "input_text", "output_text")


class Part(NamedTuple):
    """A text of a user, or the result of a tool call. call: its ID, None for a text."""

    text: str
    call: str | None = None


@dataclass(slots=True)
class Turn:
    """parts: of a user's turn. tools: that it declares. task: what a classifier is asked for.

    schema: what answers must adhere to. open: an answer that goes on. V4.1 only, as fields of
    the client's messages: `response_format` and `wo_eos`.
    """

    role: str
    text: str = ""
    parts: list[Part] = field(default_factory=list)
    tools: Any = None
    calls: list[Call] = field(default_factory=list)
    reasoning: str = ""
    task: str | None = None
    schema: Any = None
    open: bool = False

    @property
    def only_results(self) -> bool:
        return bool(self.parts) and all(part.call is not None for part in self.parts)


def v4_turns(conversation: Iterable[Message]) -> list[Turn]:
    """conversation: as `messages.conversation` gives it, content as parts."""
    found = (
        _turn(message, _flat_result if message["role"] == "tool" else _flat, calls_of(message))
        for message in conversation
    )
    return _in_call_order(_merged(found))


def v41_turns(messages: Iterable[Mapping[str, Any]], conversation: list[Message]) -> list[Turn]:
    """messages: as the client wrote them. conversation: the same, for the calls' arguments."""
    pairs = zip(messages, conversation, strict=True)
    return _in_call_order(_merged(_v41_turn(message, calls_of(seen)) for message, seen in pairs))


def _v41_turn(message: Mapping[str, Any], calls: list[Call]) -> Turn:
    if message["role"] not in V41_ROLES:
        raise RequestError(f"Invalid role: {message['role']}")
    _refuse_image(message.get("reasoning"))
    turn = _turn(message, _v41_text, calls)
    turn.schema = message.get("response_format")
    turn.open = bool(message.get("wo_eos"))
    blocks = message.get("content_blocks")
    if message["role"] == "user" and blocks is not None:
        turn.parts = list(map(_block, blocks if isinstance(blocks, list) else [blocks]))
    return turn


def _block(block: Any) -> Part:
    """A part that the client made itself."""
    if not isinstance(block, dict):
        raise RequestError("`content_blocks` must be an array of objects.")
    if block.get("type") == "text":
        return Part(_v41_text([block]))
    if block.get("type") == "tool_result":
        return Part(_flat_blocks(block.get("content", "")), str(block.get("tool_use_id", "")))
    return Part(f"[Unsupported {block.get('type')}]")


def _flat_blocks(content: Any) -> str:
    if not isinstance(content, list):
        return str(content)
    if not all(isinstance(part, dict) and isinstance(part.get("type"), str) for part in content):
        raise RequestError("The content of a tool result must be an array of typed objects.")
    return _flat_result(content)


def _turn(message: Mapping[str, Any], flat: Any, calls: list[Call]) -> Turn:
    role = message["role"]
    text = flat(message.get("content"))
    parts = []
    if role == "tool":
        role, parts = "user", [Part(text, message.get("tool_call_id") or "")]
    elif role == "user":
        parts = [Part(text)]
    return Turn(
        role,
        text,
        parts,
        tools=message.get("tools"),
        calls=calls,
        reasoning=message.get("reasoning") or "",
        task=message.get("task"),
    )


def _flat(content: Any) -> str:
    if isinstance(content, str):
        return content
    for part in content:
        if part["type"] != "text":
            raise RequestError(f"Unsupported content block type: {part['type']!r}")
    return "\n\n".join(part["text"] or "" for part in content)


def _flat_result(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n\n".join(
        part["text"] or "" if part["type"] == "text" else f"[Unsupported {part['type']}]"
        for part in content
    )


def _v41_text(content: Any) -> str:
    parts = [content] if isinstance(content, str) else content or ()
    texts = []
    for part in parts:
        if isinstance(part, dict):
            if part.get("type") not in TEXT_PARTS:
                raise RequestError(
                    f"DeepSeek V4.1 supports text and image content only; got {part.get('type')!r}"
                )
            part = part.get("text", "")
        if not isinstance(part, str):
            raise RequestError("The text of a content part must be a string.")
        texts.append(part)
        _refuse_image(part)
    return "\n\n".join(texts)


def _refuse_image(text: Any) -> None:
    if isinstance(text, str) and IMAGE in text:
        raise RequestError(
            f"Message text contains image special token {IMAGE!r}; "
            "provide images as image content parts."
        )


def _merged(turns: Iterable[Turn]) -> list[Turn]:
    """What a user says and what tools answer in a row is one turn, but for a task."""
    merged: list[Turn] = []
    for turn in turns:
        last = merged[-1] if merged else None
        joins = last is not None and last.role == turn.role == "user"
        if last is not None and joins and (turn.only_results or last.task is None):
            last.parts += turn.parts
        else:
            merged.append(turn)
    return merged


def _in_call_order(turns: list[Turn]) -> list[Turn]:
    """Results stand in the order of the calls that they answer."""
    order: dict[str, int] = {}
    found = []
    for turn in turns:
        if turn.role == "assistant" and turn.calls:
            order = {call.id: place for place, call in enumerate(turn.calls) if call.id}
        elif turn.role == "user" and order:
            results = [part for part in turn.parts if part.call is not None]
            inorder = iter(sorted(results, key=lambda part: order.get(part.call or "", 0)))
            turn = replace(turn, parts=list(_placed(turn.parts, inorder)))
        found.append(turn)
    return found


def _placed(parts: list[Part], results: Iterator[Part]) -> Iterator[Part]:
    for part in parts:
        yield part if part.call is None else next(results)
