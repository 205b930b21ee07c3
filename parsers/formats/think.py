"""Reasoning between `<think>` and `</think>` (DeepSeek R1 and many more).

The model may leave out `<think>`: what comes before `</think>` is reasoning. vLLM drops white
space before `<think>`; text there is reasoning too, so that none is lost.
"""

from __future__ import annotations

from ..format import CONTENT, ReasoningFormat
from ..regions import Op, Region, Sink, token

OPEN, CLOSE = "<think>", "</think>"

DEEPSEEK_R1 = ReasoningFormat(
    name="deepseek_r1",
    start="start",
    ended="ended",
    regions={
        "start": Region(
            sink=Sink.GAP,
            on={OPEN: token("thinking"), CLOSE: token(CONTENT, Op.RESTORE)},
            otherwise="unopened",
            at_end=(Op.RESTORE,),
        ),
        "unopened": Region(
            sink=Sink.REASONING, on={OPEN: token("thinking"), CLOSE: token(CONTENT)}
        ),
        # The prompt closed reasoning, but the model may open it again.
        "ended": Region(
            sink=Sink.GAP, on={OPEN: token("thinking")}, otherwise=CONTENT, at_end=(Op.RESTORE,)
        ),
        "thinking": Region(sink=Sink.REASONING, on={CLOSE: token(CONTENT)}),
    },
    opens=(OPEN,),
    closes=(CLOSE,),
    required=(OPEN, CLOSE),
    keeps_empty=True,
)
