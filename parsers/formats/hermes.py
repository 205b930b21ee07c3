"""Calls as JSON objects between `<tool_call>` and `</tool_call>` (Hermes, Qwen 2.5 and 3), or
between other tags (LongCat).

vLLM finds these tags as text wherever they come from. Inside a JSON string they are text.
"""

from __future__ import annotations

from ..codecs.json_object import JsonObject
from ..parts import ToolFormat
from ..regions import To
from .json_calls import objects

OPEN, CLOSE = {"<tool_call>": To("call")}, {"</tool_call>": To("closed")}
_LONGCAT = {"<longcat_tool_call>": To("call")}
_LONGCAT_END = {"</longcat_tool_call>": To("closed")}

HERMES = ToolFormat(name="hermes", codec=JsonObject(), content=OPEN, regions=objects(OPEN, CLOSE))
LONGCAT = ToolFormat(
    name="longcat",
    codec=JsonObject(),
    content=_LONGCAT,
    regions=objects(_LONGCAT, _LONGCAT_END),
)
