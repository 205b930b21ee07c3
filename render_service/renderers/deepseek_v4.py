"""DeepSeek V4 and V4.1: a chat as text.

Source of the rules: vLLM 0.33.0's `tokenizers/deepseek_v4*.py` and `deepseek_v41*.py`. Neither
`add_generation_prompt` nor `continue_final_message` has an effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..errors import RequestError
from ..messages import conversation
from .chat import Chat
from .deepseek_turns import Part, Turn, v4_turns, v41_turns
from .deepseek_v32 import ASSISTANT, BEGIN, END, END_THINK, THINK, USER
from .dsml import DSML, Tags, calls_text, to_json, tool_schemas

REMINDER = "<｜latest_reminder｜>"
SYSTEM = "<｜System｜>"
FILL = ("<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>")
TASKS = ("action", "authority", "domain", "query", "read_url", "title")
KEPT_ROLES = ("user", "system", "latest_reminder", "direct_search_results")

# ruff: noqa: E501  (the model's own lines)
TOOLS = """## Tools

You have access to a set of tools to help answer the user's question. You can invoke tools by writing a "<{0}{1.calls}>" block like the following:

<{0}{1.calls}>
<{0}{1.call} name="$TOOL_NAME">
<{0}{1.argument} name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</{0}{1.argument}>
...
</{0}{1.call}>
<{0}{1.call} name="$TOOL_NAME2">
...
</{0}{1.call}>
</{0}{1.calls}>

String parameters should be specified as is and set `string="true"`. For all other types (numbers, booleans, arrays, objects), pass the value in JSON format and set `string="false"`.

If thinking_mode is enabled (triggered by {2}), you MUST output your complete reasoning inside {2}...{3} BEFORE any tool calls or final response.

Otherwise, output directly after {3} with tool calls or final response.

### Available Tool Schemas

{4}

You MUST strictly follow the above defined tool name and parameter schemas to invoke tool calls.
"""
ANSWER_FORMAT = (
    "## Response Format:\n\nYou MUST strictly adhere to the following schema to reply:\n"
)
EFFORTS = {
    "low": "",
    "high": (
        "Reasoning Effort: Absolute maximum with no shortcuts permitted.\n"
        "You MUST be very thorough in your thinking and comprehensively decompose the problem to resolve the root cause, rigorously stress-testing your logic against all potential paths, edge cases, and adversarial scenarios.\n"
        "Explicitly write out your entire deliberation process, documenting every intermediate step, considered alternative, and rejected hypothesis to ensure absolutely no assumption is left unchecked.\n\n"
    ),
    "max": (
        "Reasoning Effort: Beyond maximum — exhaustive, relentless, and uncompromising.\n"
        "You MUST reason with the utmost depth and rigor, leaving absolutely nothing to chance: exhaustively decompose the problem into its most fundamental components, trace every causal chain to its root, and resolve the underlying cause rather than any surface symptom.\n"
        "Do not stop reasoning until you have independently verified the solution from multiple angles and are certain that no assumption remains unchecked and no error remains undiscovered.\n\n"
    ),
}
LOWER_EFFORTS = ("low", "minimal", "medium")
BUDGET = (
    "Reasoning Effort: {} (range 1-100, the higher the value, the more thorough the reasoning)\n\n"
)
BUDGETS = {"low": 50, "high": 75, "xhigh": 75, "max": 100}


@dataclass(frozen=True, slots=True)
class Dialect:
    """system: the token before what is no turn of the conversation's.

    later_system: a system message behind the first asks like a user's.
    """

    tags: Tags
    system: str
    later_system: bool


V4 = Dialect(Tags("tool_calls", "invoke", "parameter"), "", later_system=False)
V41 = Dialect(Tags(" calls", " invoke", " parameter"), SYSTEM, later_system=True)


class DeepseekV4Renderer:
    facts: Mapping[str, Any] = {"renderer": "deepseek_v4"}

    def render(self, chat: Chat) -> str:
        turns = v4_turns(conversation(chat.messages, content_format="openai"))
        effort = chat.kwargs.get("reasoning_effort")
        thinks = _thinks(chat.kwargs)
        level = "high" if thinks else "low"
        if isinstance(effort, str):
            thinks = thinks and effort != "none"
            level = "low" if effort in LOWER_EFFORTS else "max" if effort == "max" else "high"
        return _text(V4, _with_tools(turns, chat), chat, EFFORTS[level] if thinks else None)

    def fill_in_the_middle(self, prompt: str, suffix: str) -> str:
        begin, hole, end = FILL
        return f"{begin}{prompt}{hole}{suffix}{end}"


class DeepseekV41Renderer(DeepseekV4Renderer):
    facts: Mapping[str, Any] = {"renderer": "deepseek_v41"}

    def render(self, chat: Chat) -> str:
        seen = conversation(chat.messages, content_format="openai")
        turns = _with_tools(v41_turns(chat.messages, seen), chat)
        effort = chat.kwargs.get("reasoning_effort")
        thinks = _thinks(chat.kwargs) and effort != "none"
        budget = BUDGETS["high"] if effort in (None, "none") else _budget(effort)
        return _text(V41, turns, chat, BUDGET.format(budget) if thinks else None)


def _thinks(kwargs: Mapping[str, Any]) -> bool:
    names = ("thinking", "enable_thinking")
    return not any(n in kwargs for n in names) or any(kwargs.get(n) for n in names)


def _budget(effort: Any) -> int:
    if isinstance(effort, str) and effort in BUDGETS:
        return BUDGETS[effort]
    if type(effort) is int and 1 <= effort <= 100:
        return effort
    raise RequestError(
        "DeepSeek V4.1 reasoning_effort must be low, high, xhigh, max, "
        "or an integer within [1, 100] in chat_template_kwargs"
    )


def _with_tools(turns: list[Turn], chat: Chat) -> list[Turn]:
    """The request's tools stand in the first system message, wherever that is."""
    tools = chat.kwargs.get("tools", chat.tools)
    if not tools:
        return turns
    at = next((i for i, turn in enumerate(turns) if turn.role == "system"), None)
    if at is None:
        return [Turn("system", tools=tools), *turns]
    return [*turns[:at], replace(turns[at], tools=tools), *turns[at + 1 :]]


def _text(dialect: Dialect, turns: list[Turn], chat: Chat, effort: str | None) -> str:
    """effort: what the prompt says of it, None for no thinking."""
    drops = bool(chat.kwargs.get("drop_thinking", True)) and not any(t.tools for t in turns)
    if effort is not None and drops:
        turns = _without_old_thoughts(turns, _last_asked(dialect, turns))
    return _Prompt(dialect, turns, effort, drops).text()


def _asks(dialect: Dialect, index: int, turn: Turn) -> bool:
    later = dialect.later_system and turn.role == "system" and index > 0
    return turn.role in ("user", "developer") or later


def _last_asked(dialect: Dialect, turns: list[Turn]) -> int:
    """The index of the last turn that asks, -1 for none."""
    asked = [
        index
        for index, turn in enumerate(turns)
        if _asks(dialect, index, turn) and not (dialect.later_system and turn.only_results)
    ]
    return asked[-1] if asked else -1


def _without_old_thoughts(turns: list[Turn], last: int) -> list[Turn]:
    """Reasoning before the last turn goes, and messages of developers with it."""
    return [
        replace(turn, reasoning="") if turn.role == "assistant" and index < last else turn
        for index, turn in enumerate(turns)
        if index >= last or turn.role in (*KEPT_ROLES, "assistant")
    ]


@dataclass(frozen=True, slots=True)
class _Prompt:
    dialect: Dialect
    turns: list[Turn]
    effort: str | None
    drops: bool

    def text(self) -> str:
        last = _last_asked(self.dialect, self.turns)
        return BEGIN + "".join(
            f"{self._lead(index)}{self._turn(index, last)}{self._opening(index, last)}"
            for index in range(len(self.turns))
        )

    def _lead(self, index: int) -> str:
        effort = self.effort or "" if index == 0 else ""
        is_system = self.turns[index].role == "system"
        return f"{self.dialect.system if effort or is_system else ''}{effort}"

    def _turn(self, index: int, last: int) -> str:
        turn = self.turns[index]
        match turn.role:
            case "system":
                return turn.text + self._sections(turn)
            case "developer":
                if not turn.text:
                    raise RequestError("Invalid message for role `developer`: it has no content")
                return f"{USER}{turn.text}{self._sections(turn)}"
            case "user":
                parts = turn.parts or [Part(turn.text)]
                return USER + "\n\n".join(
                    part.text if part.call is None else f"<tool_result>{part.text}</tool_result>"
                    for part in parts
                )
            case "latest_reminder":
                return f"{REMINDER}{turn.text}"
            case "assistant":
                return self._answer(index, last)
        raise RequestError(f"Invalid role: {turn.role}")

    def _sections(self, turn: Turn) -> str:
        """What stands behind the text of a message that instructs."""
        text = ""
        if turn.tools:
            schemas = tool_schemas(turn.tools)
            text += f"\n\n{TOOLS.format(DSML, self.dialect.tags, THINK, END_THINK, schemas)}"
        if turn.schema:
            text += f"\n\n{ANSWER_FORMAT}{to_json(turn.schema)}"
        return text

    def _answer(self, index: int, last: int) -> str:
        turn = self.turns[index]
        thinks = self.effort is not None and (not self.drops or index > last)
        if index and self.turns[index - 1].task is not None:
            thinks = False
        thoughts = f"{turn.reasoning}{END_THINK}" if thinks else ""
        calls = f"\n\n{calls_text(turn.calls, self.dialect.tags)}" if turn.calls else ""
        return f"{thoughts}{turn.text}{calls}{'' if turn.open else END}"

    def _opening(self, index: int, last: int) -> str:
        """What stands before the answer to a turn, if one is next."""
        turn = self.turns[index]
        follows = self.turns[index + 1].role if index + 1 < len(self.turns) else None
        if follows not in (None, "assistant", "latest_reminder"):
            return ""
        if turn.task is not None:
            return self._task(turn.task)
        opens = _asks(self.dialect, index, turn)
        if turn.role == "system" and not self.dialect.later_system:
            opens = follows in (None, "assistant")
        if not opens:
            return ""
        thinks = self.effort is not None and (not self.drops or index >= last)
        return f"{ASSISTANT}{THINK if thinks else END_THINK}"

    def _task(self, task: str) -> str:
        if task not in TASKS:
            raise RequestError(f"Invalid task: '{task}'. Valid tasks are: {', '.join(TASKS)}")
        opening = f"{ASSISTANT}{END_THINK if self.effort is None else THINK}"
        return f"{opening if task == 'action' else ''}<｜{task}｜>"
