"""Pythonic calls between two tokens, and the same by lines (LFM 2, Olmo 3)."""

from __future__ import annotations

from typing import Any

from . import Family, Text
from .pythonic import call as listed
from .pythonic import odd

START, END = "<|tool_call_start|>", "<|tool_call_end|>"


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"{START}{listed(name, arguments)}{END}"


ODD: dict[str, Text] = {
    **odd(f"{START}[", f"]{END}"),
    "space in the tokens": f"{START} \n[run(a=1)]\n {END}",
    "no brackets": f"{START}run(a=1){END}",
    "prose in the tokens": f"{START}I will run.{END} So.",
    "no end token": f"{START}[run(a=1)]",
    "no end token, text": f"{START}[run(a=1)] and so on",
    "text before the end token": f"{START}[run(a=1)] and{END} so on",
    "only the start token": f"Well.{START}",
    "stray end token": f"Well {END} then.",
    "end token twice": f"{START}[run(a=1)]{END}{END}",
    "call again after the end": f"{START}[run(a=1)]{END}[run(a=1)]{END}Done.",
    "nested quotes, two": f"{START}[run(a='say 'hi' and 'ho' now', b=1)]{END}",
    "start token twice": f"{START}{START}[run(a=1)]{END}",
    "list without tokens": "[run(a=1)]",
    "spelt tokens": ["<|tool", "_call_start|>[run(a=1)]<|tool", "_call_end|>"],
    "end token in a string": f"{START}[run(a='x{END}y')]{END}",
}

FAMILY = Family(
    golden={"lfm2": ("lfm2", None), "lfm2+qwen3": ("lfm2", "qwen3")},
    call=call,
    added=(START, END),
    odd=ODD,
    markup=(
        f"{START}[", f"]{END}", "[", "]", "look(", "look(text='", "run(a=", ")", ", ", "days=",
        "'", '"', "=", "a.b(", "07", f"{START}[run()]{END}", f"{START}[look(days=1), run(a='x')]",
    ),
)  # fmt: skip
