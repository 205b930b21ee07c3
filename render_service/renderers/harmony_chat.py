"""A chat for gpt-oss: OpenAI messages to harmony messages.

Source of the rules: vLLM 0.33.0's `_make_request_with_harmony` (`renderers/online_renderer.py`) and
`entrypoints/openai/parser/harmony_utils.py`. Template and template arguments have no say.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..errors import RequestError
from ..protocol.fields import invalid
from .chat import Chat
from .harmony import IDENTITY, HarmonyEncoding, Message, developer_text, system_text
from .harmony_tools import Function

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer

EFFORTS = ("high", "medium", "low")
DEFAULT_EFFORT = "medium"
ROLES = ("system", "developer", "user", "assistant", "tool")


class HarmonyRenderer:
    """date: of the prompt, as YYYY-MM-DD; None for today. Replicas should share it.

    system_instructions: they go into the system message instead of the developer's.
    """

    def __init__(
        self, tokenizer: Tokenizer, *, date: str | None = None, system_instructions: bool = False
    ) -> None:
        self.encoding = HarmonyEncoding(tokenizer)
        self.date = date
        self.system_instructions = system_instructions
        self.facts: Mapping[str, Any] = {
            "renderer": "harmony",
            "date": date,
            "system_instructions": system_instructions,
        }

    @classmethod
    def from_environment(cls, tokenizer: Tokenizer) -> HarmonyRenderer:
        """As vLLM's variables say."""
        own = os.environ.get("VLLM_GPT_OSS_HARMONY_SYSTEM_INSTRUCTIONS", "0")
        return cls(
            tokenizer,
            date=os.environ.get("VLLM_SYSTEM_START_DATE"),
            system_instructions=own not in ("", "0"),
        )

    def render(self, chat: Chat) -> list[int]:
        messages, instructions = chat.messages, None
        if messages and messages[0]["role"] in ("system", "developer"):
            instructions = flat_text(messages[0].get("content"))
            messages = messages[1:]
        functions = [_function(tool["function"]) for tool in chat.tools or ()]
        if chat.reasoning_effort == "none":
            raise invalid("Harmony does not support reasoning_effort='none'", "reasoning_effort")
        preamble = self.preamble(instructions, functions, chat.reasoning_effort)
        return self.encoding.prompt([*preamble, *self._conversation(messages, bool(functions))])

    def preamble(
        self,
        instructions: str | None,
        functions: list[Function] | None = None,
        effort: str | None = None,
    ) -> list[Message]:
        """The messages before a conversation. effort: as mapped, None for the default."""
        own, theirs = (instructions, None) if self.system_instructions else (None, instructions)
        found = [self._system(own, _effort(effort), bool(functions))]
        if theirs or functions:
            text = developer_text(theirs, functions or ())
            found.append(Message("developer", (text,)))
        return found

    def _system(self, instructions: str | None, effort: str, functions: bool) -> Message:
        text = system_text(
            effort=effort,
            date=self.date or datetime.now().strftime("%Y-%m-%d"),
            identity=IDENTITY if instructions is None else f"{IDENTITY}\n{instructions}",
            functions=functions,
        )
        return Message("system", (text,))

    def _conversation(self, messages: list[dict[str, Any]], functions: bool) -> Iterator[Message]:
        names = dict(_names(messages))
        for message in messages:
            role, content = message["role"], message.get("content")
            if role not in ROLES:
                raise RequestError(f"Unknown role: {role!r}. Harmony has {', '.join(ROLES)}.")
            if role == "assistant":
                yield from _assistant(message)
            elif role == "tool":
                name = names.get(message.get("tool_call_id", ""), "")
                yield tool_result(f"functions.{name}", flat_text(content) or "")
            elif role == "user":
                yield Message("user", texts_of(content))
            else:
                yield from self.later_instructions(role, flat_text(content), functions)

    def later_instructions(self, role: str, text: str | None, functions: bool) -> Iterator[Message]:
        """A system or developer message behind the first message."""
        if text is None:
            return
        if role == "system" and self.system_instructions:
            yield self._system(text, DEFAULT_EFFORT, functions)
        else:
            # As in vLLM: the developer's are left out, the message is not.
            shown = None if self.system_instructions else text
            yield Message("developer", (developer_text(shown),))


def _names(messages: list[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Of the functions that were called, by the call's ID. Only an assistant's calls are known to
    be calls.
    """
    for call in (call for message in messages for call in message.get("tool_calls") or ()):
        if isinstance(call, dict) and isinstance(call.get("id"), str):
            function = call.get("function")
            yield call["id"], function.get("name") if isinstance(function, dict) else None


def tool_call(name: str, arguments: str) -> Message:
    return Message(
        "assistant",
        (arguments,),
        channel="commentary",
        recipient=f"functions.{name}",
        content_type="json",
    )


def tool_result(author: str, text: str) -> Message:
    return Message("tool", (text,), name=author, channel="commentary", recipient="assistant")


def _assistant(message: dict[str, Any]) -> Iterator[Message]:
    calls = message.get("tool_calls")
    content = message.get("content")
    text = flat_text(content) if calls else None
    if text:
        yield Message("assistant", (text,), channel="commentary")
    reasoning = message.get("reasoning")
    if reasoning:
        yield Message("assistant", (_text(reasoning, "reasoning"),), channel="analysis")
    if calls:
        for call in calls:
            function = call.get("function") or {}
            yield tool_call(function.get("name", ""), function.get("arguments") or "")
        return
    texts = texts_of(content)
    if texts and texts[0]:
        yield Message("assistant", texts, channel="final")


def flat_text(content: Any) -> str | None:
    """The text of content, its parts joined; None where it has none."""
    if content is None or isinstance(content, str):
        return content
    texts = [
        part if isinstance(part, str) else _text(part["text"])
        for part in content
        if isinstance(part, str) or (isinstance(part, dict) and part.get("text") is not None)
    ]
    return "".join(texts) if texts else None


def texts_of(content: Any) -> tuple[str, ...]:
    """One text for each part; none where a part is no text."""
    if not content or isinstance(content, str):
        return (content or "",)
    return tuple(
        part
        if isinstance(part, str)
        else _text(part.get("text", ""))
        if isinstance(part, dict)
        else _text(part)
        for part in content
    )


def _text(value: Any, field: str = "text of a content part") -> str:
    if not isinstance(value, str):
        raise RequestError(f"The {field} must be a string.")
    return value


def _function(function: dict[str, Any]) -> Function:
    return Function(function["name"], function.get("description") or "", function.get("parameters"))


def _effort(effort: str | None) -> str:
    if effort is None:
        return DEFAULT_EFFORT
    if effort not in EFFORTS:
        raise invalid(
            f"reasoning_effort={effort!r} is not supported by Harmony. "
            f"Supported values are: {', '.join(EFFORTS)}.",
            "reasoning_effort",
        )
    return effort
