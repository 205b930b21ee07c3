"""DeepSeek V4: think tags and DSML calls."""

from __future__ import annotations

from . import Family
from .deepseek_v3 import thinking
from .deepseek_v32 import Dialect

_V4 = Dialect("tool_calls")

FAMILY = Family(
    golden={
        "deepseek_v4": ("deepseek_v4", None),
        "deepseek_v4@reasoning": (None, "deepseek_v4"),
        "deepseek_v4+deepseek_v4": ("deepseek_v4", "deepseek_v4"),
    },
    call=_V4.call,
    model="deepseek_v3",
    added=("<think>", "</think>"),
    odd=_V4.odd(),
    extra=thinking(_V4.call("run", {"code": "1"})),
    markup=_V4.markup(),
    exact=False,
)
