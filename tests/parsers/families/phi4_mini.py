"""Phi 4 mini: `functools` and an array of calls. vLLM does not stream them."""

from __future__ import annotations

from typing import Any

from ..odd_json import arrays, item
from . import Family


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"functools[{item(name, arguments)}]"


FAMILY = Family(
    golden={"phi4_mini_json": ("phi4_mini_json", None)},
    call=call,
    odd=arrays("functools", "")
    | {
        "parameters key": 'functools[{"name": "run", "parameters": {"a": 1}}]',
        "word in prose": "Python's functools has lru_cache; functools [sic] too.",
    },
    markup=("functools", "functools[{", "}]", "}, {"),
)
