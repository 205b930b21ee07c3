"""MiMo: Qwen 3's tagged calls on one line, with values as they are."""

from __future__ import annotations

from functools import partial

from . import Family
from .tagged import call, odd

FAMILY = Family(
    golden={
        "mimo": ("mimo", None),
        "mimo@reasoning": (None, "mimo"),
        "mimo+mimo": ("mimo", "mimo"),
    },
    call=partial(call, wrap=""),
    odd=odd(),
    glue="",
    markup=("<function=look>", "<parameter=text>", "</parameter>", "</function>"),
    exact=False,
)
