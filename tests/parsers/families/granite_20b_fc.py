"""Granite 20B function calling: `<function_call> {...}`, which nothing closes."""

from __future__ import annotations

from typing import Any

from ..odd_json import item, objects
from . import Family


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"<function_call> {item(name, arguments)}"


FAMILY = Family(
    golden={"granite-20b-fc": ("granite-20b-fc", None)},
    call=call,
    model="llama31",
    odd=objects("<function_call>", ""),
    markup=("<function_call>", "<function_call> "),
)
