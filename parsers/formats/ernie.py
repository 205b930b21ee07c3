"""ERNIE 4.5: Hermes calls, and reasoning after which the answer may stand in response tags:

REASONING</think> <response>CONTENT</response>
"""

from __future__ import annotations

from ..codecs.json_object import JsonObject
from ..parts import CONTENT, ReasoningFormat, ToolFormat
from ..regions import Op, Region, Sink, token
from .hermes import CLOSE as CALL_END
from .hermes import OPEN as CALL
from .json_calls import objects
from .json_choice import JSON_CHOICE
from .think import CLOSE, OPEN, thinking

RESPONSE, RESPONSE_END = "<response>", "</response>"

ERNIE45 = ToolFormat(
    name="ernie45",
    codec=JsonObject(optional=True),
    content=CALL,
    regions=objects(CALL, CALL_END),
    trims=True,
    forced=JSON_CHOICE,
)
ERNIE45_REASONING = ReasoningFormat(
    name="ernie45",
    start="start",
    ended="ended",
    regions=thinking(token, "answer")
    | {
        "answer": Region(
            sink=Sink.GAP,
            on={RESPONSE: token(CONTENT)},
            otherwise=CONTENT,
            at_end=(Op.RESTORE,),
        ),
        "responded": Region(sink=Sink.GAP, otherwise=CONTENT),
    },
    content={RESPONSE: token(CONTENT), RESPONSE_END: token("responded")},
    opens=(OPEN,),
    closes=(CLOSE,),
    required=(OPEN, CLOSE),
    keeps_empty=True,
)
