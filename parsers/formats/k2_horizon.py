"""K2 Horizon: one group of calls, each as JSON or as keys and values between tags.

    <ifm|tool_calls>
    <ifm|tool_call>NAME <ifm|arg_key>KEY</ifm|arg_key> <ifm|arg_value>VALUE</ifm|arg_value>
    </ifm|tool_call>
    </ifm|tool_calls>

The template argument `tool_call_format` may name JSON objects instead, `{"name", "arguments"}`.
Only the first group is one; vLLM finds all tags as text. Reasoning has a pair of tags for each
effort; a group ends it even where the model forgot to.
"""

from __future__ import annotations

import re

from ..codecs.json_object import JsonObject
from ..codecs.tagged_parameters import Trim
from ..codecs.typed_parameters import TypedParameters
from ..parts import CONTENT, ReasoningFormat, ToolFormat
from ..regions import BROKEN, DONE, REJECTED, Op, Region, Sink, To

GROUP, GROUP_END = "<ifm|tool_calls>", "</ifm|tool_calls>"
CALL, CALL_END = "<ifm|tool_call>", "</ifm|tool_call>"
KEY, KEY_END = "<ifm|arg_key>", "</ifm|arg_key>"
TYPE = re.compile(r"<ifm\|arg_type>(?P<type>.*?)</ifm\|arg_type>", re.DOTALL)
VALUE, VALUE_END = "<ifm|arg_value>", "</ifm|arg_value>"
THINK = ("<ifm|think>", "<ifm|think_fast>", "<ifm|think_faster>")
THINK_END = tuple(tag.replace("<", "</") for tag in THINK)

_ENDED: dict[str, To] = dict.fromkeys(THINK_END, To(CONTENT)) | {GROUP: To(CONTENT, again=True)}

K2_HORIZON = ReasoningFormat(
    name="k2_horizon",
    start="start",
    regions={
        "start": Region(
            sink=Sink.START, on=dict.fromkeys(THINK, To("thinking")), otherwise="thinking"
        ),
        "thinking": Region(sink=Sink.REASONING, on=_ENDED),
    },
    opens=THINK,
    closes=(*THINK_END, GROUP),
    required=(THINK[0], THINK_END[0]),
    keeps_empty=True,
    allows={"reasoning_effort": ("high", "medium", "low")},
)


def _next(call: str, *do: Op) -> dict[str, To]:
    """What may follow a call, which is read in region `call`, and ends one that was left open."""
    return {CALL: To(call, do), CALL_END: To("group", do), GROUP_END: To("done", do)}


def _group(call: str) -> dict[str, Region]:
    """The regions around calls, which are read in region `call`."""
    return {
        "opened": Region(
            sink=Sink.HOLD, on={CALL: To(call)}, otherwise="done", at_end=(Op.RESTORE,)
        ),
        "group": Region(sink=Sink.GAP, on=_next(call), otherwise="stray"),
        "stray": Region(sink=Sink.CONTENT, on=_next(call)),
        "done": Region(sink=Sink.CONTENT),
    }


_INSIDE = _next("name", Op.CALL_END) | {KEY: To("key")}
_IN_KEY = _next("name", Op.RESTORE, Op.CALL_END) | {VALUE: To("value", (Op.KEY,))}

_JSON = ToolFormat(
    name="k2_horizon",
    codec=JsonObject(optional=True),
    content={GROUP: To("opened")},
    regions=_group("json")
    | {
        "json": Region(
            sink=Sink.BODY,
            on={DONE: To("group"), BROKEN: To("group"), REJECTED: To("stray")},
            in_call=True,
        ),
    },
)
K2_HORIZON_TOOL = ToolFormat(
    name="k2_horizon",
    codec=TypedParameters(trim=Trim.NOTHING, known=True, told=TYPE),
    content={GROUP: To("opened")},
    dialects={("tool_call_format", "json"): _JSON},
    allows={"tool_call_format": ("json", "xml", "xml_typed")},
    regions=_group("name")
    | {
        "name": Region(
            sink=Sink.CAPTURE,
            on=_next("name", Op.CALL, Op.CALL_END) | {KEY: To("key", (Op.CALL,))},
            otherwise="stray",
            in_call=True,
        ),
        "arguments": Region(
            sink=Sink.GAP, on=_INSIDE, otherwise="inside", at_end=(Op.CALL_END,), in_call=True
        ),
        "inside": Region(sink=Sink.CONTENT, on=_INSIDE, at_end=(Op.CALL_END,), in_call=True),
        "key": Region(
            sink=Sink.CAPTURE,
            on=_IN_KEY | {KEY_END: To("keyed")},
            otherwise="inside",
            at_end=(Op.CALL_END,),
            in_call=True,
        ),
        # Its type, if it tells one, is captured too.
        "keyed": Region(
            sink=Sink.CAPTURE, on=_IN_KEY, otherwise="inside", at_end=(Op.CALL_END,), in_call=True
        ),
        "value": Region(
            sink=Sink.VALUE,
            on={VALUE_END: To("arguments", (Op.VALUE_END,)), CALL_END: To("closing")},
            in_call=True,
        ),
        # The end of a call inside a value: the end of both, unless the text goes on.
        "closing": Region(
            sink=Sink.HOLD,
            on=_next("name", Op.VALUE_END, Op.CALL_END),
            otherwise="value",
            at_end=(Op.VALUE_END, Op.CALL_END),
            in_call=True,
        ),
    },
)
