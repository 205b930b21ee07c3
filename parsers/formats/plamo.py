"""PLaMo 3: markers that are spelt over several tokens, and arguments as JSON.

    BEGIN_REQUESTS BEGIN_REQUEST BEGIN_NAME NAME END_NAME BEGIN_ARGUMENTS JSON END_ARGUMENTS
    END_REQUEST ... END_REQUESTS

Where the prompt leaves reasoning cannot be read from its IDs, since the markers are no tokens:
with thinking on it is taken to be open.
"""

from __future__ import annotations

import re

from ..codecs.header_json import HeaderJson
from ..parts import CONTENT, ReasoningFormat, ToolFormat
from ..regions import BROKEN, DONE, REJECTED, Op, Region, Sink, To


def _mark(name: str) -> str:
    return f"<|plamo:{name}:plamo|>"


REQUESTS, REQUESTS_END = _mark("begin_tool_requests"), _mark("end_tool_requests")
REQUEST, REQUEST_END = _mark("begin_tool_request"), _mark("end_tool_request")
NAME, NAME_END = _mark("begin_tool_name"), _mark("end_tool_name")
ARGUMENTS = _mark("begin_tool_arguments") + "<|plamo:constrain|>json<|plamo:msg|>"
ARGUMENTS_END = _mark("end_tool_arguments")
THINK, THINK_END = _mark("begin_think"), _mark("end_think")
TURN_END = "<|plamo:tag|>"


def _next(*do: Op) -> dict[str, To]:
    """What may stand between calls, and ends one that was left open."""
    return {
        REQUEST: To("between", do),
        REQUEST_END: To("between", do),
        NAME: To("name", do),
        REQUESTS_END: To(CONTENT, do),
        TURN_END: To(CONTENT, do),
    }


_INSIDE = _next(Op.CALL_END) | {ARGUMENTS: To("arguments")}

PLAMO3 = ToolFormat(
    name="plamo3",
    codec=HeaderJson(re.compile(r"\s*(?P<name>[\s\S]*?)\s*")),
    content={REQUESTS: To("between"), TURN_END: To(CONTENT)},
    regions={
        "between": Region(
            sink=Sink.GAP, on=_next() | {ARGUMENTS_END: To("between")}, otherwise="stray"
        ),
        "stray": Region(sink=Sink.CONTENT, on=_next() | {ARGUMENTS_END: To("between")}),
        "name": Region(
            sink=Sink.CAPTURE,
            on=_next(Op.CALL, Op.CALL_END)
            | {NAME_END: To("named", (Op.CALL,)), ARGUMENTS: To("arguments", (Op.CALL,))},
            otherwise="stray",
            at_end=(Op.CALL, Op.CALL_END),
            in_call=True,
        ),
        "named": Region(
            sink=Sink.GAP, on=_INSIDE, otherwise="named stray", at_end=(Op.CALL_END,), in_call=True
        ),
        "named stray": Region(sink=Sink.CONTENT, on=_INSIDE, at_end=(Op.CALL_END,), in_call=True),
        "arguments": Region(
            sink=Sink.BODY,
            on={DONE: To("between"), BROKEN: To("stray"), REJECTED: To("stray")}
            | {TURN_END: To(CONTENT, (Op.CALL_END,))},
            in_call=True,
        ),
    },
    drops=True,
)
PLAMO3_REASONING = ReasoningFormat(
    name="plamo3",
    start="thinking",
    regions={
        "thinking": Region(
            sink=Sink.REASONING,
            on={
                THINK: To("thinking"),
                THINK_END: To(CONTENT),
                TURN_END: To(CONTENT),
                REQUESTS: To(CONTENT, again=True),
            },
        ),
    },
    content={THINK: To("thinking"), THINK_END: To(CONTENT), TURN_END: To(CONTENT)},
    opens=(THINK,),
    closes=(THINK_END,),
    switches=("enable_thinking",),
    drops=True,
)
