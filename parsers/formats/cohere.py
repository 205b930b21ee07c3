"""Cohere Command A and later: sections of reasoning, answer and calls.

    <|START_THINKING|>...<|END_THINKING|><|START_RESPONSE|>...<|END_RESPONSE|>
    <|START_ACTION|>[{"tool_call_id": "0", "tool_name": ..., "parameters": {...}}]<|END_ACTION|>

Text before any marker is the answer in Command 3, reasoning in Command 4. Text around the
sections is content. `<co>...</co: ...>` is a citation: only the text in it remains.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..codecs.json_object import JsonObject
from ..part_policies import SectionPolicy
from ..parts import CONTENT, ReasoningFormat, ToolFormat
from ..regions import BROKEN, DONE, REJECTED, Op, Region, Sink, To

THINK, THINK_END = "<|START_THINKING|>", "<|END_THINKING|>"
ACTION, ACTION_END = "<|START_ACTION|>", "<|END_ACTION|>"
RESPONSE, RESPONSE_END = "<|START_RESPONSE|>", "<|END_RESPONSE|>"
TEXT, TEXT_END = "<|START_TEXT|>", "<|END_TEXT|>"
TURN_END = "<|END_OF_TURN_TOKEN|>"
CITED, CITED_END = "<co>", "</co: "


def _markers(answers: Mapping[str, str]) -> dict[str, To]:
    """What may stand anywhere outside an action; `answers` open and close the answer."""
    part = (Op.PART,)
    return {
        THINK: To("thinking", part),
        ACTION: To("action", part),
        **dict.fromkeys((THINK_END, *answers), To(CONTENT, part)),
        **dict.fromkeys((ACTION_END, *answers.values()), To("ended", part)),
    }


def _texts(name: str, sink: Sink, markers: dict[str, To]) -> dict[str, Region]:
    """The regions of one kind of text: itself, a citation in it, and the end of the citation."""
    return {
        name: Region(sink=sink, on=markers | {CITED: To(f"{name} cited")}),
        f"{name} cited": Region(sink=sink, on=markers | {CITED_END: To(f"{name} sources")}),
        f"{name} sources": Region(sink=Sink.NOTE, on={">": To(name)}, otherwise=f"{name} cited"),
    }


def _pair(
    number: int, answers: Mapping[str, str], start: str
) -> tuple[ToolFormat, ReasoningFormat]:
    markers = _markers(answers)
    answer = _texts(CONTENT, Sink.CONTENT, markers)
    item = {"{": To("item", again=True)}
    calls = ToolFormat(
        name=f"cohere_command{number}",
        codec=JsonObject(name="tool_name", arguments=("parameters",), verbatim=True),
        content=answer.pop(CONTENT).on,
        regions={
            **answer,
            "action": Region(
                sink=Sink.GAP,
                on=markers | item | dict.fromkeys("[]", To("action")),
                otherwise=CONTENT,
            ),
            "item": Region(
                sink=Sink.BODY,
                on={DONE: To("items"), BROKEN: To("broken"), REJECTED: To("broken")},
                in_call=True,
            ),
            "items": Region(
                sink=Sink.GAP,
                on=markers | item | {",": To("items"), "]": To("items")},
                otherwise="broken",
            ),
            "ended": Region(sink=Sink.GAP, on=markers | {TURN_END: To("ended")}, otherwise=CONTENT),
            "broken": Region(sink=Sink.CONTENT, on=markers),
        },
        policy=SectionPolicy,
    )
    reasoning = ReasoningFormat(
        name=f"cohere_command{number}",
        start=start,
        ended=start,
        regions={
            **_texts("thinking", Sink.REASONING, markers),
            **_texts("unopened", Sink.REASONING, markers),
        },
        opens=(THINK,),
        closes=(THINK_END,),
        boundaries=("<|CHATBOT_TOKEN|>",),
        always=True,
    )
    return calls, reasoning


COMMAND3 = _pair(3, {RESPONSE: RESPONSE_END}, CONTENT)
COMMAND4 = _pair(4, {RESPONSE: RESPONSE_END, TEXT: TEXT_END}, "unopened")
