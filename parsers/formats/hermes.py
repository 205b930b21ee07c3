"""Calls as JSON objects between `<tool_call>` and `</tool_call>` (Hermes, Qwen 2.5 and 3), or
between a family's own tags.

vLLM finds these tags as text wherever they come from. Inside a JSON string they are text.
"""

from __future__ import annotations

from ..codecs.json_object import JsonObject
from ..format import ToolFormat
from ..regions import To
from .json_calls import objects
from .json_choice import JSON_CHOICE

OPEN, CLOSE = {"<tool_call>": To("call")}, {"</tool_call>": To("closed")}
_LONGCAT_OPEN = {"<longcat_tool_call>": To("call")}
_LONGCAT_CLOSE = {"</longcat_tool_call>": To("closed")}
_FUNCTION_CALL = {"<function_call>": To("call")}

HERMES = ToolFormat(name="hermes", codec=JsonObject(), content=OPEN, regions=objects(OPEN, CLOSE))
LONGCAT = ToolFormat(
    name="longcat",
    codec=JsonObject(),
    content=_LONGCAT_OPEN,
    regions=objects(_LONGCAT_OPEN, _LONGCAT_CLOSE),
)
GRANITE4 = ToolFormat(
    name="granite4",
    codec=JsonObject(),
    content=OPEN,
    regions=objects(OPEN, CLOSE),
    forced=JSON_CHOICE,
)
# Nothing closes these calls.
GRANITE_20B_FC = ToolFormat(
    name="granite-20b-fc",
    codec=JsonObject(),
    content=_FUNCTION_CALL,
    regions=objects(_FUNCTION_CALL, {}),
    forced=JSON_CHOICE,
)
# White space around content goes where there are calls; a call may leave out its arguments.
ERNIE45 = ToolFormat(
    name="ernie45",
    codec=JsonObject(optional=True),
    content=OPEN,
    regions=objects(OPEN, CLOSE),
    trims=True,
    forced=JSON_CHOICE,
)
