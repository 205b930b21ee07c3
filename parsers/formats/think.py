"""Reasoning between `<think>` and `</think>` (DeepSeek R1 and many more).

The model may leave out `<think>`: what comes before `</think>` is reasoning. vLLM drops white
space before `<think>`; text there is reasoning too, so that none is lost.
"""

from __future__ import annotations

from collections.abc import Callable

from ..parts import CONTENT, ReasoningFormat
from ..regions import Op, Region, Sink, To, token

OPEN, CLOSE = "<think>", "</think>"


def thinking(mark: Callable[..., To], answer: str = CONTENT) -> dict[str, Region]:
    """mark: whether the tags count as tokens (`token`) or as text too (`To`).

    answer: the region after reasoning.
    """
    opens = {OPEN: mark("thinking")}
    return {
        "start": Region(
            sink=Sink.GAP,
            on=opens | {CLOSE: mark(answer)._replace(do=(Op.RESTORE,))},
            otherwise="unopened",
            at_end=(Op.RESTORE,),
        ),
        "unopened": Region(sink=Sink.REASONING, on=opens | {CLOSE: mark(answer)}),
        # The prompt closed reasoning, but the model may open it again.
        "ended": Region(sink=Sink.GAP, on=opens, otherwise=CONTENT, at_end=(Op.RESTORE,)),
        "thinking": Region(sink=Sink.REASONING, on={CLOSE: mark(answer)}),
    }


DEEPSEEK_R1 = ReasoningFormat(
    name="deepseek_r1",
    start="start",
    ended="ended",
    regions=thinking(token),
    opens=(OPEN,),
    closes=(CLOSE,),
    required=(OPEN, CLOSE),
    keeps_empty=True,
)
