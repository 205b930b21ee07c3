"""Granite 4.2: Qwen 3's reasoning and calls; newlines before the answer are dropped."""

from __future__ import annotations

from . import Family
from .tagged import FAMILY as TAGGED
from .tagged import call, odd

FAMILY = Family(
    golden={
        "granite_thinking_parser": (None, "granite_thinking_parser"),
        "qwen3_coder+granite_thinking_parser": ("qwen3_coder", "granite_thinking_parser"),
    },
    call=call,
    odd=odd(),
    markup=TAGGED.markup,
    exact=False,
    extra=(
        *TAGGED.extra,
        {"name": "many newlines", "text": "Hm.\n</think>\n\n\n\n Yes.\n"},
        {"name": "only newlines", "text": "Hm.\n</think>\n\n\n"},
        {"name": "newline, space, newline", "text": "Hm.</think>\n \nYes."},
    ),
)
