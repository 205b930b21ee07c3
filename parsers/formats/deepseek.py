"""Calls of DeepSeek V3, R1 and V3.1: a header and JSON in sections of special tokens.

    <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME
    ```json
    ARGUMENTS
    ```<｜tool▁call▁end｜><｜tool▁calls▁end｜>

V3.1 leaves out the type and the fence. Reasoning is that of DeepSeek R1, where the chat template
is asked for it.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..codecs.header_json import HeaderJson
from ..parts import CONTENT, ToolFormat
from ..regions import BROKEN, DONE, REJECTED, Op, Region, Sink, To, token
from .think import DEEPSEEK_R1

CALLS, CALLS_END = "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"
CALL, CALL_END = "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"
SEPARATOR = "<｜tool▁sep｜>"


def _next(*do: Op) -> dict[str, To]:
    """What may follow a call, and ends one that was left open."""
    return {
        CALL: token("header", *do),
        CALL_END: token("section", *do),
        CALLS: token("section", *do),
        CALLS_END: token("closed", *do),
    }


def _regions(arguments: str, fence: str) -> dict[str, Region]:
    """arguments: the marker that opens them. fence: what may close them before the token."""
    tail = _next() | ({fence: To("tail")} if fence else {})
    return {
        "section": Region(sink=Sink.GAP, on=_next(), otherwise="stray"),
        # Text between calls is content.
        "stray": Region(sink=Sink.CONTENT, on=_next()),
        "header": Region(
            sink=Sink.CAPTURE,
            on=_next(Op.RESTORE) | {arguments: To("arguments", (Op.CALL,))},
            otherwise="stray",
            in_call=True,
        ),
        "arguments": Region(
            sink=Sink.BODY,
            on=dict.fromkeys((DONE, BROKEN, REJECTED), To("tail")) | _next(Op.CALL_END),
            in_call=True,
        ),
        "tail": Region(sink=Sink.GAP, on=tail, otherwise="stray"),
        # A closing token too many is still one.
        "closed": Region(
            sink=Sink.GAP,
            on={CALLS: token("section"), CALLS_END: token("closed")},
            otherwise=CONTENT,
        ),
    }


DEEPSEEK_V3_TOOL = ToolFormat(
    name="deepseek_v3",
    codec=HeaderJson(re.compile(rf".*{SEPARATOR}(?P<name>.*)")),
    content={CALLS: token("section")},
    regions=_regions("\n```json\n", "```"),
    required=(CALLS, CALLS_END),
)
DEEPSEEK_V31_TOOL = ToolFormat(
    name="deepseek_v31",
    codec=HeaderJson(re.compile("(?P<name>.*)")),
    content={CALLS: token("section")},
    regions=_regions(SEPARATOR, ""),
    required=(CALLS, CALLS_END),
)

DEEPSEEK_V3 = replace(
    DEEPSEEK_R1,
    name="deepseek_v3",
    switches=("thinking", "enable_thinking"),
    unless_told=False,
    required=(),  # vLLM looks for them once a request wants reasoning
)
HOLO2 = replace(DEEPSEEK_R1, name="holo2", switches=DEEPSEEK_V3.switches)
