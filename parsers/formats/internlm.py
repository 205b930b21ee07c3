"""InternLM 2: `<|action_start|><|plugin|>{...}<|action_end|>`; other actions are content."""

from __future__ import annotations

from ..codecs.json_object import JsonObject
from ..parts import CONTENT, ToolFormat
from ..regions import Op, Region, Sink, To
from .json_calls import objects
from .json_choice import JSON_CHOICE

_ACTION, _ACTION_END = {"<|action_start|>": To("action")}, {"<|action_end|>": To("closed")}

INTERNLM = ToolFormat(
    name="internlm",
    codec=JsonObject(arguments=("parameters", "arguments"), optional=True),
    content=_ACTION,
    regions=objects(_ACTION, _ACTION_END)
    | {
        "action": Region(
            sink=Sink.HOLD,
            on={"<|plugin|>": To("call")},
            otherwise=CONTENT,
            at_end=(Op.RESTORE,),
        ),
    },
    forced=JSON_CHOICE,
)
