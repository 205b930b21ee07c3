"""Calls that the request forces, where vLLM has the model write plain JSON for them.

`required`: an array of `{"name": ..., "parameters": {...}}`, wherever it begins. `named`: the
bare arguments, which are the whole answer. Once they have ended, all is content.
"""

from __future__ import annotations

from ..codecs.bare_arguments import BareArguments
from ..codecs.json_object import JsonObject
from ..parts import CONTENT, ToolFormat
from ..regions import BROKEN, DONE, REJECTED, Op, Region, Sink, To

_BODY = {BROKEN: To("after"), REJECTED: To("after")}
_ITEM = {"{": To("item", again=True)}

REQUIRED = ToolFormat(
    name="required",
    codec=JsonObject(arguments=("parameters",)),
    content={"[": To("array")},
    regions={
        "array": Region(sink=Sink.HOLD, on=_ITEM, otherwise=CONTENT, at_end=(Op.RESTORE,)),
        "item": Region(sink=Sink.BODY, on=_BODY | {DONE: To("items")}, in_call=True),
        "items": Region(
            sink=Sink.GAP,
            on=_ITEM | {",": To("items"), "]": To("after")},
            otherwise="after",
        ),
        "after": Region(sink=Sink.CONTENT),
    },
)
NAMED = ToolFormat(
    name="named",
    codec=BareArguments(),
    content={},
    regions={
        CONTENT: Region(sink=Sink.BODY, on=_BODY | {DONE: To("after")}, in_call=True),
        "after": Region(sink=Sink.CONTENT),
    },
)
JSON_CHOICE = {"required": REQUIRED, "named": NAMED}
