"""Calls as JSON arrays of objects between a family's markers (Jamba, Apertus, Phi 4 mini).

vLLM's whole answers read the first array only, and for some names drop the text around it.
"""

from __future__ import annotations

from ..codecs.json_object import JsonObject
from ..parts import CONTENT, ToolFormat
from ..regions import Op, Region, Sink, To
from .json_calls import arrays
from .json_choice import JSON_CHOICE

_JAMBA, _JAMBA_END = {"<tool_calls>": To("array")}, {"</tool_calls>": To("closed")}
_APERTUS = {"<|tools_prefix|>": To("array")}
_APERTUS_END = {"<|tools_suffix|>": To("closed")}
_FUNCTOOLS = {"functools": To("array")}

JAMBA = ToolFormat(
    name="jamba",
    codec=JsonObject(),
    content=_JAMBA,
    regions=arrays(_JAMBA, _JAMBA_END),
    required=(*_JAMBA, *_JAMBA_END),
    forced=JSON_CHOICE,
)
# `{NAME: {...}}` instead of name and arguments; one call may stand without an array.
APERTUS = ToolFormat(
    name="apertus",
    codec=JsonObject(keyed=True),
    content=_APERTUS,
    regions=arrays(_APERTUS, _APERTUS_END)
    | {
        "array": Region(
            sink=Sink.HOLD,
            on={"[": To("first"), "{": To("item", again=True)},
            otherwise=CONTENT,
            at_end=(Op.RESTORE,),
        ),
    },
    trims=True,
    forced=JSON_CHOICE,
)
PHI4_MINI_JSON = ToolFormat(
    name="phi4_mini_json",
    codec=JsonObject(arguments=("arguments", "parameters")),
    content=_FUNCTOOLS,
    regions=arrays(_FUNCTOOLS, {}),
    forced=JSON_CHOICE,
)
