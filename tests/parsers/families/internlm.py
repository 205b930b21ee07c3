"""InternLM 2: one object between the tokens of a plugin action."""

from __future__ import annotations

from typing import Any

from ..odd_json import item, objects
from . import Family

OPEN, CLOSE = "<|action_start|><|plugin|>", "<|action_end|>"


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"{OPEN}\n{item(name, arguments)}{CLOSE}"


FAMILY = Family(
    golden={"internlm": ("internlm", None), "internlm+deepseek_r1": ("internlm", "deepseek_r1")},
    call=call,
    added=("<|action_start|>", "<|plugin|>", "<|interpreter|>", CLOSE),
    odd=objects(OPEN, CLOSE)
    | {
        "parameters key": f'{OPEN}{{"name": "run", "parameters": {{"a": 1}}}}{CLOSE}',
        "another action": "<|action_start|><|interpreter|>\nprint(1)" + CLOSE,
        "action alone": "Well.<|action_start|>",
    },
    markup=(OPEN,),
)
