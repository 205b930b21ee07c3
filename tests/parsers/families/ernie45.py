"""ERNIE 4.5: Hermes calls, and answers in response tags."""

from __future__ import annotations

from typing import Any

from ..odd_json import item, objects
from . import Family

_RESPONSE = "<response>\nYes.\n</response>\n"


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"<tool_call>\n{item(name, arguments)}\n</tool_call>"


FAMILY = Family(
    golden={
        "ernie45": ("ernie45", None),
        "ernie45+ernie45": ("ernie45", "ernie45"),
        "ernie45@reasoning": (None, "ernie45"),
    },
    call=call,
    added=("<response>", "</response>"),
    odd=objects("<tool_call>", "</tool_call>"),
    extra=(
        {"name": "response tags", "text": f"Hm.\n</think>\n\n{_RESPONSE}"},
        {"name": "response tags, opened", "text": f"<think>\nHm.\n</think>\n\n\n{_RESPONSE}"},
        {"name": "response left open", "text": "Hm.</think>\n<response>\nYes."},
        {"name": "response tags, text after", "text": f"Hm.</think>\n{_RESPONSE}And more."},
        {"name": "response tags, text before", "text": f"Hm.</think>\nSo: {_RESPONSE}"},
        {
            "name": "response tags, call",
            "text": f"Hm.</think>\n{_RESPONSE}{call('run', {'a': 1})}\n",
        },
    ),
    markup=("<response>", "</response>", "\n</response>\n"),
)
