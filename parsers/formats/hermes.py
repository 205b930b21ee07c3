"""Calls as JSON objects between `<tool_call>` and `</tool_call>` (Hermes, Qwen 2.5 and 3).

vLLM finds these tags as text wherever they come from. Inside a JSON string they are text.
"""

from __future__ import annotations

from ..codecs.json_object import JsonObject
from ..format import CONTENT, ToolFormat
from ..regions import BROKEN, DONE, REJECTED, Region, Sink, To

OPEN, CLOSE = "<tool_call>", "</tool_call>"
_AFTER = {CLOSE: To("closed"), OPEN: To("call")}

HERMES = ToolFormat(
    name="hermes",
    codec=JsonObject(),
    content={OPEN: To("call")},
    regions={
        "call": Region(
            sink=Sink.BODY,
            on={DONE: To("tail"), BROKEN: To("tail"), REJECTED: To(CONTENT)},
            in_call=True,
        ),
        # After the object the tag is due; what else there is, is content.
        "tail": Region(sink=Sink.GAP, on=_AFTER, otherwise="stray"),
        "stray": Region(sink=Sink.CONTENT, on=_AFTER),
        # A closing tag too many is still one.
        "closed": Region(sink=Sink.GAP, on=_AFTER, otherwise=CONTENT),
    },
)
