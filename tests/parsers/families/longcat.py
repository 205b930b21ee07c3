"""LongCat: Hermes calls in tags of its own."""

from __future__ import annotations

from typing import Any

from ..odd_json import item, objects
from . import Family

OPEN, CLOSE = "<longcat_tool_call>", "</longcat_tool_call>"


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"{OPEN}\n{item(name, arguments)}\n{CLOSE}"


FAMILY = Family(
    golden={"longcat": ("longcat", None), "longcat+deepseek_r1": ("longcat", "deepseek_r1")},
    call=call,
    added=(OPEN, CLOSE),
    odd=objects(OPEN, CLOSE),
    markup=(OPEN, CLOSE),
)
