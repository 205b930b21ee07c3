"""Hunyuan A13B: an array of calls between tags, and an answer between tags."""

from __future__ import annotations

from typing import Any

from ..odd_json import arrays, item
from . import Family

OPEN, CLOSE = "<tool_calls>", "</tool_calls>"


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"{OPEN}[{item(name, arguments)}]{CLOSE}"


_THINK, _ANSWER = "<think>\n", "\n</think>\n<answer>\n"
FAMILY = Family(
    golden={
        "hunyuan_a13b": ("hunyuan_a13b", None),
        "hunyuan_a13b+hunyuan_a13b": ("hunyuan_a13b", "hunyuan_a13b"),
        "hunyuan_a13b@reasoning": (None, "hunyuan_a13b"),
    },
    call=call,
    model="llama31",
    think=(_THINK, _ANSWER),
    odd=arrays(OPEN, CLOSE)
    | {
        "role name": "助手\uff1aHello.",
        "call in think tags": f"<think>\nMaybe {call('run', {})}\n</think>\nNo.",
    },
    extra=(
        {"name": "answer tags", "text": f"{_THINK}Hm.{_ANSWER}Yes.\n</answer>"},
        {"name": "answer tags, fast", "text": f"{_THINK}{_ANSWER}Yes.\n</answer>"},
        {"name": "answer tags, alone", "text": "Yes.\n</answer>"},
        {"name": "answer tags, text after", "text": f"{_THINK}Hm.{_ANSWER}Yes.\n</answer> So."},
        {"name": "answer tags, left open", "text": f"{_THINK}Hm.{_ANSWER}Yes."},
        {
            "name": "answer tags, call",
            "text": f"{_THINK}Hm.{_ANSWER}{call('run', {'a': 1})}\n</answer>",
        },
        {
            "name": "answer tags, text and call",
            "text": f"{_THINK}Hm.{_ANSWER}So.\n{call('run', {'a': 1})}\n</answer>",
        },
    ),
    markup=(OPEN, CLOSE, "[{", "}]", "\n</answer>", "助手\uff1a"),
)
