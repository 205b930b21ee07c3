"""PLaMo 3: markers that are spelt over several tokens, and arguments as JSON."""

from __future__ import annotations

import json
from typing import Any

from . import Family, Text


def mark(name: str) -> str:
    return f"<|plamo:{name}:plamo|>"


S, SE = mark("begin_tool_requests"), mark("end_tool_requests")
R, RE = mark("begin_tool_request"), mark("end_tool_request")
N, NE = mark("begin_tool_name"), mark("end_tool_name")
A = mark("begin_tool_arguments") + "<|plamo:constrain|>json<|plamo:msg|>"
AE = mark("end_tool_arguments")
EOT = "<|plamo:tag|>"


def one(name: str, arguments: str) -> str:
    return f"{R}{N}{name}{NE}{A}{arguments}{AE}{RE}"


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"{S}{one(name, json.dumps(arguments, ensure_ascii=False))}{SE}"


def _section(body: str) -> str:
    return f"{S}{body}{SE}"


ODD: dict[str, Text] = {
    "two in a section": _section(one("run", "{}") + one("bare", "{}")),
    "blanks between": f"{S}\n{one('run', '{}')}\n{one('bare', '{}')}\n{SE}\n",
    "compact": _section(one("run", '{"a":1,"b":[1,2]}')),
    "spaced": _section(one("run", ' { "a" : 1 , "b" : [ ] } ')),
    "json numbers": _section(one("run", '{"a": 1e3, "b": 1.0, "c": -0}')),
    "json escapes": _section(one("run", '{"a": "\\u00e9\\n"}')),
    "types that do not fit": _section(one("get_weather", '{"city": 12, "days": "7"}')),
    "no arguments text": _section(one("run", "")),
    "blank arguments": _section(one("run", " ")),
    "prose arguments": _section(one("run", "a is 1")),
    "list arguments": _section(one("run", "[1, 2]")),
    "broken arguments": _section(one("run", '{"a": 1,, "b": 2}')),
    "arguments left open": _section(one("run", '{"a": 1')),
    "text after arguments": _section(one("run", '{"a": 1} so')),
    "spaces in the name": f"{S}{one(' run ', '{}')}{SE}",
    "empty name": f"{S}{one('', '{}')}{SE}",
    "no arguments marker": f"{S}{R}{N}run{NE}{RE}{SE}",
    "no name end": f"{S}{R}{N}run{A}{{}}{AE}{RE}{SE}",
    "no arguments end": f"{S}{R}{N}run{NE}{A}{{}}{RE}{SE}",
    "no request end": f"{S}{R}{N}run{NE}{A}{{}}{AE}{SE}",
    "no section": one("run", "{}"),
    "no section end": f"{S}{one('run', '{}')}",
    "no section end, text": f"{S}{one('run', '{}')} Done.",
    "text between": f"{S}well {one('run', '{}')} and {one('bare', '{}')} so {SE}",
    "empty section": f"{S}{SE}",
    "prose section": f"{S}I will call run.{SE}",
    "only section start": f"Well.{S}",
    "stray section end": f"Well {SE} then.",
    "turn end": f"{S}{one('run', '{}')}{SE}{EOT}",
    "turn end in content": f"One{EOT}two",
    "turn end in a call": f"{S}{R}{N}run{NE}{A}{{{EOT}then",
    "special token in content": "One<|im_start|>two",
    "marker in a string": f"{S}{one('run', json.dumps({'a': AE}))}{SE}",
}

FAMILY = Family(
    golden={
        "plamo3": ("plamo3", None),
        "plamo3+plamo3": ("plamo3", "plamo3"),
        "plamo3@reasoning": (None, "plamo3"),
    },
    call=call,
    added=("<|plamo:begin_", "<|plamo:end_", ":plamo|>", EOT),
    think=(mark("begin_think"), mark("end_think")),
    odd=ODD,
    markup=(
        S, SE, R, RE, N, NE, A, AE, f"{S}{R}{N}look{NE}{A}", f"{N}run{NE}{A}", "tool_name", "think",
        "<|plamo:", "constrain|>json<|plamo:msg|>",
    ),
)  # fmt: skip
