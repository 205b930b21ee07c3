"""Qwen 3: reasoning in think tags, and calls with tagged parameters (Qwen3-Coder, Qwen 3.5).

    <tool_call> <function=NAME> <parameter=KEY>VALUE</parameter> ... </function> </tool_call>

Think and call tags count only as tokens where the vocabulary has them. A call ends reasoning
even where the model forgot to. `<function=` opens a call without `<tool_call>` too, and
`</function>` ends a value that was left open if the call's end follows. Seed OSS, MiMo,
Nemotron 3 and Step 3.5 write the same with other tags or white space, MiniCPM-V spells newlines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..codecs.tagged_parameters import TaggedParameters, Trim
from ..parts import CONTENT, ReasoningFormat, ToolFormat
from ..regions import Region, Sink, To, token
from ..spelt_newlines import SpeltNewlines
from .json_choice import JSON_CHOICE
from .tagged_calls import Tags, calls
from .think import CLOSE, OPEN

CALL, CALL_END = "<tool_call>", "</tool_call>"
FUNCTION = "<function="
TAGS = Tags(
    call=CALL,
    call_end=CALL_END,
    function=(FUNCTION,),
    function_named=(">",),
    function_end="</function>",
    parameter=("< parameter = ",),
    parameter_named=(">",),
    parameter_end="< / parameter >",
)


def thinking(opens: str, closes: str, call: str) -> Mapping[str, Region]:
    """The region of reasoning that a call ends too."""
    on = {opens: token("thinking"), closes: token(CONTENT), call: token(CONTENT, again=True)}
    return {"thinking": Region(sink=Sink.REASONING, on=on)}


QWEN3 = ReasoningFormat(
    name="qwen3",
    start="thinking",
    regions=thinking(OPEN, CLOSE, CALL),
    content={CLOSE: token(CONTENT)},
    opens=(OPEN,),
    closes=(CLOSE, CALL),
    boundaries=("<|im_start|>", "<|im_end|>"),
    switches=("enable_thinking",),
    drops=True,
)

QWEN3_CODER = ToolFormat(
    name="qwen3_coder",
    codec=TaggedParameters(trims_keys=False),
    content={CALL: token("opened"), FUNCTION: To("name")},
    beside_reasoning={CLOSE: token(CONTENT)},
    regions=calls(TAGS),
    text=(OPEN, CLOSE),
    drops=True,
    trims=True,
)

MIMO_REASONING = replace(QWEN3, name="mimo")
MIMO = replace(
    QWEN3_CODER, name="mimo", codec=TaggedParameters(trim=Trim.NOTHING, trims_keys=False)
)

NEMOTRON_V3 = replace(QWEN3, name="nemotron_v3", trims=True)

STEP3P5_REASONING = replace(QWEN3, name="step3p5", trims=True, switches=())
STEP3P5 = replace(QWEN3_CODER, name="step3p5")
STEP5 = replace(QWEN3_CODER, name="step5", trims=False)

_THINKING = thinking(OPEN, CLOSE, CALL)["thinking"]


def _unread(region: str) -> dict[str, To]:
    """MiniCPM-V's reserved markers, which mean nothing."""
    texts = {f"<reserved_{n}>": To(region) for n in range(12, 16)}
    return texts | {f"<|reserved_{n}|>": token(region) for n in range(12, 16)}


MINICPMV = replace(
    QWEN3,
    name="minicpmv",
    regions={"thinking": replace(_THINKING, on={**_THINKING.on, **_unread("thinking")})},
    content={CLOSE: token(CONTENT), OPEN: token("thinking"), **_unread(CONTENT)},
    boundaries=(),
    stays=True,
    rewrites=SpeltNewlines,
)

SEED_OPEN, SEED_CLOSE = "<seed:think>", "</seed:think>"
SEED_CALL, SEED_CALL_END = "<seed:tool_call>", "</seed:tool_call>"
SEED_OSS_REASONING = replace(
    QWEN3,
    name="seed_oss",
    regions=thinking(SEED_OPEN, SEED_CLOSE, SEED_CALL),
    content={SEED_CLOSE: token(CONTENT)},
    opens=(SEED_OPEN,),
    closes=(SEED_CLOSE, SEED_CALL),
    boundaries=("<seed:bos>", "<seed:eos>"),
)
SEED_OSS = replace(
    QWEN3_CODER,
    name="seed_oss",
    content={SEED_CALL: token("opened"), FUNCTION: To("name")},
    beside_reasoning={SEED_CLOSE: token(CONTENT)},
    regions=calls(TAGS._replace(call=SEED_CALL, call_end=SEED_CALL_END)),
    text=(SEED_OPEN, SEED_CLOSE),
    forced=JSON_CHOICE,
)
