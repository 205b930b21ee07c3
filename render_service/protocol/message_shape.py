"""The shape of chat messages: what pydantic refuses in vLLM's `list[ChatCompletionMessageParam]`.

Rule: messages stay dicts; only what vLLM's schema refuses is refused, with its `param`. That is
the path through the first member of pydantic's union, hence the name of the developer message in
every one. Content parts are not looked at here: `messages.conversation` reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import RequestError, schema_error

_OPENAI_ROLES = frozenset({"developer", "system", "user", "assistant", "tool", "function"})
_PLAIN = ("user", "assistant", "system")
_WITHOUT_CALLS = frozenset({"developer", "system", "user"})
"""Roles whose `tool_calls` nobody looks at."""
_TEXT_PARTS = frozenset({"text", "input_text", "output_text", "refusal", "thinking"})
_UNION = "ChatCompletionDeveloperMessageParam"
_CALL = "ChatCompletionMessageFunctionToolCallParam"


def read_messages(messages: Any) -> None:
    """Old names become new ones, then as `check_messages`."""
    _rename_reasoning(messages)
    check_messages(messages)


def check_messages(messages: Any) -> None:
    """Refuse messages of a wrong shape; tool calls get vLLM's order of keys. RequestError (400)."""
    if messages is None or isinstance(messages, (bool, int, float)):
        raise RequestError("`messages` must be an array of messages.")
    if not isinstance(messages, list):
        raise schema_error("`messages` must be an array of messages.", "body.messages")
    for index, message in enumerate(messages):
        if _is_plain(message):
            continue
        fault = _fault(message)
        if fault is not None:
            field, text = fault
            raise schema_error(
                f"`messages.{index}` {text}.", f"body.messages.{index}.{_UNION}{field}"
            )
    for message in messages:
        calls = message.get("tool_calls")
        if calls is not None and not isinstance(calls, (list, str, dict)):
            raise RequestError("`tool_calls` must be an array of tool calls.")
        if calls is not None and message["role"] not in _WITHOUT_CALLS:
            message["tool_calls"] = _read_calls(calls)


def _rename_reasoning(messages: Any) -> None:
    """`reasoning_content` is the deprecated name of `reasoning`."""
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict) and "reasoning_content" in message:
            old = message.pop("reasoning_content")
            if old is not None and message.get("reasoning") is None:
                message["reasoning"] = old


def history_tool_calls(messages: Iterable[dict[str, Any]]) -> int:
    """Calls already in the conversation, for models that number them."""
    calls = 0
    for message in messages:
        if message.get("role") == "assistant":
            calls += len(message.get("tool_calls") or ())
    return calls


def has_media(messages: Iterable[dict[str, Any]]) -> bool:
    """Whether a message has a content part that is not text."""
    return any(
        isinstance(part, dict) and str(part.get("type", "text")) not in _TEXT_PARTS
        for message in messages
        if isinstance(parts := message.get("content"), list)
        for part in parts
    )


def all_plain(messages: Any) -> bool:
    """Whether they are texts of the usual roles and nothing else, right as they are."""
    return type(messages) is list and all(map(_is_plain, messages))


def _is_plain(message: Any) -> bool:
    """Text of one of the three, as most of them: found out in a third of the time."""
    return (
        type(message) is dict
        and len(message) == 2
        and type(message.get("content")) is str
        and message.get("role") in _PLAIN
    )


def _fault(message: Any) -> tuple[str, str] | None:
    """The field that vLLM names, and what is wrong; None where some message type fits."""
    if not isinstance(message, dict):
        return "", "must be an object with `role` and `content`"
    role, content = message.get("role"), message.get("content")
    is_text_or_parts = isinstance(content, (str, list))
    if not isinstance(role, str):
        return (".role" if is_text_or_parts else ".content"), "must have a `role`, a string"
    if isinstance(content, dict):  # pydantic iterates its keys, and fails later
        raise RequestError("`content` must be a string or an array of content parts.")
    if (role in _OPENAI_ROLES and _fits(role, message)) or _fits_any_role(message):
        return None
    if not is_text_or_parts:
        return ".content", "must have `content`, a string or an array of content parts"
    field = ".name" if role == "developer" else ".role"
    return field, f"is not a valid {role} message: `name` and such must be strings"


def _fits(role: str, message: dict[str, Any]) -> bool:
    content, name = message.get("content"), message.get("name", "")
    if not isinstance(name, str) and role not in ("tool",):
        return False
    if role == "assistant":
        return content is None or isinstance(content, (str, list))
    if role == "function":
        return "content" in message and isinstance(content, str | None) and "name" in message
    if role == "tool" and not isinstance(message.get("tool_call_id"), str):
        return False
    return isinstance(content, (str, list))


def _fits_any_role(message: dict[str, Any]) -> bool:
    """vLLM's own message type, which takes any role and does without content."""
    return (
        isinstance(message.get("content", ""), (str, list))
        and isinstance(message.get("name", ""), str)
        and isinstance(message.get("tool_call_id"), str | None)
        and isinstance(message.get("task"), str | None)
        and isinstance(message.get("reasoning"), str | dict | None)
        and isinstance(message.get("tools"), list | None)
    )


def _read_calls(calls: list[Any] | str | dict[str, Any]) -> list[dict[str, Any]]:
    """The calls, keys in the order of vLLM's request models."""
    # pydantic iterates whatever it can: letters and keys are not calls either.
    for index, call in enumerate(calls):
        fault = _call_fault(call)
        if fault is not None:
            raise schema_error(
                f"`tool_calls.{index}` must be an object with `id`, `type` and "
                "`function` (`name` and `arguments`, both strings).",
                f"body.{index}.{_CALL}{fault}",
            )
    return [_call(call) for call in calls if isinstance(call, dict)]


def _call(call: dict[str, Any]) -> dict[str, Any]:
    if isinstance(call.get("function"), dict):
        call = {**call, "function": ordered(call["function"], "arguments", "name")}
    return ordered(call, "id", "function", "type")


def ordered(mapping: Mapping[str, Any], *first: str) -> dict[str, Any]:
    """With these keys first."""
    return {key: mapping[key] for key in first if key in mapping} | dict(mapping)


def _call_fault(call: Any) -> str | None:
    if not isinstance(call, dict):
        return ""
    if call.get("type") == "custom" and isinstance(call.get("custom"), dict):
        return None
    if not isinstance(call.get("id"), str):
        return ".id"
    function = call.get("function")
    # pydantic's path loses the word "arguments", one of those it uses itself.
    if not isinstance(function, dict) or not isinstance(function.get("arguments"), str):
        return ".function"
    if not isinstance(function.get("name"), str):
        return ".function.name"
    return None if call.get("type") == "function" else ".type"
