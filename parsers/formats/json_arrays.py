"""Calls as JSON arrays of objects between a family's markers.

vLLM's whole answers read the first array only, and for some names drop the text around it.
"""

from __future__ import annotations

from ..codecs.json_object import JsonObject
from ..format import ToolFormat
from ..regions import To, token
from .json_calls import arrays
from .json_choice import JSON_CHOICE

TOOL_CALLS, TOOL_CALLS_END = "<tool_calls>", "</tool_calls>"
_JAMBA = {TOOL_CALLS: To("array")}
_APERTUS = {"<|tools_prefix|>": To("array")}
_APERTUS_END = {"<|tools_suffix|>": To("closed")}
_FUNCTOOLS = {"functools": To("array")}
# Granite 3.0 writes the token, 3.1 the text.
_GRANITE = {"<|tool_call|>": token("array"), "<tool_call>": To("array")}

JAMBA = ToolFormat(
    name="jamba",
    codec=JsonObject(),
    content=_JAMBA,
    regions=arrays(_JAMBA, {TOOL_CALLS_END: To("closed")}),
    required=(TOOL_CALLS, TOOL_CALLS_END),
    forced=JSON_CHOICE,
)
# `{NAME: {...}}` instead of name and arguments.
APERTUS = ToolFormat(
    name="apertus",
    codec=JsonObject(keyed=True),
    content=_APERTUS,
    regions=arrays(_APERTUS, _APERTUS_END),
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
GRANITE = ToolFormat(
    name="granite",
    codec=JsonObject(optional=True, verbatim=True),
    content=_GRANITE,
    regions=arrays(_GRANITE, {}),
    drops=True,
    trims=True,
    forced=JSON_CHOICE,
)
