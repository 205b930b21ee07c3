"""Gemma: `call:f{city:<|"|>Paris<|"|>,days:2}` between two tokens, and thoughts in a channel.

FunctionGemma writes each value between two `<escape>` tokens, Gemma 4 only strings, between
tokens of its own. Gemma 4's thoughts stand in the channel `thought`; its prompt may have opened
one, and the model may leave the channel's token out.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..codecs.loose_object import LooseObject, Typed
from ..parts import CONTENT, ReasoningFormat, ToolFormat
from ..regions import BROKEN, DONE, REJECTED, Op, Region, Sink, To, token
from .json_choice import JSON_CHOICE


def _regions(
    after: Mapping[str, To], heads: Mapping[str, To], bodies: str, cut: tuple[Op, ...]
) -> dict[str, Region]:
    """after: the start and the end of a call. heads: what stands before the name.

    bodies: the characters that may open the object. cut: what becomes of a name cut short.
    """

    def ending(*do: Op) -> dict[str, To]:
        return {marker: to._replace(do=do) for marker, to in after.items()}

    return {
        "opened": Region(
            sink=Sink.HOLD,
            on={**after, **heads},
            otherwise=CONTENT,
            at_end=(Op.RESTORE,) if Op.RESTORE in cut else (),
        ),
        "name": Region(
            sink=Sink.CAPTURE,
            on={char: To("body", (Op.CALL,), again=True) for char in bodies}
            | ending(Op.CALL, Op.CALL_END),
            otherwise=CONTENT,
            at_end=cut,
            in_call=True,
        ),
        "body": Region(
            sink=Sink.BODY,
            on={DONE: To("closing"), BROKEN: To("trailing"), REJECTED: To("trailing")}
            | ending(Op.CALL_END),
            in_call=True,
        ),
        "closing": Region(sink=Sink.GAP, on=after, otherwise="trailing"),
        "closed": Region(sink=Sink.GAP, on=after, otherwise=CONTENT),
        "trailing": Region(sink=Sink.CONTENT, on=after),
    }


_FUNCTION, _FUNCTION_END = "<start_function_call>", "<end_function_call>"

FUNCTIONGEMMA = ToolFormat(
    name="functiongemma",
    codec=LooseObject("<escape>", Typed.JSON),
    content={_FUNCTION: To("opened")},
    regions=_regions(
        {_FUNCTION: To("opened"), _FUNCTION_END: To("closed")},
        {"call:": To("name")},
        "{",
        (Op.RESTORE,),
    ),
    trims=True,
    forced=JSON_CHOICE,
)

_CALL, _CALL_END, _QUOTE = "<|tool_call>", "<tool_call|>", '<|"|>'
_CHANNEL, _CHANNEL_END = "<|channel>", "<channel|>"
_THOUGHT = {"thought\n": To("thinking")}

GEMMA4_TOOL = ToolFormat(
    name="gemma4",
    codec=LooseObject(_QUOTE),
    content={_CALL: token("opened"), _CALL_END: token(CONTENT)},
    regions=_regions(
        {_CALL: token("opened"), _CALL_END: token("closed")},
        {"call:": To("name"), ":": To("name")},
        "{(",
        (Op.CALL, Op.CALL_END),
    ),
    text=(_QUOTE, _CHANNEL, _CHANNEL_END),
    drops=True,
    trims=True,
)
GEMMA4 = ReasoningFormat(
    name="gemma4",
    start="start",
    ended="start",
    regions={
        "start": Region(
            sink=Sink.START, on=_THOUGHT | {_CHANNEL: token("channel")}, otherwise=CONTENT
        ),
        "resumed": Region(
            sink=Sink.START, on=_THOUGHT | {_CHANNEL: token("channel")}, otherwise="thinking"
        ),
        "channel": Region(sink=Sink.START, on=_THOUGHT, otherwise="thinking"),
        "thinking": Region(
            sink=Sink.REASONING,
            on={
                _CHANNEL: token("thinking"),
                _CHANNEL_END: token(CONTENT),
                _CALL: token(CONTENT, again=True),
            },
        ),
    },
    content={_CHANNEL: token("channel"), _CHANNEL_END: token(CONTENT)},
    opens=(_CHANNEL,),
    opened={_CHANNEL: "resumed"},
    closes=(_CHANNEL_END, _CALL),
    boundaries=("<|turn>", "<|tool_response>"),
    switches=("enable_thinking",),
    unless_told=False,
    stays=True,
    drops=True,
    trims=True,
)
