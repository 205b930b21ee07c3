"""Granite 4: Hermes calls, of which vLLM keeps the text between."""

from __future__ import annotations

from typing import Any

from ..odd_json import item, objects
from . import Family


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"<tool_call>\n{item(name, arguments)}\n</tool_call>"


FAMILY = Family(
    golden={"granite4": ("granite4", None)},
    call=call,
    model="llama31",
    odd=objects("<tool_call>", "</tool_call>"),
)
