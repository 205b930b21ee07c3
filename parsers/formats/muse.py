"""Muse: messages for the model itself, for the user, and for tools, with calls in ATEM tags.

    to=self<|message|>...<|eom|><|start|>assistant to=NAME<|message|><atem:function_calls>
    <atem:invoke name="NAME"><atem:parameter name="KEY">VALUE</atem:parameter></atem:invoke>
    </atem:function_calls><|eom|><|start|>assistant to=user<|message|>...<|eot|>

The tags count in messages for tools only. What is no message is content, and so is text beside
the tags in a message for a tool.

Muse Glimmer has no messages of other kinds, and its answers need no recipient.
"""

from __future__ import annotations

from dataclasses import replace

from ..codecs.atem import ANSWER, CALLS, OTHER, START, THOUGHT, AtemMessages
from ..codecs.tagged_parameters import Trim
from ..part_policies import ThoughtPolicy
from ..parts import ReasoningFormat, ToolFormat
from ..regions import ROUTED, Op, Region, Sink, To
from ..scanner import Exact
from ..typing_rules import JSON, JSON_ALWAYS

MESSAGE, END, TURN_END = "<|message|>", "<|eom|>", "<|eot|>"
SECTION, SECTION_END = "<atem:function_calls>", "</atem:function_calls>"
INVOKE, INVOKE_END = Exact('<atem:invoke name="'), "</atem:invoke>"
PARAMETER, PARAMETER_END = Exact('<atem:parameter name="'), "</atem:parameter>"

_RECIPIENTS = dict.fromkeys(("", "self"), THOUGHT)
_RECIPIENTS |= dict.fromkeys(("user", "commentary"), ANSWER) | {"developer": OTHER}


def _ends(*do: Op) -> dict[str, To]:
    """What ends a message."""
    return {
        START: To("opened", (*do, Op.PART), again=True),
        END: To("between", (*do, Op.PART)),
        TURN_END: To("between", (*do, Op.PART)),
    }


_HEADER = {
    MESSAGE: To(ROUTED),
    THOUGHT: To("thought"),
    ANSWER: To("answer"),
    CALLS: To("calls"),
    OTHER: To("other"),
}
_CALLS = _ends() | {SECTION: To("calls"), SECTION_END: To("calls"), INVOKE: To("name")}
_INSIDE = _ends(Op.CALL_END) | {PARAMETER: To("key"), INVOKE_END: To("calls", (Op.CALL_END,))}


def _header(more: dict[str, To]) -> Region:
    return Region(
        sink=Sink.CAPTURE,
        on=_HEADER | more,
        otherwise="stray",
        at_end=(Op.RESTORE,),
        in_call=True,
    )


_REASONING = ReasoningFormat(
    name="muse",
    start="header",
    ended="header",
    regions={
        # The prompt ends in `<|start|>assistant`: a message is open.
        "header": _header(_ends(Op.RESTORE)),
        "opened": _header({}),
        "thought": Region(sink=Sink.REASONING, on=_ends()),
        "answer": Region(sink=Sink.CONTENT, on=_ends()),
        "between": Region(sink=Sink.GAP, on=_ends(), otherwise="stray"),
        "stray": Region(sink=Sink.CONTENT, on=_ends()),
    },
)
_TOOL = ToolFormat(
    name="muse",
    codec=AtemMessages(
        trim=Trim.NOTHING, trims_keys=False, rule=JSON, recipients=tuple(_RECIPIENTS.items())
    ),
    content=_ends(),
    regions={
        "calls": Region(sink=Sink.GAP, on=_CALLS, otherwise="beside"),
        "beside": Region(sink=Sink.CONTENT, on=_CALLS),
        "name": Region(
            sink=Sink.CAPTURE,
            on=_ends(Op.RESTORE) | {'">': To("parameters", (Op.CALL,))},
            otherwise="beside",
            at_end=(Op.RESTORE,),
            in_call=True,
        ),
        "parameters": Region(sink=Sink.GAP, on=_INSIDE, otherwise="stray inside", in_call=True),
        "stray inside": Region(sink=Sink.CONTENT, on=_INSIDE, in_call=True),
        "key": Region(
            sink=Sink.CAPTURE,
            on={'">': To("value", (Op.KEY,))},
            otherwise="stray inside",
            in_call=True,
        ),
        "value": Region(
            sink=Sink.VALUE,
            on=_ends(Op.VALUE_END, Op.CALL_END)
            | {PARAMETER_END: To("parameters", (Op.VALUE_END,))},
            in_call=True,
        ),
        # No call has begun, so the codec takes no value: no client sees this text.
        "other": Region(sink=Sink.VALUE, on=_ends(), in_call=True),
    },
    unasked=True,
)
MUSE = (_TOOL, _REASONING)
MUSE_GLIMMER = (
    replace(
        _TOOL,
        name="muse_glimmer",
        codec=AtemMessages(
            trim=Trim.NOTHING,
            trims_keys=False,
            rule=JSON_ALWAYS,
            recipients=(("", ANSWER), ("self", THOUGHT), ("user", ANSWER)),
        ),
        policy=ThoughtPolicy,
    ),
    replace(_REASONING, name="muse_glimmer"),
)
