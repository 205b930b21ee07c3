"""Pythonic calls, one a line, in `<function_calls>` tags or without (Olmo 3)."""

from __future__ import annotations

from typing import Any

from . import Family, Text
from .pythonic import odd, one

START, END = "<function_calls>", "</function_calls>"


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"{START}{one(name, arguments)}{END}"


ODD: dict[str, Text] = {
    **odd(START, END, "\n"),
    "calls on lines": f"{START}\nrun(a=1)\n\nbare()\n{END}",
    "calls with commas": f"{START}run(a=1), bare(){END}",
    "brackets in the tags": f"{START}[run(a=1)]{END}",
    "no tags": "run(a=1)\nbare()",
    "no tags, then text": "run(a=1)\nThat is all.",
    "no tags, empty call": "bare()",
    "no tags, text before": "So: run(a=1)",
    "one word": "Hello",
    "no end tag": f"{START}run(a=1)",
    "only the start tag": f"Well.{START}",
    "prose in the tags": f"{START}I will run.{END} So.",
    "stray end tag": f"Well {END} then.",
    "end tag twice": f"{START}run(a=1){END}{END}",
    "start tag twice": f"{START}{START}run(a=1){END}",
    "end tag in a string": f"{START}run(a='x {END} y'){END}",
    "tag as tokens": ["<function", "_calls>run(a=1)</function", "_calls>"],
}

FAMILY = Family(
    golden={"olmo3": ("olmo3", None)},
    call=call,
    odd=ODD,
    markup=(
        START, END, "look(", "look(text='", "run(a=", ")", ", ", "\n", "days=", "'", '"', "=",
        "run()\n", f"{START}run()\n", f"{START}look(days=1)\nrun(a='x')",
    ),
)  # fmt: skip
