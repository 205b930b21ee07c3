"""Jamba: an array of calls between tags."""

from __future__ import annotations

from typing import Any

from ..odd_json import arrays, item
from . import Family

OPEN, CLOSE = "<tool_calls>", "</tool_calls>"


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"{OPEN}[{item(name, arguments)}]{CLOSE}"


FAMILY = Family(
    golden={"jamba": ("jamba", None), "jamba+deepseek_r1": ("jamba", "deepseek_r1")},
    call=call,
    added=(OPEN, CLOSE),
    odd=arrays(OPEN, CLOSE),
    markup=("[{", "}]", "}, {"),
)
