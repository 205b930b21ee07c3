"""xLAM: an array of calls as the whole answer, after `</think>`, in a code block or in tags."""

from __future__ import annotations

from ..codecs.json_object import JsonObject
from ..parts import CONTENT, ToolFormat
from ..regions import Op, Region, Sink, To
from .json_calls import arrays
from .json_choice import JSON_CHOICE

_BLOCKS = {
    "```json": To("array"),
    "```": To("array"),
    "[TOOL_CALLS]": To("array"),
    "<tool_call>": To("array"),
}
_ENDS = {"```": To("closed"), "</tool_call>": To("closed")}
_START = _BLOCKS | {"[": To("first")}
_THOUGHT = {"</think>": To("thought")}

XLAM = ToolFormat(
    name="xlam",
    codec=JsonObject(),
    content={},
    regions=arrays(_BLOCKS, _ENDS, "prose")
    | {
        CONTENT: Region(
            sink=Sink.GAP, on=_START | _THOUGHT, otherwise="prose", at_end=(Op.RESTORE,)
        ),
        "prose": Region(sink=Sink.CONTENT, on=_BLOCKS | _THOUGHT),
        # An empty array is one of another kind.
        "first": Region(
            sink=Sink.HOLD,
            on={"{": To("item", again=True)},
            otherwise="prose",
            at_end=(Op.RESTORE,),
        ),
        # The tag stays in the content.
        "thought": Region(
            sink=Sink.HOLD,
            on={marker: to._replace(do=(Op.RESTORE,)) for marker, to in _START.items()},
            otherwise="prose",
            at_end=(Op.RESTORE,),
        ),
    },
    trims=True,
    forced=JSON_CHOICE,
)
