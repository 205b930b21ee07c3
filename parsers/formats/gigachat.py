"""GigaChat 3: one call behind `<|function_call|>`, or in a message of its own:

CONTENT<|message_sep|>function call<|role_sep|>{...}</s>
"""

from __future__ import annotations

from ..codecs.json_object import JsonObject
from ..parts import CONTENT, ToolFormat
from ..regions import Op, Region, Sink, To
from .json_calls import objects
from .json_choice import JSON_CHOICE

_CALL = {"<|function_call|>": To("call")}
_MESSAGE = _CALL | {"function call": To("role")}
_END = {"</s>": To("closed")}

GIGACHAT3 = ToolFormat(
    name="gigachat3",
    codec=JsonObject(),
    content=_MESSAGE | {"<|message_sep|>": To("message")},
    regions=objects(_CALL, _END)
    | {
        "message": Region(sink=Sink.HOLD, on=_MESSAGE, otherwise=CONTENT, at_end=(Op.RESTORE,)),
        "role": Region(
            sink=Sink.HOLD,
            on={"<|role_sep|>": To("call")},
            otherwise=CONTENT,
            at_end=(Op.RESTORE,),
        ),
    },
    forced=JSON_CHOICE,
)
