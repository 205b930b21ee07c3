"""Mistral before tokenizer version 11: one token, then an array of calls."""

from __future__ import annotations

import json
from typing import Any

from . import Case, Family

CALLS = "[TOOL_CALLS]"


def _item(name: str, arguments: Any) -> str:
    return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"{CALLS} [{_item(name, arguments)}]"


ITEM = _item("run", {"a": 1})
OUTPUTS = {
    "two in one array": f'{CALLS}[{ITEM}, {_item("bare", {})}]',
    "bare object": CALLS + ITEM,
    "token twice": f"{CALLS}{CALLS}[{ITEM}]",
    "no space": f"{CALLS}[{ITEM}]",
    "compact": f'{CALLS}[{{"name":"run","arguments":{{"a":1,"b":[1,2],"c":{{}}}}}}]',
    "spaced": f'{CALLS} [ {{ "name" : "run" , "arguments" : {{ "a" : 1 }} }} ] ',
    "json numbers": f'{CALLS}[{{"name": "run", "arguments": {{"a": 1e3, "b": 1.0, "c": -0}}}}]',
    "json escapes": f'{CALLS}[{{"name": "run", "arguments": {{"a": "\\u00e9\\/\\n"}}}}]',
    "arguments first": f'{CALLS}[{{"arguments": {{"a": 1}}, "name": "run"}}]',
    "extra keys": f'{CALLS}[{{"id": "x", "name": "run", "arguments": {{"a": 1}}}}]',
    "string arguments": f'{CALLS}[{{"name": "run", "arguments": "{{}}"}}]',
    "no arguments key": f'{CALLS}[{{"name": "run"}}]',
    "repeated key": f'{CALLS}[{{"name": "run", "arguments": {{"a": 1, "a": 2}}}}]',
    "empty array": f"{CALLS}[]",
    "array of numbers": f"{CALLS}[1, 2]",
    "prose after the token": f"{CALLS} I will call run.",
    "array left open": f"{CALLS}[{ITEM}",
    "comma missing": f"{CALLS}[{ITEM} {ITEM}]",
    "broken arguments": f'{CALLS}[{{"name": "run", "arguments": {{"a": 1,, 2}}}}]',
    "text after the array": f"{CALLS}[{ITEM}] Done.",
    "brackets in prose": "The list [1, 2] and [TOOLS].",
    "named form": f'{CALLS}run{{"a": 1}}',
    "array without token": f"[{ITEM}]",
    "other tokens": f"a<|im_start|>b{CALLS}[{ITEM}]",
}  # fmt: skip


def _cases() -> tuple[Case, ...]:
    tools = [{"type": "function", "function": {"name": name}} for name in ("run", "bare")]
    named = {"type": "function", "function": {"name": "run"}}
    forced: list[Case] = [
        {"name": f"{what}: {how}", "text": text, "request": {"tools": tools, "tool_choice": choice}}
        for what, choice in (("required", "required"), ("named", named))
        for how, text in {
            "bare array": f"[{ITEM}]",
            "bare array of two": f"[{ITEM}, {_item('bare', {})}]",
            "token and array": f"{CALLS}[{ITEM}]",
            "bare array and text": f"[{ITEM}] Done.",
        }.items()
    ]
    plain: list[Case] = [{"name": name, "text": text} for name, text in OUTPUTS.items()]
    return (*plain, *forced)


FAMILY = Family(
    golden={
        "mistral@arrays": ("mistral", None),
    },
    call=call,
    added=(CALLS,),
    glue="",
    extra=_cases(),
    markup=(f"{CALLS}[", ITEM, "[{", "}]"),
)
