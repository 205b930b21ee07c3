"""Seed OSS: Qwen 3's tagged calls between other tags."""

from __future__ import annotations

from functools import partial

from . import Family
from .tagged import call, odd

CALL = ("<seed:tool_call>", "</seed:tool_call>")
THINK = ("<seed:think>", "</seed:think>")

FAMILY = Family(
    golden={
        "seed_oss": ("seed_oss", None),
        "seed_oss@reasoning": (None, "seed_oss"),
        "seed_oss+seed_oss": ("seed_oss", "seed_oss"),
    },
    call=partial(call, around=CALL),
    added=(*CALL, *THINK, "<seed:bos>", "<seed:eos>"),
    think=THINK,
    odd=odd(*CALL),
    markup=("<function=look>", "<parameter=text>", "</parameter>", "</function>"),
    exact=False,
)
