"""Qwen 3: reasoning in think tags, and calls with tagged parameters (Qwen3-Coder, Qwen 3.5).

    <tool_call> <function=NAME> <parameter=KEY>VALUE</parameter> ... </function> </tool_call>

Think and call tags count only as tokens where the vocabulary has them. A call ends reasoning
even where the model forgot to. `<function=` opens a call without `<tool_call>` too, and
`</function>` ends a value that was left open if the call's end follows.
"""

from __future__ import annotations

from ..codecs.tagged_parameters import TaggedParameters
from ..format import CONTENT, ReasoningFormat, ToolFormat
from ..regions import Op, Region, Sink, To, token
from .think import CLOSE, OPEN

CALL, CALL_END = "<tool_call>", "</tool_call>"
FUNCTION, FUNCTION_END = "<function=", "</function>"
PARAMETER, PARAMETER_END = "< parameter = ", "< / parameter >"

QWEN3 = ReasoningFormat(
    name="qwen3",
    start="thinking",
    regions={
        "thinking": Region(
            sink=Sink.REASONING,
            on={
                OPEN: token("thinking"),
                CLOSE: token(CONTENT),
                CALL: token(CONTENT, again=True),
            },
        ),
    },
    content={CLOSE: token(CONTENT)},
    opens=(OPEN,),
    closes=(CLOSE, CALL),
    boundaries=("<|im_start|>", "<|im_end|>"),
    switches=("enable_thinking",),
    drops=True,
)


def _next(*do: Op) -> dict[str, To]:
    """What may follow a call, and ends one that was left open."""
    return {
        CALL: token("opened", *do),
        CALL_END: token(CONTENT, *do),
        FUNCTION: To("name", do),
    }


_ENDED = (Op.VALUE_END, Op.CALL_END)
_INSIDE = _next(Op.CALL_END) | {
    PARAMETER: To("key"),
    FUNCTION_END: To("closed", (Op.CALL_END,)),
}

QWEN3_CODER = ToolFormat(
    name="qwen3_coder",
    codec=TaggedParameters(),
    content={CALL: token("opened"), FUNCTION: To("name")},
    beside_reasoning={CLOSE: token(CONTENT)},
    regions={
        "opened": Region(sink=Sink.HOLD, on=_next(), otherwise=CONTENT),
        "name": Region(
            sink=Sink.CAPTURE,
            on=_next(Op.CALL, Op.CALL_END)
            | {
                ">": To("parameters", (Op.CALL,)),
                FUNCTION_END: To("closed", (Op.CALL, Op.CALL_END)),
            },
            otherwise=CONTENT,
            at_end=(Op.CALL, Op.CALL_END),
            in_call=True,
        ),
        "parameters": Region(
            sink=Sink.GAP, on=_INSIDE, otherwise="stray", at_end=(Op.CALL_END,), in_call=True
        ),
        "stray": Region(sink=Sink.CONTENT, on=_INSIDE, at_end=(Op.CALL_END,), in_call=True),
        "key": Region(
            sink=Sink.CAPTURE,
            on={">": To("value", (Op.KEY,))},
            otherwise="stray",
            at_end=(Op.CALL_END,),
            in_call=True,
        ),
        "value": Region(
            sink=Sink.VALUE,
            on={
                PARAMETER_END: To("parameters", (Op.VALUE_END,)),
                PARAMETER: To("key", (Op.VALUE_END,)),
                FUNCTION_END: To("closing"),
            },
            in_call=True,
        ),
        # `</function>` inside a value: the end of both, unless the text goes on.
        "closing": Region(
            sink=Sink.HOLD, on=_next(*_ENDED), otherwise="value", at_end=_ENDED, in_call=True
        ),
        "closed": Region(sink=Sink.GAP, on=_next(), otherwise="trailing"),
        "trailing": Region(sink=Sink.CONTENT, on=_next()),
    },
    text=(OPEN, CLOSE),
    drops=True,
    trims=True,
)
