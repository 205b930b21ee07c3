"""Mistral from tokenizer version 11 on: each call has its token, a name and JSON."""

from __future__ import annotations

import json
from typing import Any

from . import Case, Family

CALLS, ARGS = "[TOOL_CALLS]", "[ARGS]"
T0, T1 = "[THINK]", "[/THINK]"


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"{CALLS}{name}{ARGS}{json.dumps(arguments, ensure_ascii=False)}"


RUN = call("run", {"a": 1})
OUTPUTS = {
    "without args token": f'{CALLS}run{{"a": 1}}',
    "two without args token": f'{CALLS}run{{"a": 1}}{CALLS}bare{{}}',
    "blanks around the name": f'{CALLS} run {{"a": 1}}',
    "newline after the arguments": f"{RUN}\n",
    "compact": f'{CALLS}run{ARGS}{{"a":1,"b":[1,2],"c":{{}}}}',
    "spaced": f'{CALLS}run{ARGS} {{ "a" : 1 , "b" : [ ] }} ',
    "json numbers": f'{CALLS}run{ARGS}{{"a": 1e3, "b": 1.0, "c": -0, "d": 1E-7}}',
    "json escapes": f'{CALLS}run{ARGS}{{"a": "\\u00e9\\/\\ud83d\\ude00\\n\\""}}',
    "repeated key": f'{CALLS}run{ARGS}{{"a": 1, "a": 2}}',
    "nested braces": f'{CALLS}run{{"a": {{"b": {{"c": "}}"}}}}}}',
    "name key": f'{CALLS}run{ARGS}{{"name": "x", "arguments": {{"b": 1}}}}',
    "list arguments": f"{CALLS}run{ARGS}[1, 2]",
    "prose arguments": f"{CALLS}run{ARGS}a is 1",
    "no arguments at all": f"{CALLS}run{ARGS}",
    "only a name": f"{CALLS}run",
    "only a name, then a call": f"{CALLS}run{RUN}",
    "only the token": CALLS,
    "no name": f'{CALLS}{{"a": 1}}',
    "no name, args token": f'{CALLS}{ARGS}{{"a": 1}}',
    "array of calls": f'{CALLS}[{{"name": "run", "arguments": {{"a": 1}}}}]',
    "broken arguments": f'{CALLS}run{ARGS}{{"a": 1,, 2}}',
    "arguments left open": f'{CALLS}run{ARGS}{{"a": 1',
    "arguments left open, then a call": f'{CALLS}run{ARGS}{{"a": 1{RUN}',
    "text glued to the arguments": f"{RUN}Done.",
    "raw newline in a string": f'{CALLS}run{ARGS}{{"a": "x\ny"}}',
    "args token in the answer": f"Well {ARGS} then.",
    "brackets in prose": "The list [1, 2] and [TOOLS].",
    "other tokens": f"a<|im_start|>b{RUN}",
    "thought, call": f"{T0}Hm.{T1}{RUN}",
    "thought left open, call": f"{T0}Hm.{RUN}",
    "closing token alone": f"Hm.{T1}Hello.",
    "thought after text": f"So. {T0}Hm.{T1} Hello.",
}  # fmt: skip


def _cases() -> tuple[Case, ...]:
    spelt = ["[TOOL", '_CALLS]run{"a": 1}']
    found: list[Case] = [{"name": name, "text": text} for name, text in OUTPUTS.items()]
    return (*found, {"name": "spelt markers", "text": spelt})


FAMILY = Family(
    golden={
        "mistral+mistral": ("mistral", "mistral"),
        "mistral": ("mistral", None),
        "mistral@reasoning": (None, "mistral"),
    },
    call=call,
    added=(CALLS, ARGS, T0, T1),
    glue="",
    think=(T0, T1),
    extra=_cases(),
    markup=(RUN, f"{CALLS}run", '{"a": ', '[{"name": "run", "arguments": {}}'),
)
