"""Chats that differ in what a chat template sees: turns, tools, arguments, and what people write.

Rule: name -> the request's fields. `writing.json` holds the texts; each stands once as a question,
once all through an earlier exchange, and once in a tool's call and result.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from .messages import MESSAGES, SYSTEM, TEXT, TOOL, USER, calls
from .tools import TOOLS

Fields = dict[str, Any]

WRITING: dict[str, str] = json.loads(
    resources.files(__package__).joinpath("writing.json").read_text("utf-8")
)
PARTIAL = [USER, {"role": "assistant", "content": "The answer "}]
CONTINUE = {"continue_final_message": True, "add_generation_prompt": False}

BASIC: dict[str, Fields] = {
    "chat": {"messages": [SYSTEM, USER]},
    "no generation prompt": {"messages": [USER], "add_generation_prompt": False},
    "special tokens": {"messages": [USER], "add_special_tokens": True},
    "typed special tokens": {"messages": MESSAGES["special tokens"]},
    "history": {
        "messages": [
            SYSTEM,
            USER,
            {"role": "assistant", "content": "7 °C.", "reasoning": "I know it."},
            {"role": "user", "content": [TEXT, {"type": "text", "text": "second"}]},
        ]
    },
    "tools": {"messages": [USER], "tools": [TOOL]},
    "tools and system": {"messages": [SYSTEM, USER], "tools": [TOOL, TOOL]},
    "tool calls": {
        "messages": [
            USER,
            calls('{"city": "Köln", "unit": "°C"}', content="", reasoning="Look."),
            {"role": "tool", "tool_call_id": "call_1", "content": "7"},
            {"role": "assistant", "content": "It is 7 °C."},
            {"role": "user", "content": "And in Aachen?"},
        ],
        "tools": [TOOL],
    },
    "parallel calls": {
        "messages": [
            USER,
            calls('{"city": "Köln"}', '{"city": "Aachen"}'),
            {"role": "tool", "tool_call_id": "call_1", "content": "7"},
            {"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "8"}]},
        ],
        "tools": [TOOL],
    },
    "developer": {"messages": MESSAGES["developer"]},
    "thinking off": {"messages": [USER], "chat_template_kwargs": {"enable_thinking": False}},
    "thinking on": {
        "messages": [USER],
        "chat_template_kwargs": {"enable_thinking": True, "thinking": True, "unknown": 1},
    },
    "continue": {"messages": PARTIAL, **CONTINUE},
    "assistant last": {"messages": PARTIAL},
}


def question(text: str) -> Fields:
    return {"messages": [{"role": "user", "content": text}]}


def exchange(text: str) -> Fields:
    return {
        "messages": [
            {"role": "system", "content": text},
            {"role": "user", "content": [TEXT, {"type": "text", "text": text}]},
            {"role": "assistant", "content": text, "reasoning": text},
            {"role": "user", "content": f"{text}{text}"},
        ]
    }


def called(text: str) -> Fields:
    arguments = json.dumps({"city": text, text[:20]: [text]}, ensure_ascii=False)
    return {
        "messages": [
            USER,
            calls(arguments, content=text),
            {"role": "tool", "tool_call_id": "call_1", "content": text},
        ],
        "tools": [TOOL],
        "tool_choice": "none",
    }


def exchanges(count: int) -> list[Fields]:
    pair = [{"role": "user", "content": "Next?"}, {"role": "assistant", "content": "This."}]
    return [SYSTEM, *pair * count, USER]


def kwargs(**given: Any) -> Fields:
    return {"messages": [SYSTEM, USER], "chat_template_kwargs": given}


TURNS: dict[str, Fields] = {
    "a long conversation": {"messages": exchanges(40)},
    "two users in a row": {"messages": [USER, USER]},
    "two answers in a row": {"messages": [USER, PARTIAL[1], PARTIAL[1], USER]},
    "an answer first": {"messages": [PARTIAL[1], USER]},
    "system alone": {"messages": [SYSTEM]},
    "system last": {"messages": [USER, SYSTEM]},
    "system in the middle": {"messages": [USER, PARTIAL[1], SYSTEM, USER]},
    "empty system": {"messages": [{"role": "system", "content": ""}, USER]},
    "empty question": {"messages": [{"role": "user", "content": ""}]},
    "empty answer": {"messages": [USER, {"role": "assistant", "content": ""}, USER]},
    "thought in the text": {
        "messages": [
            USER,
            {"role": "assistant", "content": "<think>\nHm.\n</think>\n\nSeven."},
            USER,
        ]
    },
    "thoughts in every turn": {
        "messages": [
            USER,
            {"role": "assistant", "content": "a", "reasoning": "first"},
            USER,
            {"role": "assistant", "content": "b", "reasoning": "second"},
            USER,
        ]
    },
    "thought before a call": {
        "messages": [
            USER,
            calls('{"city": "Oslo"}', reasoning="Ask."),
            {"role": "tool", "tool_call_id": "call_1", "content": "3"},
        ],
        "tools": [TOOL],
        "tool_choice": "none",
    },
    "call, result, call": {
        "messages": [
            USER,
            calls('{"city": "Oslo"}', content="First."),
            {"role": "tool", "tool_call_id": "call_1", "content": "3", "name": "get_weather"},
            calls('{"city": "Bergen"}', content="Second.", reasoning="One more."),
            {"role": "tool", "tool_call_id": "call_1", "content": "4"},
            {"role": "assistant", "content": "3 and 4."},
            USER,
        ],
        "tools": [TOOL],
        "tool_choice": "none",
    },
    "call without tools": {"messages": called("x")["messages"]},
    "call unanswered": {"messages": [USER, calls('{"city": "Oslo"}')], "tools": [TOOL]},
    "result without a call": {
        "messages": [USER, {"role": "tool", "tool_call_id": "call_9", "content": "3"}, USER]
    },
    "empty result": {
        "messages": [USER, calls("{}"), {"role": "tool", "tool_call_id": "call_1", "content": ""}]
    },
    "continue a thought": {
        "messages": [USER, {"role": "assistant", "content": "<think>\nLet me"}],
        **CONTINUE,
    },
    "continue after spaces": {
        "messages": [USER, {"role": "assistant", "content": "Well,  "}],
        **CONTINUE,
    },
    "documents": {
        "messages": [USER],
        "documents": [{"title": "A", "text": "One."}, {"title": "B", "text": "Two."}],
    },
    "no documents": {"messages": [USER], "documents": []},
    "documents with tools": {"messages": [USER], "tools": [TOOL], "documents": [{"text": "One."}]},
    **{
        f"effort {effort}": {"messages": [SYSTEM, USER], "reasoning_effort": effort}
        for effort in ("none", "minimal", "low", "medium", "high", "xhigh", "max")
    },
    "thinking, the other name": kwargs(thinking=True),
    "thinking off, the other name": kwargs(thinking=False),
    "thinking with tools": {**kwargs(enable_thinking=True), "tools": [TOOL], "tool_choice": "none"},
    "no thinking, with tools": {
        **kwargs(enable_thinking=False),
        "tools": [TOOL],
        "tool_choice": "none",
    },
    "effort as an argument": kwargs(reasoning_effort="high"),
    "budget as an argument": kwargs(thinking_budget=512, max_thinking_tokens=512),
    "date as an argument": kwargs(date_string="01 Jan 2030", today="2030-01-01"),
    "language as an argument": kwargs(language="de", user_name="Ann"),
    "tools in the user's turn": {
        **kwargs(tools_in_user_message=False),
        "tools": [TOOL],
        "tool_choice": "none",
    },
    "built-in tools": kwargs(builtin_tools=["browser", "python"]),
    "identity as an argument": kwargs(model_identity="You are a parrot."),
    "memory of thoughts": kwargs(clear_thinking=False, preserve_thinking=True, keep_thinking=True),
    "null arguments": kwargs(enable_thinking=None, x=None),
    "arguments of every type": kwargs(a=1, b=1.5, c=[1, "x"], d={"e": None}, f=True, g="ß"),
}

CONVERSATIONS: dict[str, Fields] = {
    **BASIC,
    **TURNS,
    **{f"question, {name}": question(text) for name, text in WRITING.items()},
    **{f"exchange, {name}": exchange(text) for name, text in WRITING.items()},
    **{f"called, {name}": called(text) for name, text in WRITING.items()},
    **{
        f"tools, {name}": {"messages": [SYSTEM, USER], "tools": tools, "tool_choice": "none"}
        for name, tools in TOOLS.items()
    },
    **{f"messages, {name}": {"messages": messages} for name, messages in MESSAGES.items()},
}
