"""MiniMax M2 and M3.

M2: think tags, and calls with tagged parameters whose names stand in quotes.

<minimax:tool_call> <invoke name="NAME"> <parameter name="KEY">VALUE</parameter> </invoke> ...

M3: every tag of a call has a prefix, and parameters are elements named after them, which may nest.
vLLM finds these tags, and those of reasoning, as text wherever they come from. Reasoning may come
after content; `thinking_mode` "enabled" opens it in the prompt.

    ]<]minimax[>[<tool_call> ]<]minimax[>[<invoke name="NAME"> ]<]minimax[>[<KEY>VALUE...
"""

from __future__ import annotations

from ..codecs.elements import Elements
from ..codecs.tagged_parameters import TaggedParameters, Trim
from ..parts import CONTENT, ReasoningFormat, ToolFormat
from ..regions import Op, Region, Sink, To, token
from ..scanner import Exact
from .qwen3 import thinking
from .tagged_calls import Tags, calls
from .think import CLOSE, OPEN

CALL, CALL_END = "<minimax:tool_call>", "</minimax:tool_call>"
INVOKE = tuple(map(Exact, ('<invoke name="', "<invoke name='", "<invoke name=")))

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

PREFIX = "]<]minimax[>["
M3_CALLS, M3_CALLS_END = f"{PREFIX}<tool_call>", f"{PREFIX}</tool_call>"
M3_INVOKE = tuple(Exact(PREFIX + marker) for marker in INVOKE)
M3_OPEN, M3_CLOSE = "<mm:think>", "</mm:think>"


def _next(*do: Op) -> dict[str, To]:
    """What may follow a call of M3, and ends one that was left open."""
    tags = dict.fromkeys((M3_CALLS, M3_CALLS_END), To("between", do))
    return {**tags, **dict.fromkeys(M3_INVOKE, To("name", do))}


MINIMAX_M3_REASONING = ReasoningFormat(
    name="minimax_m3",
    start="start",
    ended="start",
    starts=(("thinking_mode", "enabled", "open"),),
    regions={
        "start": Region(
            sink=Sink.GAP,
            on={
                M3_OPEN: To("thinking", (Op.RESTORE,)),
                M3_CLOSE: To(CONTENT, (Op.RESTORE,)),
            },
            otherwise=CONTENT,
            at_end=(Op.RESTORE,),
        ),
        "open": Region(
            sink=Sink.GAP,
            on={M3_OPEN: To("thinking"), M3_CLOSE: To(CONTENT, (Op.RESTORE,))},
            otherwise="thinking",
            at_end=(Op.RESTORE,),
        ),
        "thinking": Region(sink=Sink.REASONING, on={M3_CLOSE: To(CONTENT)}),
    },
    content={M3_OPEN: To("thinking")},
    opens=(M3_OPEN,),
    closes=(M3_CLOSE,),
    required=(M3_OPEN, M3_CLOSE),
)
MINIMAX_M3 = ToolFormat(
    name="minimax_m3",
    codec=Elements(PREFIX),
    content={M3_CALLS: To("opened")},
    regions={
        "opened": Region(sink=Sink.HOLD, on=_next(), otherwise="trailing"),
        "name": Region(
            sink=Sink.CAPTURE,
            on=dict.fromkeys(('">', "'>", ">"), To("body", (Op.CALL,))),
            otherwise="trailing",
            at_end=(Op.CALL, Op.CALL_END),
            in_call=True,
        ),
        "body": Region(
            sink=Sink.VALUE,
            on={
                **_next(Op.VALUE_END, Op.CALL_END),
                f"{PREFIX}</invoke>": To("between", (Op.VALUE_END, Op.CALL_END)),
            },
            at_end=(Op.CALL_END,),
            in_call=True,
        ),
        "between": Region(sink=Sink.GAP, on=_next(), otherwise="trailing"),
        "trailing": Region(sink=Sink.CONTENT, on=_next()),
    },
    drops=True,
)
