"""Kimi K3: its tokenizer, which is code of its own, renders chats to token IDs.

Source of the rules: vLLM 0.33.0's `renderers/kimi_k3.py`. Needs transformers, as in vLLM; the
published tokenizer also `--trust-remote-code`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from ..errors import RequestError
from ..messages import Message, conversation
from ..protocol.fields import ResponseFormat, invalid
from .chat import Chat, digest

if TYPE_CHECKING:
    from ..tokenizer_transformers import TransformersTokenizer

EFFORTS = ("low", "high", "max")


class KimiK3Renderer:
    """chat_template: --chat-template's text, for a tokenizer that renders by one."""

    def __init__(self, tokenizer: TransformersTokenizer, chat_template: str | None) -> None:
        self._render = tokenizer.apply_chat_template
        self._chat_template = chat_template
        # What renders is part of the tokenizer, which the fingerprint has; not so the template.
        self.facts: Mapping[str, Any] = {"renderer": "kimi_k3", "template": digest(chat_template)}

    def render(self, chat: Chat) -> list[int]:
        messages = list(
            _with_results_in_order(conversation(chat.messages, content_format="string"))
        )
        tools = {} if chat.tools is None else {"tools": chat.tools}
        kwargs = {**tools, **_with_thinking(chat.kwargs)}
        if chat.tool_choice not in (None, "auto"):
            kwargs["tool_choice"] = chat.tool_choice
        if chat.response_format is not None:
            kwargs["response_format"] = _shown(chat.response_format)
        template = chat.chat_template or self._chat_template
        if template is not None:
            kwargs["chat_template"] = template
        try:
            return self._render(messages, **{**kwargs, "tokenize": True, "return_dict": False})
        # The model's own code refuses a chat in any way that it likes.
        except Exception as error:
            raise RequestError(str(error)) from error


def _shown(wanted: ResponseFormat) -> dict[str, Any]:
    """As vLLM's model of it is written to JSON: set fields only, `schema` by another name."""
    found = _set_fields(wanted)
    if "json_schema" in found:
        schema = _set_fields(found["json_schema"])
        found["json_schema"] = {
            "json_schema" if name == "schema" else name: value for name, value in schema.items()
        }
    return found


def _set_fields(struct: msgspec.Struct) -> dict[str, Any]:
    fields = msgspec.structs.asdict(struct)
    return {name: value for name, value in fields.items() if value is not None}


def _with_thinking(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """`enable_thinking` and `reasoning_effort` by the names that the model's code has for them."""
    found = dict(kwargs)
    thinking = found.pop("enable_thinking", None)
    if thinking is not None:
        found.setdefault("thinking", thinking)
    effort = found.pop("reasoning_effort", None)
    if effort == "none":
        found.setdefault("thinking", False)
    elif effort is not None:
        found.setdefault("thinking_effort", effort)
    own = found.get("thinking_effort")
    if own is not None and own not in EFFORTS:
        raise invalid(
            f"Kimi K3 supports thinking_effort values: {', '.join(EFFORTS)}", "thinking_effort", own
        )
    return found


def _with_results_in_order(messages: list[Message]) -> Iterator[Message]:
    """Results of tools in the order of the calls, with the tool's name and the call's number."""
    at = 0
    while at < len(messages):
        message = messages[at]
        yield message
        at += 1
        if message["role"] == "assistant" and message.get("tool_calls"):
            end = at
            while end < len(messages) and messages[end]["role"] == "tool":
                end += 1
            yield from _in_order(messages[at:end], _calls(message["tool_calls"]))
            at = end


def _calls(calls: list[dict[str, Any]]) -> dict[str, tuple[int, str]]:
    """Place and name of a call, by its ID and by `name:place`. The first of a name counts."""
    found: dict[str, tuple[int, str]] = {}
    for place, call in enumerate(calls):
        name = call["function"]["name"]
        if name:
            for alias in filter(None, (call.get("id"), f"{name}:{place}")):
                found.setdefault(alias, (place, name))
    return found


def _in_order(results: list[Message], calls: Mapping[str, tuple[int, str]]) -> list[Message]:
    """As they are where one of them answers none of the calls."""
    found = [calls.get(result.get("tool_call_id") or "") for result in results]
    if None in found:
        return results
    targets = [target for target in found if target is not None]
    named = [
        {**result, "tool": name, "index": place + 1}
        for result, (place, name) in zip(results, targets, strict=True)
    ]
    return sorted(named, key=lambda result: int(result["index"]))
