"""Hunyuan (HY V3 and V4): a section of calls, keys and values between tags of their own.

    <tool_calls> <tool_call>NAME<tool_sep> <arg_key>KEY</arg_key> <arg_value>VALUE</arg_value> ...
    </tool_call> ... </tool_calls>

V4 has no `<tool_sep>`. A checkpoint may have a suffix in all its tags (`<think:6124c78e>`). Tags
count only as tokens where the vocabulary has them. `</tool_call>` ends a value that was left
open if another call, or the end of the section, follows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..codecs.tagged_parameters import TaggedParameters, Trim
from ..parts import CONTENT, ToolFormat
from ..regions import Op, Region, Sink, To, token
from ..typing_rules import HUNYUAN
from .json_choice import JSON_CHOICE
from .think import DEEPSEEK_R1

SECTION, SECTION_END = "<tool_calls>", "</tool_calls>"
CALL, CALL_END, SEPARATOR = "<tool_call>", "</tool_call>", "<tool_sep>"
KEY, KEY_END = "<arg_key>", "</arg_key>"
VALUE, VALUE_END = "<arg_value>", "</arg_value>"
SUFFIX = r"<(?:think|tool_calls|tool_call|arg_key|arg_value)(:[^\s>]+)>"


def _next(*do: Op) -> dict[str, To]:
    """What ends a call, or the one that was left open."""
    return {
        CALL: token("name", *do),
        CALL_END: token("between", *do),
        SECTION_END: token(CONTENT, *do),
    }


_ENDED = (Op.VALUE_END, Op.CALL_END)
_INSIDE = _next(Op.CALL_END) | {KEY: token("key")}
_IN_KEY = _next(Op.RESTORE, Op.CALL_END) | {VALUE: token("value", Op.KEY)}
_OPEN: dict[str, Any] = {"at_end": (Op.CALL_END,), "in_call": True}

HY_V4 = ToolFormat(
    name="hy_v4",
    codec=TaggedParameters(trim=Trim.NOTHING, rule=HUNYUAN),
    content={SECTION: token("section")},
    regions={
        "section": Region(
            sink=Sink.HOLD,
            on={CALL: token("name"), SECTION_END: token(CONTENT, Op.RESTORE)},
            otherwise="stray text",
            at_end=(Op.RESTORE,),
        ),
        "name": Region(
            sink=Sink.CAPTURE,
            on=_next(Op.CALL, Op.CALL_END) | {KEY: token("key", Op.CALL)},
            otherwise="stray text",
            at_end=(Op.RESTORE,),
            in_call=True,
        ),
        "arguments": Region(sink=Sink.GAP, on=_INSIDE, otherwise="stray", **_OPEN),
        "stray": Region(sink=Sink.CONTENT, on=_INSIDE, **_OPEN),
        "key": Region(
            sink=Sink.CAPTURE, on=_IN_KEY | {KEY_END: token("keyed")}, otherwise="stray", **_OPEN
        ),
        "keyed": Region(sink=Sink.CAPTURE, on=_IN_KEY, otherwise="stray", **_OPEN),
        "value": Region(
            sink=Sink.VALUE,
            on={VALUE_END: token("arguments", Op.VALUE_END), CALL_END: token("closing")},
            in_call=True,
        ),
        "closing": Region(
            sink=Sink.HOLD,
            on={CALL: token("name", *_ENDED), SECTION_END: token(CONTENT, *_ENDED)},
            otherwise="value",
            in_call=True,
        ),
        "between": Region(sink=Sink.GAP, on=_next(), otherwise="stray text"),
        "stray text": Region(sink=Sink.CONTENT, on=_next()),
    },
    required=(SECTION, SECTION_END),
    suffix=SUFFIX,
)
HY_V3 = replace(
    HY_V4,
    name="hy_v3",
    regions={
        **HY_V4.regions,
        "name": replace(
            HY_V4.regions["name"],
            on=_next(Op.RESTORE)
            | {SEPARATOR: token("arguments", Op.CALL), KEY: token("key", Op.CALL)},
        ),
    },
    forced=JSON_CHOICE,
)

HY_V4_REASONING = replace(
    DEEPSEEK_R1,
    name="hy_v4",
    off=(("reasoning_effort", "no_think"),),
    suffix=SUFFIX,
)
HY_V3_REASONING = replace(
    HY_V4_REASONING, name="hy_v3", switches=("reasoning_effort",), unless_told=False
)
