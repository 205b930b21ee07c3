"""DeepSeek V4.1: V4 with blanks in its tags."""

from __future__ import annotations

from . import Family
from .deepseek_v3 import thinking
from .deepseek_v32 import Dialect

_V4, _V41 = Dialect("tool_calls"), Dialect(" calls", " ")

FAMILY = Family(
    golden={
        "deepseek_v41": ("deepseek_v41", None),
        "deepseek_v41@reasoning": (None, "deepseek_v41"),
        "deepseek_v41+deepseek_v41": ("deepseek_v41", "deepseek_v41"),
    },
    call=_V41.call,
    model="deepseek_v3",
    added=("<think>", "</think>"),
    odd=_V41.odd() | {"tags of V4": _V4.call("run", {"a": "1"})},
    extra=thinking(_V41.call("run", {"code": "1"})),
    markup=(*_V41.markup(), *_V4.markup()[:4]),
    exact=False,
)
