"""Step 3: one section of calls with tagged parameters; reasoning up to `</think>`.

    <｜tool_calls_begin｜> <｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="NAME">
    <steptml:parameter name="KEY">VALUE</steptml:parameter> ... </steptml:invoke>
    <｜tool_call_end｜> ... <｜tool_calls_end｜>

vLLM finds these tags as text wherever they come from. What follows the section is content.
"""

from __future__ import annotations

from ..codecs.tagged_parameters import TaggedParameters, Trim
from ..parts import CONTENT, ReasoningFormat, ToolFormat
from ..regions import Op, Region, Sink, To, token
from ..scanner import Exact
from ..typing_rules import BY_TYPE
from .json_choice import JSON_CHOICE
from .think import CLOSE, OPEN

SECTION, SECTION_END = "<｜tool_calls_begin｜>", "<｜tool_calls_end｜>"
CALL, CALL_END = "<｜tool_call_begin｜>", "<｜tool_call_end｜>"
SEPARATOR = "<｜tool_sep｜>"
INVOKE, INVOKE_END = Exact('<steptml:invoke name="'), "</steptml:invoke>"
PARAMETER, PARAMETER_END = Exact('<steptml:parameter name="'), "</steptml:parameter>"
_ENDED = (Op.VALUE_END, Op.CALL_END)

STEP3_REASONING = ReasoningFormat(
    name="step3",
    start="thinking",
    regions={"thinking": Region(sink=Sink.REASONING, on={CLOSE: token(CONTENT)})},
    opens=(OPEN,),
    closes=(CLOSE,),
    required=(CLOSE,),
    keeps_empty=True,
)


def _next(*do: Op) -> dict[str, To]:
    """What may follow a call, and ends one that was left open."""
    return {
        CALL: To("type", do),
        CALL_END: To("section", do),
        SECTION_END: To("after", do),
    }


def _header(marker: str, region: str) -> Region:
    """Up to the name of a call only one thing may come."""
    on = {marker: To(region)}
    return Region(sink=Sink.HOLD, on=on, otherwise="refused", at_end=(Op.RESTORE,))


_INSIDE = _next(Op.CALL_END) | {PARAMETER: To("key"), INVOKE_END: To("section", (Op.CALL_END,))}

STEP3 = ToolFormat(
    name="step3",
    codec=TaggedParameters(trim=Trim.BLANKS, rule=BY_TYPE),
    content={SECTION: To("opened")},
    regions={
        "opened": _header(CALL, "type"),
        # What is no call is text with all its tags.
        "refused": Region(sink=Sink.CONTENT, on={CALL: To("type")}),
        "section": Region(sink=Sink.GAP, on=_next(), otherwise="stray"),
        "stray": Region(sink=Sink.CONTENT, on=_next()),
        "after": Region(sink=Sink.CONTENT),
        "type": _header("function", "typed"),
        "typed": _header(SEPARATOR, "separated"),
        "separated": _header(INVOKE, "name"),
        "name": Region(
            sink=Sink.CAPTURE,
            on={'">': To("parameters", (Op.CALL,))},
            otherwise="refused",
            at_end=(Op.RESTORE,),
            in_call=True,
        ),
        "parameters": Region(
            sink=Sink.GAP, on=_INSIDE, otherwise="text", at_end=(Op.CALL_END,), in_call=True
        ),
        "text": Region(sink=Sink.CONTENT, on=_INSIDE, at_end=(Op.CALL_END,), in_call=True),
        "key": Region(
            sink=Sink.CAPTURE,
            on={'">': To("value", (Op.KEY,))},
            otherwise="text",
            at_end=(Op.CALL_END,),
            in_call=True,
        ),
        "value": Region(
            sink=Sink.VALUE,
            on={
                PARAMETER_END: To("parameters", (Op.VALUE_END,)),
                INVOKE_END: To("closing"),
            },
            in_call=True,
        ),
        # The end tag of the call inside a value: the end of both, unless the text goes on.
        "closing": Region(
            sink=Sink.HOLD, on=_next(*_ENDED), otherwise="value", at_end=_ENDED, in_call=True
        ),
    },
    trims=True,
    forced=JSON_CHOICE,
)
