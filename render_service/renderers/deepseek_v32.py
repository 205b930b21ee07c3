"""DeepSeek V3.2: a chat as text.

Source of the rules: vLLM 0.33.0's `tokenizers/deepseek_v32*.py`. Neither `add_generation_prompt`
nor `continue_final_message` has an effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import RequestError
from ..messages import Message, conversation
from .chat import Chat
from .dsml import DSML, Tags, calls_of, calls_text, tool_schemas

BEGIN, END = "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>"
USER, ASSISTANT = "<｜User｜>", "<｜Assistant｜>"
THINK, END_THINK = "<think>", "</think>"
TAGS = Tags("function_calls", "invoke", "parameter")
KEPT_ROLES = ("user", "system", "tool")

# ruff: noqa: E501  (the model's own lines)
TOOLS = f"""## Tools
You have access to a set of tools you can use to answer the user's question.
You can invoke functions by writing a "<{DSML}function_calls>" block like the following as part of your reply to the user:
<{DSML}function_calls>
<{DSML}invoke name="$FUNCTION_NAME">
<{DSML}parameter name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</{DSML}parameter>
...
</{DSML}invoke>
<{DSML}invoke name="$FUNCTION_NAME2">
...
</{DSML}invoke>
</{DSML}function_calls>
String and scalar parameters should be specified as is without any escaping or quotes, while lists and objects should use JSON format. The "string" attribute should be set to "true" for string type parameters and "false" for other types (numbers, booleans, arrays, objects).
If the thinking_mode is enabled, then after function results you should strongly consider outputting a thinking block. Here is an example:
<{DSML}function_calls>
...
</{DSML}function_calls>
<function_results>
...
</function_results>
{THINK}...thinking about results{END_THINK}
Here are the functions available in JSONSchema format:
<functions>
%s
</functions>
"""


class DeepseekV32Renderer:
    facts: Mapping[str, Any] = {"renderer": "deepseek_v32"}

    def render(self, chat: Chat) -> str:
        messages = conversation(chat.messages, content_format="string")
        tools = chat.kwargs.get("tools", chat.tools)
        if tools:
            messages.insert(0, {"role": "system", "content": "", "tools": tools})
        if not messages:
            raise RequestError("A chat must have at least one message.")
        thinking = bool(chat.kwargs.get("thinking") or chat.kwargs.get("enable_thinking"))
        return _Conversation(messages, thinking).text()


class _Conversation:
    """turn: the index of the last message of a user or developer, -1 for none."""

    def __init__(self, messages: list[Message], thinking: bool) -> None:
        self.count = len(messages)
        self.thinking = thinking
        if thinking and messages[-1]["role"] == "user":
            messages = _without_old_thoughts(messages, _last_turn(messages))
        self.messages = messages
        self.turn = _last_turn(messages)

    def text(self) -> str:
        left = len(self.messages)
        text = BEGIN + "".join(map(self._message, range(left)))
        if left < self.count:
            # vLLM counts the messages before some are left out, and falls over the end.
            raise RequestError(f"Index {left} out of range for messages list of length {left}")
        return text

    def _message(self, index: int) -> str:
        message = self.messages[index]
        role, content = message["role"], message["content"]
        tools = message.get("tools")
        section = f"\n\n{TOOLS % tool_schemas(tools)}" if tools else ""
        match role:
            case "system":
                return f"{content}{section}"
            case "developer":
                if not content:
                    raise RequestError(f"Invalid message for role `{role}`: {message}")
                return self._asked(index, f"{section}\n\n# The user's message is: {content}")
            case "user":
                return self._asked(index, content)
            case "tool":
                return self._result(index)
            case "assistant":
                return self._answer(index)
        raise RequestError(f"Invalid role: {role}")

    def _asked(self, index: int, content: str) -> str:
        opens = index == self.turn and self.thinking
        return f"{USER}{content}{ASSISTANT}{THINK if opens else END_THINK}"

    def _result(self, index: int) -> str:
        before = index - 1
        while before >= 0 and self.messages[before]["role"] == "tool":
            before -= 1
        caller = self.messages[before]  # -1, where nothing is before: vLLM looks at the last, too
        if index and (before < 0 or caller["role"] != "assistant"):
            raise RequestError(f"Invalid messages at {index}:\n{caller}")
        number, calls = index - before, caller.get("tool_calls") or ()
        if number > len(calls):
            raise RequestError("No tool calls but found tool output")
        text = "\n\n<function_results>" if number == 1 else ""
        text += f"\n<result>{self.messages[index]['content']}</result>"
        if number == len(calls):
            opens = index >= self.turn and self.thinking
            text += f"\n</function_results>\n\n{THINK if opens else END_THINK}"
        return text

    def _answer(self, index: int) -> str:
        message = self.messages[index]
        reasoning, calls = message.get("reasoning"), calls_of(message)
        thoughts = ""
        if self.thinking and index > self.turn:
            if not (reasoning or calls):
                raise RequestError(
                    "ThinkingMode: thinking, invalid message without reasoning/tool_calls "
                    f"`{message}` after last user message"
                )
            thoughts = f"{reasoning or ''}{END_THINK}"
        section = f"\n\n{calls_text(calls, TAGS)}" if calls else ""
        return f"{thoughts}{message['content']}{section}{END}"


def _last_turn(messages: list[Message]) -> int:
    turns = [i for i, m in enumerate(messages) if m["role"] in ("user", "developer")]
    return turns[-1] if turns else -1


def _without_old_thoughts(messages: list[Message], turn: int) -> list[Message]:
    """Reasoning before the last turn goes, and messages of developers with it."""
    return [
        {name: value for name, value in message.items() if name != "reasoning"}
        if message["role"] == "assistant" and index < turn
        else message
        for index, message in enumerate(messages)
        if index >= turn or message["role"] in (*KEPT_ROLES, "assistant")
    ]
