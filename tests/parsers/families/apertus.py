"""Apertus: an array of `{NAME: {...}}` between tokens."""

from __future__ import annotations

import json
from typing import Any

from . import Family

OPEN, CLOSE = "<|tools_prefix|>", "<|tools_suffix|>"


def _item(name: str, arguments: dict[str, Any]) -> str:
    return json.dumps({name: arguments}, ensure_ascii=False)


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"{OPEN}[{_item(name, arguments)}]{CLOSE}"


_ONE, _TWO = _item("run", {"a": 1}), _item("get_weather", {"city": "Paris", "tags": ["]"]})
_BODIES = {
    "compact": '[{"run":{"a":1,"b":[1,2],"c":{}}}]',
    "spaced": '[ { "run" : { "a" : 1 , "b" : [ ] } } ]',
    "json numbers": '[{"run": {"a": 1e3, "b": 1.0, "c": -0, "d": 0.10}}]',
    "json escapes": '[{"run": {"a": "\\u00e9\\/\\ud83d\\ude00\\n\\"\\\\"}}]',
    "escaped name": '[{"r\\u0075n": {}}]',
    "two in one": f"[{_ONE}, {_TWO}]",
    "three in one": f"[{_ONE},{_TWO},\n{_ONE}]\n",
    "two keys": '[{"run": {"a": 1}, "bare": {"b": 2}}]',
    "null arguments": '[{"run": null}]',
    "empty array": "[]",
    "empty object": "[{}]",
    "array of numbers": "[1, 2]",
    "object without array": _ONE,
    "prose body": "I will call run.",
    "repeated key": '[{"run": {"a": 1, "a": 2}}]',
    "trailing comma": '[{"run": {"a": 1,}}]',
    "text after the array": f"[{_ONE}] so",
}
FAMILY = Family(
    golden={"apertus": ("apertus", None), "apertus+deepseek_r1": ("apertus", "deepseek_r1")},
    call=call,
    added=(OPEN, CLOSE),
    odd={name: OPEN + body + CLOSE for name, body in _BODIES.items()}
    | {
        "no closing tag": f"{OPEN}[{_ONE}]",
        "no closing tag, text": f"{OPEN}[{_ONE}] Done.",
        "closing tag twice": f"{OPEN}[{_ONE}]{CLOSE}{CLOSE}",
        "stray closing tag": f"Well {CLOSE} then.",
        "only opening tag": f"Well.{OPEN}",
        "end tokens": f"{OPEN}[{_ONE}]{CLOSE}<|im_end|>",
        "special token in content": "One<|im_start|>two<|fim_prefix|>three",
    },
    markup=('[{"run": {', "}}]", '}}, {"look": '),
)
