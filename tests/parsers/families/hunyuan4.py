"""Hunyuan V4: as V3, without a separator behind the name."""

from __future__ import annotations

from typing import Any

from . import Family
from .hunyuan import MARKUP, TAGS, TYPES, efforts, odd, pairs


def call(name: str, arguments: dict[str, Any]) -> str:
    body = pairs(arguments).replace("</arg_key>\n", "</arg_key>")
    return f"<tool_calls><tool_call>{name}{body}</tool_call></tool_calls>"


FAMILY = Family(
    golden={
        "hy_v4": ("hy_v4", None),
        "hy_v4+hy_v4": ("hy_v4", "hy_v4"),
        "hy_v4@reasoning": (None, "hy_v4"),
    },
    call=call,
    added=TAGS,
    odd={name: call("get_weather", arguments) for name, arguments in TYPES.items()} | odd(""),
    extra=efforts(),
    markup=MARKUP,
    exact=False,
)
