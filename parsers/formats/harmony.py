"""Harmony (gpt-oss): an output is messages, each with a channel and perhaps a recipient.

    <|channel|>analysis<|message|>...<|end|><|start|>assistant<|channel|>final<|message|>...

All markers are tokens. Between `<|message|>` and the end of a message all else is text, tokens
too. What is no message is content, so that nothing is lost: text without a header, a header cut
short, text between messages. A message without `<|start|>` is read all the same.
"""

from __future__ import annotations

from dataclasses import replace

from ..codecs.harmony import (
    ANSWER,
    CALL,
    CHANNEL,
    OTHER,
    START,
    THOUGHT,
    HarmonyMessage,
)
from ..part_policies import MessagePolicy
from ..parts import ReasoningFormat, ToolFormat
from ..regions import BROKEN, DONE, REJECTED, ROUTED, Op, Region, Sink, To, token

MESSAGE, END, RETURN, CALLED = "<|message|>", "<|end|>", "<|return|>", "<|call|>"
MARKERS = (START, CHANNEL, MESSAGE, END, RETURN, CALLED)


def _ends(*do: Op) -> dict[str, To]:
    return dict.fromkeys((END, RETURN, CALLED), token("between", *do, Op.PART))


_NEXT = _ends() | {
    START: token("opened", Op.PART, again=True),
    CHANNEL: token("opened", Op.PART, again=True),
}
_HEADER = Region(
    sink=Sink.CAPTURE,
    on={
        MESSAGE: token(ROUTED),
        THOUGHT: To("thought"),
        ANSWER: To("answer"),
        CALL: To("arguments"),
        OTHER: To("other"),
    },
    otherwise="stray",
    at_end=(Op.RESTORE,),
    in_call=True,
)

HARMONY = ReasoningFormat(
    name="openai_gptoss",
    start="header",
    ended="header",
    regions={
        # The prompt ends in `<|start|>assistant`: a message is open.
        "header": replace(
            _HEADER,
            on={
                **_HEADER.on,
                **_ends(Op.RESTORE),
                START: token("opened", Op.RESTORE, Op.PART, again=True),
            },
        ),
        "opened": _HEADER,
        "thought": Region(sink=Sink.REASONING, on=_ends()),
        "answer": Region(sink=Sink.CONTENT, on=_ends()),
        "between": Region(sink=Sink.GAP, on=_NEXT, otherwise="stray"),
        "stray": Region(sink=Sink.CONTENT, on=_NEXT),
    },
    required=MARKERS,
)
HARMONY_CALLS = ToolFormat(
    name="openai",
    codec=HarmonyMessage(),
    content=_NEXT,
    regions={
        "arguments": Region(
            sink=Sink.BODY,
            on={DONE: To("called"), BROKEN: To("stray"), REJECTED: To("stray")}
            | _ends(Op.CALL_END),
            in_call=True,
        ),
        "called": Region(sink=Sink.GAP, on=_NEXT, otherwise="stray"),
        # The codec takes no value: the text is for a tool that is none of the client's.
        "other": Region(sink=Sink.VALUE, on=_ends(Op.CALL_END), in_call=True),
    },
    required=MARKERS,
    policy=MessagePolicy,
)
