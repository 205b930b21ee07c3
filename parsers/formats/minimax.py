"""MiniMax M2: think tags, and calls with tagged parameters whose names stand in quotes.

<minimax:tool_call> <invoke name="NAME"> <parameter name="KEY">VALUE</parameter> </invoke> ...
"""

from __future__ import annotations

from ..codecs.tagged_parameters import TaggedParameters, Trim
from ..format import CONTENT, ReasoningFormat, ToolFormat
from ..regions import To, token
from .qwen3 import thinking
from .tagged_calls import Tags, calls
from .think import CLOSE, OPEN

CALL, CALL_END = "<minimax:tool_call>", "</minimax:tool_call>"
INVOKE = ('<invoke name="', "<invoke name='", "<invoke name=")

MINIMAX_M2_REASONING = ReasoningFormat(
    name="minimax_m2",
    start="thinking",
    regions=thinking(OPEN, CLOSE, CALL),
    content={CLOSE: token(CONTENT)},
    opens=(OPEN,),
    closes=(CLOSE, CALL),
    drops=True,
    trims=True,
)
MINIMAX_M2_APPEND_THINK = ReasoningFormat(
    name="minimax_m2_append_think",
    start=CONTENT,
    regions={},
    opens=(OPEN,),
    closes=(CLOSE,),
    lead=OPEN,
)
MINIMAX_M2 = ToolFormat(
    name="minimax_m2",
    codec=TaggedParameters(trim=Trim.NOTHING, known=True),
    content={
        CALL: token("opened"),
        CALL_END: token(CONTENT),
        **dict.fromkeys(INVOKE, To("name")),
    },
    beside_reasoning={CLOSE: token(CONTENT)},
    regions=calls(
        Tags(
            call=CALL,
            call_end=CALL_END,
            function=INVOKE,
            function_named=('">', "'>", ">"),
            function_end="</invoke>",
            parameter=('< parameter name = "', "< parameter name = '", "< parameter name = "),
            parameter_named=('" >', "' >", " >"),
            parameter_end="< / parameter >",
        )
    ),
    text=(OPEN, CLOSE),
    drops=True,
    trims=True,
)
