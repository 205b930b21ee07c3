"""Hunyuan V3: a section of calls, keys and values between tags of their own."""

from __future__ import annotations

import json
from typing import Any

from . import Case, Family, Text


def shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def pairs(arguments: dict[str, Any]) -> str:
    return "".join(
        f"<arg_key>{key}</arg_key>\n<arg_value>{shown(value)}</arg_value>\n"
        for key, value in arguments.items()
    )


def one(name: str, arguments: dict[str, Any]) -> str:
    return f"<tool_call>{name}<tool_sep>\n{pairs(arguments)}</tool_call>"


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"<tool_calls>\n{one(name, arguments)}\n</tool_calls>"


TYPES: dict[str, dict[str, Any]] = {
    "types": {
        "city": "12", "days": "7", "limit": "2.0", "metric": "true", "where": '{"lat":1, "x":[]}',
        "tags": '["a","b"]', "unit": "c", "level": "2", "maybe": "null", "either": "5",
        "one": "0", "all": "9", "ref": "3", "free": "4", "int": "8", "odd": "1.5",
    },
    "types that do not fit": {
        "days": "soon", "limit": "inf", "metric": "yes", "where": "{broken", "tags": "a, b",
        "level": "high", "maybe": "text", "either": "x", "one": "maybe", "all": "1.5",
        "int": " 8 ", "odd": "abc",
    },
    "numbers as text": {"limit": "1e3", "days": "1_000", "int": "2.5", "free": "-0"},
    "python literals": {"where": "{'lat': 1}", "tags": "['a', None]", "odd": "(1, 2)"},
    "bool words": {"metric": "True", "one": "FALSE"},
}  # fmt: skip


def odd(sep: str) -> dict[str, Text]:
    """sep: what stands behind the name."""

    def section(*bodies: str) -> str:
        return "<tool_calls>" + "".join(bodies) + "</tool_calls>"

    def of(body: str, end: str = "</tool_call>") -> str:
        return f"<tool_call>{body}{end}"

    key = "<arg_key>city</arg_key>"
    value = "<arg_value>Paris</arg_value>"
    return {
        "one line": section(of(f"run{sep}<arg_key>a</arg_key><arg_value>1</arg_value>")),
        "two in a section": section(of(f"run{sep}"), "\n", of(f"get_weather{sep}{key}{value}")),
        "three glued in a section": section(of(f"run{sep}"), of(f"bare{sep}"), of(f"run{sep}")),
        "spaces in the name": section(of(f" run {sep}")),
        "spaces in a key": section(of(f"run{sep}<arg_key> a </arg_key><arg_value>1</arg_value>")),
        "spaces in a value": section(of(f"run{sep}{key}<arg_value>\n Paris \n</arg_value>")),
        "spaces between key and value": section(of(f"get_weather{sep}{key} \n {value}")),
        "empty value": section(of(f"get_weather{sep}{key}<arg_value></arg_value>")),
        "repeated parameter": section(of(f"get_weather{sep}{key}{value}{key}{value}")),
        "text between": section("well ", of(f"run{sep}"), " and ", of(f"bare{sep}"), " so "),
        "text in the call": section(of(f"get_weather{sep}hm {key}{value} so ")),
        "value left open": section(of(f"get_weather{sep}{key}<arg_value>Paris")),
        "key left open": section(of(f"get_weather{sep}<arg_key>city{value}")),
        "no value": section(of(f"get_weather{sep}{key}")),
        "call end in a value": section(of(f"run{sep}{key}<arg_value>a </tool_call> b</arg_value>")),
        "tags in a value": section(of(f"run{sep}{key}<arg_value>a <b> </arg_key> c</arg_value>")),
        "no call end": section(of(f"get_weather{sep}{key}{value}", "")),
        "no call end, next": section(of(f"get_weather{sep}{key}{value}", ""), of(f"bare{sep}")),
        "no section end": "<tool_calls>" + of(f"run{sep}"),
        "no section end, text": "<tool_calls>" + of(f"run{sep}") + " Done.",
        "no section": of(f"get_weather{sep}{key}{value}"),
        "two sections": section(of(f"run{sep}")) + section(of(f"bare{sep}")),
        "empty section": section(),
        "prose section": section("I will call run."),
        "only section start": "Well.<tool_calls>",
        "json in the call": section(of('{"name": "run", "arguments": {}}')),
        "empty call": section(of("")),
        "empty name": section(of(sep)),
        "stray section end": "Well </tool_calls> then.",
        "call end twice": section(of(f"run{sep}"), "</tool_call>"),
        "call start twice": section("<tool_call>", of(f"run{sep}")),
        "spelt tags": ["<tool", f"_calls><tool_call>run{sep}</tool_call></tool", "_calls>"],
        "end token": section(of(f"run{sep}")) + "<|im_end|>",
        "special token in a value": section(
            of(f"run{sep}{key}<arg_value>a<|im_start|>b</arg_value>")
        ),
    }


def efforts() -> tuple[Case, ...]:
    """Reasoning under other efforts than the recording's."""
    return tuple(
        {
            "name": f"effort {effort}: {what}",
            "text": text,
            "request": {"chat_template_kwargs": {"reasoning_effort": effort}},
        }
        for effort in ("no_think", "low", "")
        for what, text in {"tags": "<think>a</think>b", "text": "Just text."}.items()
    )


TAGS = (
    "<tool_calls>", "</tool_calls>", "<tool_sep>", "<arg_key>", "</arg_key>", "<arg_value>",
    "</arg_value>",
)  # fmt: skip
MARKUP = (
    *TAGS, "<tool_call>", "</tool_call>", "<tool_call>look<tool_sep>", "<tool_call>run<arg_key>",
    "<arg_key>text</arg_key><arg_value>", "<arg_key>days</arg_key>", "</think", "<arg", "_key>",
)  # fmt: skip

FAMILY = Family(
    golden={
        "hy_v3": ("hy_v3", None),
        "hy_v3+hy_v3": ("hy_v3", "hy_v3"),
        "hy_v3@reasoning": (None, "hy_v3"),
    },
    call=call,
    added=TAGS,
    request={"chat_template_kwargs": {"reasoning_effort": "high"}},
    odd={name: call("get_weather", arguments) for name, arguments in TYPES.items()}
    | odd("<tool_sep>")
    | {"no separator": "<tool_calls><tool_call>run</tool_call></tool_calls>"},
    extra=efforts(),
    markup=MARKUP,
    exact=False,
)
