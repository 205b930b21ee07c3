"""Calls as bare JSON objects, `; ` between them, `<|python_tag|>` perhaps before (Llama 3, 4).

The first `{` of the text opens a call. If it is none, no later one is either: that text is
prose or data with braces.
"""

from __future__ import annotations

from ..codecs.json_object import JsonObject
from ..parts import CONTENT, ToolFormat
from ..regions import BROKEN, DONE, REJECTED, Op, Region, Sink, To

TAG = "<|python_tag|>"
_OPENERS = {TAG: To("tagged"), "{": To("call", again=True)}

LLAMA3_JSON = ToolFormat(
    name="llama3_json",
    codec=JsonObject(arguments=("arguments", "parameters")),
    content=_OPENERS,
    regions={
        "tagged": Region(sink=Sink.HOLD, on=_OPENERS, otherwise=CONTENT, at_end=(Op.RESTORE,)),
        "call": Region(
            sink=Sink.BODY,
            on={DONE: To("after"), BROKEN: To("prose"), REJECTED: To("prose")},
            in_call=True,
        ),
        "after": Region(sink=Sink.HOLD, on=_OPENERS | {";": To("after")}, otherwise=CONTENT),
        "prose": Region(sink=Sink.CONTENT),
    },
    required=(TAG,),
)
