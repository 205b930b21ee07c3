"""Granite 3: a marker and an array of calls, or reasoning that begins with a sentence."""

from __future__ import annotations

from typing import Any

from ..odd_json import arrays, item
from . import Family


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"<|tool_call|>[{item(name, arguments)}]"


_THINK = "Here is my thought process:"
_ANSWER = "Here is my response:"
FAMILY = Family(
    golden={
        "granite": ("granite", None),
        "granite+granite": ("granite", "granite"),
        "granite@reasoning": (None, "granite"),
    },
    call=call,
    added=("<|tool_call|>",),
    think=(_THINK, _ANSWER),
    odd=arrays("<|tool_call|>", "")
    | {"text marker": f"<tool_call> [{item('run', {'a': 1})}]"}
    | {"types that do not fit": call("get_weather", {"days": "2", "city": 3, "tags": "[1]"})},
    extra=(
        {"name": "here's", "text": "Here's my thought process: Hm. Here's my response: Yes."},
        {"name": "here, mixed", "text": f"{_THINK}\n\nHm: a: b\n\nHere's my response:\n\nYes."},
        {"name": "here, in prose", "text": "Here is my list: a, b."},
        {"name": "here, twice", "text": f"{_THINK} a {_ANSWER} b {_ANSWER} c"},
        {"name": "here, no answer", "text": f"{_THINK} a {_ANSWER}"},
        {"name": "here, almost", "text": f"{_THINK} a Here is my respite: b {_ANSWER} c"},
    ),
    markup=("<|tool_call|>", "<tool_call>", "[{", "}]", _THINK, _ANSWER, "Here", "'s my"),
)
