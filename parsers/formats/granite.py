"""Granite: JSON calls behind a marker, and reasoning that begins with a sentence; 4.2 reasons and
calls as Qwen 3 does.

Granite 3 writes an array (`<|tool_call|>` as a token, `<tool_call>` as text), 4 an object between
tags, the function-calling 20B model an object that nothing closes.
"""

from __future__ import annotations

from dataclasses import replace

from ..codecs.json_object import JsonObject
from ..parts import CONTENT, ReasoningFormat, ToolFormat
from ..regions import Op, Region, Sink, To, token
from .hermes import CLOSE, OPEN
from .json_calls import arrays, objects
from .json_choice import JSON_CHOICE
from .qwen3 import CALL, QWEN3, thinking
from .think import CLOSE as THINK_END
from .think import OPEN as THINK

_ARRAY = {"<|tool_call|>": token("array"), "<tool_call>": To("array")}
_FUNCTION_CALL = {"<function_call>": To("call")}
_HERE = ("Here is my", "Here's my")

GRANITE = ToolFormat(
    name="granite",
    codec=JsonObject(optional=True, verbatim=True),
    content=_ARRAY,
    # The marker vanishes where no array follows.
    regions=arrays(_ARRAY, {})
    | {
        "array": Region(sink=Sink.GAP, on={"[": To("first")}, otherwise=CONTENT),
        "first": Region(
            sink=Sink.GAP, on={"{": To("item", again=True), "]": To("tail")}, otherwise=CONTENT
        ),
    },
    drops=True,
    trims=True,
    forced=JSON_CHOICE,
)
GRANITE4 = ToolFormat(
    name="granite4",
    codec=JsonObject(),
    content=OPEN,
    regions=objects(OPEN, CLOSE),
    forced=JSON_CHOICE,
)
GRANITE_20B_FC = ToolFormat(
    name="granite-20b-fc",
    codec=JsonObject(),
    content=_FUNCTION_CALL,
    regions=objects(_FUNCTION_CALL, {}),
    forced=JSON_CHOICE,
)
GRANITE_REASONING = ReasoningFormat(
    name="granite",
    start="start",
    regions={
        "start": Region(
            sink=Sink.GAP,
            on={f"{here} thought process:": To("thinking") for here in _HERE},
            otherwise=CONTENT,
            at_end=(Op.RESTORE,),
        ),
        "thinking": Region(
            sink=Sink.REASONING, on={f"{here} response:": To(CONTENT) for here in _HERE}
        ),
    },
    closes=("Here is my response:",),  # no token: the prompt decides nothing
)
_THINKING = thinking(THINK, THINK_END, CALL)["thinking"]
GRANITE_THINKING = replace(
    QWEN3,
    name="granite_thinking_parser",
    ended="answer",
    regions={
        "thinking": replace(_THINKING, on={**_THINKING.on, THINK_END: token("answer")}),
        # The newlines that an answer begins with are none of it.
        "answer": Region(sink=Sink.START, on={"\n": To("answer")}, otherwise=CONTENT),
    },
    trims=True,
)
