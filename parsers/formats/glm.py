"""GLM 4.5 and later, and Ling 3: keys and values between tags of their own.

    <tool_call>NAME <arg_key>KEY</arg_key> <arg_value>VALUE</arg_value> ... </tool_call>

Think and call tags count only as tokens where the vocabulary has them. `</tool_call>` ends a
value that was left open if nothing or another call follows.
"""

from __future__ import annotations

from dataclasses import replace

from ..codecs.tagged_parameters import TaggedParameters, Trim
from ..parts import CONTENT, Marks, ReasoningFormat, ToolFormat
from ..regions import Op, Region, Sink, To, token
from .qwen3 import CALL, CALL_END, thinking
from .think import CLOSE, OPEN

KEY, KEY_END = "<arg_key>", "</arg_key>"
VALUE, VALUE_END = "<arg_value>", "</arg_value>"

GLM_REASONING = ReasoningFormat(
    name="glm45",
    start="thinking",
    regions=thinking(OPEN, CLOSE, CALL),
    content={OPEN: token("thinking"), CLOSE: token(CONTENT)},
    opens=(OPEN,),
    closes=(CLOSE, CALL),
    boundaries=("<|system|>", "<|user|>", "<|assistant|>", "<|observation|>"),
    switches=("thinking", "enable_thinking"),
    drops=True,
    trims=True,
    unswitched=Marks(
        has=("[gMASK]<sop>", "Reasoning Effort:", CALL, KEY, VALUE), lacks=("enable_thinking",)
    ),
)
LING3_REASONING = replace(GLM_REASONING, name="ling3", unswitched=None)


def _next(*do: Op) -> dict[str, To]:
    """What ends a call, or the one that was left open."""
    return {CALL_END: token(CONTENT, *do), CALL: token("name", *do)}


_INSIDE = _next(Op.CALL_END) | {KEY: To("key")}
_IN_KEY = _next(Op.RESTORE, Op.CALL_END) | {VALUE: To("value", (Op.KEY,))}

GLM = ToolFormat(
    name="glm45",
    codec=TaggedParameters(trim=Trim.NOTHING, known=True),
    content={CALL: token("name")},
    regions={
        "name": Region(
            sink=Sink.CAPTURE,
            on={
                KEY: To("key", (Op.CALL,)),
                CALL_END: token(CONTENT, Op.CALL, Op.CALL_END),
                CALL: token("name", Op.RESTORE),
            },
            otherwise=CONTENT,
            at_end=(Op.CALL, Op.CALL_END),
            in_call=True,
        ),
        "arguments": Region(
            sink=Sink.GAP, on=_INSIDE, otherwise="stray", at_end=(Op.CALL_END,), in_call=True
        ),
        "stray": Region(sink=Sink.CONTENT, on=_INSIDE, at_end=(Op.CALL_END,), in_call=True),
        "key": Region(
            sink=Sink.CAPTURE,
            on=_IN_KEY | {KEY_END: To("keyed")},
            otherwise="stray",
            at_end=(Op.CALL_END,),
            in_call=True,
        ),
        "keyed": Region(
            sink=Sink.CAPTURE, on=_IN_KEY, otherwise="stray", at_end=(Op.CALL_END,), in_call=True
        ),
        "value": Region(
            sink=Sink.VALUE,
            on={VALUE_END: To("arguments", (Op.VALUE_END,)), CALL_END: token("closing")},
            in_call=True,
        ),
        "closing": Region(
            sink=Sink.HOLD,
            on={CALL: token("name", Op.VALUE_END, Op.CALL_END)},
            otherwise="value",
            at_end=(Op.VALUE_END, Op.CALL_END),
            in_call=True,
        ),
    },
    text=(OPEN, CLOSE),
    drops=True,
    trims=True,
)
