"""Hunyuan A13B: an array of calls, and reasoning between tags that are text:

    <think>\\nREASONING\\n</think>\\n<answer>\\nCONTENT<tool_calls>[...]</tool_calls>\\n</answer>

Calls inside `<think>` are text.
"""

from __future__ import annotations

from ..codecs.json_object import JsonObject
from ..parts import CONTENT, ReasoningFormat, ToolFormat
from ..regions import Op, Region, Sink, To
from .json_calls import arrays
from .json_choice import JSON_CHOICE

_CALLS = {"<tool_calls>": To("array")}
_ANSWERED = "\n</think>\n<answer>\n"

HUNYUAN_A13B = ToolFormat(
    name="hunyuan_a13b",
    codec=JsonObject(),
    content=_CALLS | {"<think>": To("thought", again=True)},
    regions=arrays(_CALLS, {"</tool_calls>": To("closed"), "</answer>": To("closed")})
    | {"thought": Region(sink=Sink.CONTENT, on={"</think>": To(CONTENT, again=True)})},
    forced=JSON_CHOICE,
)
HUNYUAN_A13B_REASONING = ReasoningFormat(
    name="hunyuan_a13b",
    start="start",
    regions={
        "start": Region(
            sink=Sink.GAP,
            on={"<think>\n": To("thinking")},
            otherwise=CONTENT,
            at_end=(Op.RESTORE,),
        ),
        "thinking": Region(sink=Sink.REASONING, on={_ANSWERED: To(CONTENT)}),
        "answered": Region(sink=Sink.GAP, otherwise=CONTENT),
    },
    content={"\n</answer>": To("answered")},
    closes=(_ANSWERED,),  # no token: the prompt decides nothing
)
