"""Mistral: calls behind `[TOOL_CALLS]`, reasoning between `[THINK]` and `[/THINK]`.

Tokenizers with `[ARGS]` (version 11 and later) write `[TOOL_CALLS]NAME[ARGS]{...}` or
`[TOOL_CALLS]NAME{...}` for each call; earlier ones `[TOOL_CALLS][{"name": ..., "arguments": ...}]`
for all of them, and the bare array where the request forces a call. The markers are tokens. A
tokenizer without `[THINK]` has no reasoning.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..codecs.header_json import HeaderJson
from ..codecs.json_object import JsonObject
from ..parts import CONTENT, ReasoningFormat, ToolFormat
from ..regions import BROKEN, DONE, REJECTED, Op, Region, Sink, To, token
from .json_calls import arrays

CALLS, ARGUMENTS = "[TOOL_CALLS]", "[ARGS]"
THINK, THINK_END = "[THINK]", "[/THINK]"

_NAMED = {CALLS: token("name")}
NAMED = ToolFormat(
    name="mistral",
    codec=HeaderJson(re.compile(r"\s*(?P<name>.*?)\s*", re.DOTALL)),
    content=_NAMED,
    regions={
        "name": Region(
            sink=Sink.CAPTURE,
            on={
                CALLS: token("name", Op.CALL, Op.CALL_END),
                ARGUMENTS: token("arguments", Op.CALL),
                "{": To("arguments", (Op.CALL,), again=True),
            },
            otherwise=CONTENT,
            at_end=(Op.CALL, Op.CALL_END),
            in_call=True,
        ),
        "arguments": Region(
            sink=Sink.BODY,
            on=dict.fromkeys((DONE, BROKEN, REJECTED), To("after"))
            | {CALLS: token("name", Op.CALL_END)},
            at_end=(Op.CALL_END,),
            in_call=True,
        ),
        "after": Region(sink=Sink.GAP, on=_NAMED, otherwise=CONTENT),
    },
    required=(CALLS,),
    drops=True,
    trims=True,
)

_ARRAY = {CALLS: token("array")}
_FIRST = {"[": To("first"), "{": To("call", again=True)}
ARRAYS = ToolFormat(
    name="mistral",
    codec=JsonObject(optional=True),
    content=_ARRAY,
    regions={
        **arrays(_ARRAY, {}),
        "array": Region(sink=Sink.GAP, on=_ARRAY | _FIRST, otherwise=CONTENT),
        "tail": Region(sink=Sink.GAP, on=_ARRAY, otherwise="stray"),
    },
    required=(CALLS,),
)
_BARE = replace(ARRAYS, content=_ARRAY | {"[": To("first")})
MISTRAL = replace(ARRAYS, forced={"required": _BARE, "named": _BARE}, variants={ARGUMENTS: NAMED})

_THINKING = ReasoningFormat(
    name="mistral",
    start=CONTENT,
    regions={
        "thinking": Region(
            sink=Sink.REASONING,
            on={
                THINK: token("thinking"),
                THINK_END: token(CONTENT),
                CALLS: token(CONTENT, again=True),
            },
        ),
    },
    content={THINK: token("thinking"), THINK_END: token(CONTENT)},
    opens=(THINK,),
    closes=(THINK_END,),
    drops=True,
    trims=True,
)
MISTRAL_REASONING = ReasoningFormat(
    name="mistral", start=CONTENT, regions={}, variants={THINK: _THINKING}
)
