"""Kimi K3: channels in tags of several tokens, for reasoning, the answer and calls.

    <|open|>think<|sep|>...<|close|>think<|sep|>
    <|open|>response<|sep|>...<|close|>response<|sep|>
    <|open|>tools<|sep|><|open|>call tool="NAME" index="0"<|sep|>
    <|open|>argument key="KEY" type="string"<|sep|>VALUE<|close|>argument<|sep|>
    <|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>

vLLM finds the tags as text, with white space inside them or not; what opens a channel may
stand in the prompt. Text outside the channels is content.
"""

from __future__ import annotations

from ..codecs.xtml import Xtml
from ..parts import CONTENT, ReasoningFormat, ToolFormat
from ..regions import Op, Region, Sink, To


def _open(channel: str) -> str:
    return f"<|open|> {channel} <|sep|>"


def _close(channel: str) -> str:
    return f"<|close|> {channel} <|sep|>"


THINK, THINK_END = _open("think"), _close("think")
TOOLS, TOOLS_END = _open("tools"), _close("tools")
CALL, CALL_END = "<|open|> call ", _close("call")
ARGUMENT, ARGUMENT_END = "<|open|> argument ", _close("argument")
HEAD_END = '" <|sep|>'

_SILENT = dict.fromkeys((_open("response"), _close("response"), _close("message")), To(CONTENT))


def _ended(*do: Op) -> dict[str, To]:
    """What ends reasoning that no tag opened."""
    return {THINK_END: To(CONTENT, do), _open("response"): To(CONTENT, do)}


KIMI_K3 = ReasoningFormat(
    name="kimi_k3",
    start="start",
    regions={
        "start": Region(
            sink=Sink.GAP,
            on={THINK: To("thinking"), **_ended(Op.RESTORE)},
            otherwise="unopened",
            at_end=(Op.RESTORE,),
        ),
        "unopened": Region(sink=Sink.REASONING, on={THINK: To("thinking"), **_ended()}),
        "thinking": Region(sink=Sink.REASONING, on={THINK_END: To(CONTENT)}),
    },
    content=_SILENT,
    closes=(THINK_END,),  # of several tokens, so that no prompt is seen to close reasoning
    switches=("thinking", "enable_thinking"),
    stays=True,
)


def _next(*do: Op) -> dict[str, To]:
    """What may follow a call, and ends one that was left open."""
    return {CALL: To("head", do), CALL_END: To("tools", do), TOOLS_END: To(CONTENT, do)}


_INSIDE = _next(Op.CALL_END) | {ARGUMENT: To("key")}

KIMI_K3_TOOL = ToolFormat(
    name="kimi_k3",
    codec=Xtml(),
    unasked=True,
    content=_SILENT | {TOOLS: To("tools")},
    regions={
        "tools": Region(sink=Sink.GAP, on=_next(), otherwise="stray"),
        "stray": Region(sink=Sink.CONTENT, on=_next()),
        "head": Region(
            sink=Sink.CAPTURE,
            on={HEAD_END: To("arguments", (Op.CALL,))} | _next(Op.RESTORE),
            otherwise="stray",
            in_call=True,
        ),
        "arguments": Region(
            sink=Sink.GAP, on=_INSIDE, otherwise="inside", at_end=(Op.CALL_END,), in_call=True
        ),
        "inside": Region(sink=Sink.CONTENT, on=_INSIDE, at_end=(Op.CALL_END,), in_call=True),
        "key": Region(
            sink=Sink.CAPTURE,
            on={HEAD_END: To("value", (Op.KEY,))},
            otherwise="inside",
            at_end=(Op.CALL_END,),
            in_call=True,
        ),
        "value": Region(
            sink=Sink.VALUE,
            on={ARGUMENT_END: To("arguments", (Op.VALUE_END,))} | _next(Op.VALUE_END, Op.CALL_END),
            in_call=True,
        ),
    },
)
