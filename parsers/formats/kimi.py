"""Kimi K2: reasoning in think tags, and calls with a header and JSON, all in special tokens.

    <|tool_calls_section_begin|><|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>
    ARGUMENTS<|tool_call_end|><|tool_calls_section_end|>

The header is the call's ID (`ToolCall.id`). A section ends reasoning even where the model forgot
to.
"""

from __future__ import annotations

import re

from ..codecs.header_json import HeaderJson
from ..parts import CONTENT, ReasoningFormat, ToolFormat
from ..regions import BROKEN, DONE, REJECTED, Op, Region, Sink, To, token
from .think import CLOSE, OPEN

SECTION, SECTION_END = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"
CALL, CALL_END = "<|tool_call_begin|>", "<|tool_call_end|>"
ARGUMENTS = "<|tool_call_argument_begin|>"

KIMI_K2 = ReasoningFormat(
    name="kimi_k2",
    start="thinking",
    regions={
        "thinking": Region(
            sink=Sink.REASONING,
            on={
                OPEN: token("thinking"),
                CLOSE: token(CONTENT),
                SECTION: token(CONTENT, again=True),
            },
        ),
    },
    content={CLOSE: token(CONTENT)},
    opens=(OPEN,),
    closes=(CLOSE, SECTION),
    switches=("thinking", "enable_thinking"),
    drops=True,
    trims=True,
)


def _next(*do: Op) -> dict[str, To]:
    """What may follow a call, and ends one that was left open."""
    return {
        CALL: token("header", *do),
        CALL_END: token("section", *do),
        SECTION: token("section", *do),
        SECTION_END: token("section", *do),
    }


KIMI_K2_TOOL = ToolFormat(
    name="kimi_k2",
    codec=HeaderJson(
        re.compile(r"\s*(?P<id>(?:functions\.)?+(?P<name>[^:\n]+):(?:.*:)?\d+)[\s\S]*")
    ),
    content={SECTION: token("section")},
    regions={
        "section": Region(sink=Sink.GAP, on=_next(), otherwise="stray"),
        "stray": Region(sink=Sink.CONTENT, on=_next()),
        "header": Region(
            sink=Sink.CAPTURE,
            on=_next(Op.CALL, Op.CALL_END) | {ARGUMENTS: token("arguments", Op.CALL)},
            otherwise="stray",
            at_end=(Op.CALL, Op.CALL_END),
            in_call=True,
        ),
        "arguments": Region(
            sink=Sink.BODY,
            on=dict.fromkeys((DONE, BROKEN, REJECTED), To("section")) | _next(Op.CALL_END),
            in_call=True,
        ),
    },
    text=(OPEN, CLOSE),
    drops=True,
)
