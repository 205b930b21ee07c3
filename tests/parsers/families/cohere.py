"""Cohere Command 3 and 4: sections between markers, and citations in their text."""

from __future__ import annotations

import json
from typing import Any

from . import Case, Family

T0, T1 = "<|START_THINKING|>", "<|END_THINKING|>"
R0, R1 = "<|START_RESPONSE|>", "<|END_RESPONSE|>"
A0, A1 = "<|START_ACTION|>", "<|END_ACTION|>"
X0, X1 = "<|START_TEXT|>", "<|END_TEXT|>"


def _item(name: str, arguments: dict[str, Any], number: int = 0) -> str:
    body = {"tool_call_id": str(number), "tool_name": name, "parameters": arguments}
    return json.dumps(body, ensure_ascii=False)


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"{A0}[\n    {_item(name, arguments)}\n]{A1}"


def _raw(parameters: str) -> str:
    return f'{A0}[{{"tool_call_id": "0", "tool_name": "run", "parameters": {parameters}}}]{A1}'


RUN = call("run", {"a": 1})
OUTPUTS = {
    "thought, answer": f"{T0}Hm.{T1}{R0}Hello.{R1}",
    "thought, text": f"{T0}Hm.{T1}{X0}Hello.{X1}",
    "answer alone": f"{R0}Hello.{R1}",
    "text alone": f"{X0}Hello.{X1}",
    "answer left open": f"{R0}Hello.",
    "two in one action": f"{A0}[\n    {_item('run', {'a': 1})},\n    "
    f"{_item('bare', {'b': 2}, 1)}\n]{A1}",
    "two actions": RUN + call("bare", {"b": "x"}),
    "thought, action": f"{T0}Hm.{T1}{RUN}",
    "action in a thought": f"{T0}Hm.{RUN}",
    "action in an answer": f"{R0}So:{RUN}",
    "answer in a thought": f"{T0}Hm.{R0}Hello.{R1}",
    "thought in an answer": f"{R0}One.{T0}Hm.{T1}Two.",
    "two thoughts": f"{T0}a{T1}{T0}b{T1}{R0}c{R1}",
    "two answers": f"{R0}a{R1}{R0}b{R1}",
    "blanks around sections": f"{T0} \n Hm. \n{T1}\n\n{R0}\n Hello. \n{R1}\n",
    "blank sections": f"{T0}  {T1}{R0} \n{R1}",
    "blank lead": "  Hello. ",
    "thought without marker": f"Hm.{T1}{R0}Hello.{R1}",
    "text after an answer": f"{R0}Hello.{R1} More.",
    "text after an action": f"{RUN} Then.",
    "text in an action": f"{A0}Look: {_item('run', {})}{A1}",
    "empty action": f"{A0}[]{A1}",
    "action cut before its array": A0,
    "bare object": A0 + _item("run", {"a": 1}) + A1,
    "fenced action": f"{A0}```json\n[{_item('run', {'a': 1})}]\n```{A1}",
    "citation": f"{R0}It is <co>warm</co: 0:[1,2]> today.{R1}",
    "two citations": f"{R0}<co>a</co: 0:[1]> b <co>c</co: 0:[1],1:[0]>.{R1}",
    "citation in a thought": f"{T0}It is <co>warm</co: 0:[1]>.{T1}{R0}Yes.{R1}",
    "citation left open": f"{R0}It is <co>warm{R1}",
    "citation inside": f"{R0}a <co>b <co>c</co: 0:[1]> d.{R1}",
    "citation's end alone": f"{R0}a </co: 0:[1]> b{R1}",
    "citation cut short": f"{R0}a <co>b</co: 0:[",
    "old citation": f"{R0}a <co: 0:[1]>b</co: 0:[1]> c{R1}",
    "closers alone": f"a{R1}{T1}{A1}b",
    "compact": _raw('{"a":1,"b":[1,2],"c":{}}'),
    "spaced": _raw('{ "a" : 1 , "b" : [ ] }'),
    "json numbers": _raw('{"a": 1e3, "b": 1.0, "c": -0, "d": 1E-7, "e": 0.10}'),
    "json escapes": _raw('{"a": "\\u00e9\\/\\ud83d\\ude00\\n\\"\\\\"}'),
    "indented": _raw('{\n        "a": 1\n    }'),
    "repeated key": _raw('{"a": 1, "a": 2}'),
    "end token in a string": _raw('{"a": "x <|END_ACTION|> y"}'),
    "citation in a string": _raw('{"a": "<co>x</co: 0:[1]>"}'),
    "no call id": f'{A0}[{{"tool_name": "run", "parameters": {{"a": 1}}}}]{A1}',
    "parameters first": f'{A0}[{{"parameters": {{"a": 1}}, "tool_name": "run"}}]{A1}',
    "no parameters": f'{A0}[{{"tool_call_id": "0", "tool_name": "run"}}]{A1}',
    "other keys": f'{A0}[{{"name": "run", "arguments": {{"a": 1}}}}]{A1}',
    "string parameters": _raw('"x"'),
    "null parameters": _raw("null"),
    "broken arguments": _raw('{"a": 1,, 2}'),
    "raw newline in a string": _raw('{"a": "x\ny"}'),
    "not a number": _raw('{"a": NaN}'),
    "object left open": _raw('{"a": 1').replace("}]", ""),
    "turn tokens": f"{R0}Hello.{R1}<|END_OF_TURN_TOKEN|>",
}  # fmt: skip


def _cases() -> tuple[Case, ...]:
    spelt = ["<|START_RES", f"PONSE|>Hi.{R1}"]
    found: list[Case] = [{"name": name, "text": text} for name, text in OUTPUTS.items()]
    return (*found, {"name": "spelt markers", "text": spelt})


FAMILY = Family(
    golden={
        "cohere_command3+cohere_command3": ("cohere_command3", "cohere_command3"),
        "cohere_command3": ("cohere_command3", None),
        "cohere_command3@reasoning": (None, "cohere_command3"),
        "cohere_command4+cohere_command4": ("cohere_command4", "cohere_command4"),
        "cohere_command4": ("cohere_command4", None),
        "cohere_command4@reasoning": (None, "cohere_command4"),
    },
    call=call,
    added=(T0, T1, R0, R1, A0, A1, X0, X1, "<|CHATBOT_TOKEN|>", "<|END_OF_TURN_TOKEN|>"),
    glue="",
    think=(T0, T1),
    lead=R0,
    extra=_cases(),
    markup=("<co>", "</co: 0:[1]>", "</co: ", RUN, A0 + "[", "tool_name", '{"tool_name": "run", '),
)
