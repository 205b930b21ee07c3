"""Inkling: blocks of reasoning, text and JSON calls, each opened by its kind and closed alike.

    <|message_model|><|content_thinking|>...<|end_message|>
    <|message_model|><|content_text|>...<|end_message|>
    <|message_model|>NAME<|content_invoke_tool_json|>{"name": ..., "args": {...}}<|end_message|>

What stands between the role and the kind is no text. vLLM finds the markers as text wherever
they come from; inside a JSON string they are text. Raw and failed calls are shown as text.
"""

from __future__ import annotations

from ..codecs.json_object import JsonObject
from ..parts import CONTENT, ReasoningFormat, ToolFormat
from ..regions import BROKEN, DONE, REJECTED, Op, Region, Sink, To

ROLE, ENDS = "<|message_model|>", ("<|end_message|>", "<|content_model_end_sampling|>")
THINK, TEXT, CALL = (
    "<|content_thinking|>", "<|content_text|>", "<|content_invoke_tool_json|>"
)  # fmt: skip
SHOWN = (TEXT, "<|content_invoke_tool_text|>", "<|content_tool_error|>")

# Names of their own: the call format's regions stand in for those of the reasoning format.
HEADER, THINKING = "inkling header", "inkling thinking"

_UNREAD = To("unread", again=True)
"""Where a call leads that nobody reads: it is text."""


def _blocks(call: To) -> dict[str, To]:
    """What opens a block, or the header before one."""
    shown = dict.fromkeys(SHOWN, To(CONTENT))
    return {ROLE: To(HEADER), THINK: To(THINKING), CALL: call} | shown


def _text(call: To) -> dict[str, To]:
    return _blocks(call) | dict.fromkeys(ENDS, To(CONTENT))


def _regions(call: To) -> dict[str, Region]:
    return {
        HEADER: Region(
            sink=Sink.NOTE,
            on=_blocks(call) | dict.fromkeys(ENDS, To(CONTENT, (Op.RESTORE,))),
            otherwise=CONTENT,
            at_end=(Op.RESTORE,),
        ),
        THINKING: Region(
            sink=Sink.REASONING,
            on={THINK: To(THINKING), CALL: call} | dict.fromkeys(ENDS, To(CONTENT)),
        ),
    }


INKLING = ReasoningFormat(
    name="inkling",
    start=HEADER,
    opened={THINK: THINKING},
    regions=_regions(_UNREAD)
    | {
        "unread": Region(
            sink=Sink.CONTENT,
            on={what: to for what, to in _blocks(_UNREAD).items() if what != CALL},
        ),
    },
    content=_text(_UNREAD),
    opens=(THINK, ROLE),
    closes=(TEXT, ENDS[1]),
    boundaries=(ENDS[0], CALL, *SHOWN[1:]),
    drops=True,
    trims=True,
)
INKLING_TOOL = ToolFormat(
    name="inkling",
    codec=JsonObject(arguments=("args",), optional=True, verbatim=True),
    content=_text(To("call")),
    regions=_regions(To("call"))
    | {
        "call": Region(
            sink=Sink.BODY,
            on={DONE: To("tail"), BROKEN: To("tail"), REJECTED: To(CONTENT)},
            in_call=True,
        ),
        "tail": Region(sink=Sink.GAP, on=_text(To("call")), otherwise=CONTENT),
    },
    drops=True,
)
