"""DeepSeek V3.1: as V3 without the type and the fence."""

from __future__ import annotations

import json
from typing import Any

from . import Family
from .deepseek_v3 import BEGIN, CALL, CALL_END, END, SEP, odd


def one(name: str, body: str) -> str:
    return f"{CALL}{name}{SEP}{body}{CALL_END}"


def call(name: str, arguments: dict[str, Any]) -> str:
    return BEGIN + one(name, json.dumps(arguments, ensure_ascii=False)) + END


FAMILY = Family(
    golden={"deepseek_v31": ("deepseek_v31", None)},
    call=call,
    model="deepseek_v3",
    added=("<think>", "</think>"),
    tokens=(BEGIN, END, CALL, CALL_END, SEP),
    odd=odd(one) | {"no separator": f'{BEGIN}{CALL}run{{"a": 1}}{CALL_END}{END}'},
    markup=(CALL + "look" + SEP + "{",),
)
