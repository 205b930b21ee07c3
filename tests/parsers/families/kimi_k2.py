"""Kimi K2: the call's ID and JSON in sections of special tokens."""

from __future__ import annotations

import json
from typing import Any

from . import Family
from .deepseek_v3 import thinking

SECTION, SECTION_END = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"
CALL, CALL_END = "<|tool_call_begin|>", "<|tool_call_end|>"
ARGUMENTS = "<|tool_call_argument_begin|>"


def one(name: str, body: str, header: str = "functions.{}:0") -> str:
    return f"{CALL}{header.format(name)}{ARGUMENTS}{body}{CALL_END}"


def call(name: str, arguments: dict[str, Any]) -> str:
    return SECTION + one(name, json.dumps(arguments, ensure_ascii=False)) + SECTION_END


def section(*calls: str) -> str:
    return SECTION + "".join(calls) + SECTION_END


FAMILY = Family(
    golden={
        "kimi_k2": ("kimi_k2", None),
        "kimi_k2@reasoning": (None, "kimi_k2"),
        "kimi_k2+kimi_k2": ("kimi_k2", "kimi_k2"),
    },
    call=call,
    added=(SECTION, SECTION_END, CALL, CALL_END, ARGUMENTS),
    odd={
        "two in a section": section(one("run", '{"a": 1}'), "\n", one("bare", "{}")),
        "compact": section(one("run", '{"a":1,"b":[1,2],"c":{}}')),
        "spread over lines": section(one("run", '\n{\n  "a": 1,\n  "b": [ ]\n}\n')),
        "json numbers": section(one("run", '{"a": 1e3, "b": 1.0, "c": -0}')),
        "json escapes": section(one("run", '{"a": "\\u00e9\\/\\ud83d\\ude00\\n\\""}')),
        "types of the schema": section(one("get_weather", '{"days": "2", "city":5}')),
        "repeated key": section(one("run", '{"a": 1, "a": 2}')),
        "list arguments": section(one("run", "[1, 2]")),
        "number arguments": section(one("run", "12")),
        "empty arguments": section(one("run", "")),
        "blank arguments": section(one("run", " \n")),
        "prose arguments": section(one("run", "none needed")),
        "broken arguments": section(one("run", '{"a": 1,, "b": 2}')) + " ok",
        "trailing comma": section(one("run", '{"a": 1,}')),
        "object left open": section(one("run", '{"a": 1')),
        "one brace too many": section(one("run", '{"a": 1}}')),
        "raw newline in a string": section(one("run", '{"a": "x\ny"}')),
        "not a number": section(one("run", '{"a": NaN}')),
        "call token in a string": section(one("run", '{"a": "x' + CALL_END + 'y"}')),
        "later ID": section(one("run", "{}", "functions.{}:12")),
        "no namespace": section(one("run", "{}", "{}:0")),
        "blanks in the ID": section(one("run", "{}", " \nfunctions.{}:0 \n")),
        "other namespace": section(one("run", "{}", "tools.{}:0")),
        "text after the ID": section(one("run", "{}", "functions.{}:0 now")),
        "no number in the ID": section(one("run", '{"a": 1}', "functions.{}")),
        "no name in the ID": section(one("run", '{"a": 1}', "functions.:0")),
        "two colons": section(one("run", '{"a": 1}', "functions.a:{}:3")),
        "no section end": SECTION + one("run", '{"a": 1}'),
        "no call end": section(one("run", '{"a": 1}').removesuffix(CALL_END)),
        "no call end, next": section(
            one("run", '{"a": 1}').removesuffix(CALL_END), one("bare", "{}")
        ),
        "no arguments token": section(f"{CALL}functions.run:0{CALL_END}"),
        "no section": "Well. " + one("run", '{"a": 1}'),
        "empty section": "Well. " + section() + " Then.",
        "only the section": "Well. " + SECTION,
        "text in the section": section("hm ", one("run", "{}"), " so ") + " ok",
        "stray closing tokens": f"Well {CALL_END} then {SECTION_END}.",
        "section twice": SECTION + section(one("run", "{}")),
        "two sections": section(one("run", "{}")) + section(one("bare", "{}")),
        "closing token twice": section(one("run", "{}")) + SECTION_END,
        "spelt tokens": ["Say <|tool_calls", "_section_begin|>" + CALL, "functions.run:0"],
        "special token in content": "One<|im_start|>two<|fim_prefix|>three",
        "special token in a string": section(one("run", '{"a": "x<|im_start|>y"}')),
        "end token": section(one("run", "{}")) + "<|im_end|>",
        "think tags in content": "A <think> b </think> c",
    },
    extra=thinking(call("run", {"code": "1"})),
    markup=(SECTION, SECTION_END, CALL, CALL_END, ARGUMENTS, CALL + "functions.look:0" + ARGUMENTS),
)
