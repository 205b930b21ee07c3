"""K2 Horizon: calls as keys and values, perhaps with types, or as JSON."""

from __future__ import annotations

import json
from typing import Any

from . import Case, Family

GROUP, GROUP_END = "<ifm|tool_calls>", "</ifm|tool_calls>"
CALL, CALL_END = "<ifm|tool_call>", "</ifm|tool_call>"
OPEN, CLOSE = "<ifm|think>", "</ifm|think>"


def pair(key: str, value: str, kind: str = "") -> str:
    told = f"<ifm|arg_type>{kind}</ifm|arg_type>\n" if kind else ""
    return f"<ifm|arg_key>{key}</ifm|arg_key>\n{told}<ifm|arg_value>{value}</ifm|arg_value>\n"


def one(name: str, *pairs: str) -> str:
    return f"{CALL}{name}\n{''.join(pairs)}{CALL_END}\n"


def group(*calls: str) -> str:
    return f"{GROUP}\n{''.join(calls)}{GROUP_END}"


def call(name: str, arguments: dict[str, Any]) -> str:
    shown = {
        key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for key, value in arguments.items()
    }
    return group(one(name, *(pair(key, value) for key, value in shown.items())))


def told(name: str, text: str, **kwargs: Any) -> Case:
    """A case under template arguments."""
    return {"name": name, "text": text, "kwargs": kwargs}


RUN = one("run", pair("a", "1"))
FAMILY = Family(
    golden={
        "k2_horizon": ("k2_horizon", None),
        "k2_horizon@reasoning": (None, "k2_horizon"),
        "k2_horizon+k2_horizon": ("k2_horizon", "k2_horizon"),
    },
    call=call,
    think=(OPEN, CLOSE),
    added=(
        GROUP, GROUP_END, CALL, CALL_END, OPEN, CLOSE, "<ifm|think_fast>", "</ifm|think_fast>",
        "<ifm|think_faster>", "</ifm|think_faster>",
    ),
    odd={
        "two in a group": group(RUN, one("bare")),
        "one line": group(one("run", pair("a", "1"))).replace("\n", ""),
        "types": group(one(
            "get_weather", pair("city", "12"), pair("days", "7"), pair("limit", "2.0"),
            pair("metric", "true"), pair("where", '{"lat":1}'), pair("tags", '["a"]'),
            pair("maybe", "null"), pair("either", "5"), pair("free", "4"),
        )),
        "types that do not fit": group(one("get_weather", pair("days", "so"), pair("where", "{"))),
        "blanks around values": group(one("get_weather", pair("city", " P "), pair("days", " 2 "))),
        "blanks around keys": group(one("run", pair(" a ", "1"))),
        "newlines in a value": group(one("run", pair("a", "\nx\n\ny\n"))),
        "empty value": group(one("run", pair("a", ""))),
        "empty key": group(one("run", pair("", "1"))),
        "repeated key": group(one("run", pair("a", "1"), pair("a", "2"))),
        "value left open": group(one("run", pair("a", "1").replace("</ifm|arg_value>", ""))),
        "key left open": group(one("run", pair("a", "1").replace("</ifm|arg_key>", ""))),
        "tags in a value": group(one("run", pair("a", "x <b> </c> <ifm|x> </ifm|arg_"))),
        "call end in a value": group(one("run", pair("a", f"x {CALL_END} y"))),
        "text in the call": group(one("run", "hm ", pair("a", "1"), " so ")),
        "text in the group": group("hm ", RUN, " so ") + " ok",
        "unexpected type": group(one("run", pair("a", "1", "integer"))),
        "empty group": "Well. " + group() + " Then.",
        "only the group": "Well. " + GROUP,
        "prose group": GROUP + " is a tag.",
        "no group": "Well. " + RUN,
        "no group end": GROUP + RUN,
        "no call end": group(RUN.replace(CALL_END, "")),
        "no call end, next": group(RUN.replace(CALL_END, ""), RUN),
        "empty name": group(one("")),
        "name with spaces": group(one("run now")),
        "second tool is unknown": group(RUN, one("nope")),
        "two groups": group(RUN) + group(RUN),
        "group twice": GROUP + group(RUN),
        "closing tag twice": group(RUN) + GROUP_END,
        "stray closing tags": f"Well {CALL_END} then {GROUP_END}.",
        "spelt tokens": ["<ifm|tool", "_calls>" + RUN + GROUP_END],
        "special token in content": "One<|im_start|>two<|fim_prefix|>three",
        "special token in a value": group(one("run", pair("a", "x<|im_start|>y"))),
        "end token": group(RUN) + "<|im_end|>",
        "think tags in content": "A <ifm|think> b </ifm|think> c",
    },
    extra=(
        told("as json", group(f'{CALL}{{"name": "run", "arguments": {{"a":1}}}}{CALL_END}'),
             tool_call_format="json"),
        told("as json, two", group(
            f'{CALL}\n{{"name": "run", "arguments": {{"a": "é\\n"}}}}\n{CALL_END}\n',
            f'{CALL}{{"name": "bare"}}{CALL_END}',
        ), tool_call_format="json"),
        told("as json, broken", group(f'{CALL}{{"name": "run", "arguments": {{"a" 1}}{CALL_END}'),
             tool_call_format="json"),
        told("as json, unknown", group(f'{CALL}{{"name": "nope", "arguments": {{}}}}{CALL_END}'),
             tool_call_format="json"),
        told("typed", group(one(
            "run", pair("a", "1", "integer"), pair("b", "1", "string"), pair("c", " [1] ", "array"),
            pair("d", "1", "any"), pair("e", "x", "list[int]"), pair("f", "true", " Boolean "),
        )), tool_call_format="xml_typed"),
        told("typed, with a schema", group(one(
            "get_weather", pair("days", "1", "string"), pair("either", "1", "string"),
            pair("city", "1", "integer"),
        )), tool_call_format="xml_typed"),
        told("typed, one without", group(one("run", pair("a", "1"))), tool_call_format="xml_typed"),
        told("fast", "<ifm|think_fast>Hm.</ifm|think_fast>Yes.", reasoning_effort="medium"),
        told("faster", "<ifm|think_faster>Hm.</ifm|think_faster>Yes.", reasoning_effort="low"),
        told("another effort", "Hm.</ifm|think>Yes.", reasoning_effort="low"),
    ),
    markup=(
        "<ifm|arg_key>text</ifm|arg_key>", "<ifm|arg_value>", "</ifm|arg_value>", CALL + "look",
        "<ifm|arg_key>days</ifm|arg_key>", "<ifm|arg_type>integer</ifm|arg_type>",
        CALL + '{"name": "look", "arguments": {',
    ),
    exact=False,
    known=True,
)  # fmt: skip
