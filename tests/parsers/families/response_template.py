"""Formats that the model brings: response templates that we write, each with other constructs.

Here those whose calls stream; those that wait for their end are in `response_held.py`.
"""

from __future__ import annotations

import json
from typing import Any

from . import Family

CHAT = "<|im_start|>assistant\n"
THINK = {"open": "<think>", "close": "</think>"}
FUNCTION = {"name": "{name}", "arguments": "{content}"}


def template(calls: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "defaults": {"role": "assistant"},
        "start_anchor": CHAT,
        "fields": {"thinking": THINK, "tool_calls": {"repeats": True, **calls}, **fields},
    }


def dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


# One JSON object: its keys are the name and the arguments. White space before a call is markup.


def _json(name: str, arguments: dict[str, Any]) -> str:
    return f"<tool_call>{dumped({'name': name, 'arguments': arguments})}</tool_call>"


JSON = template(
    {
        "open_pattern": r"\s*<tool_call>",
        "close": "</tool_call>",
        "content": "json",
        "transform": {"type": "function", "function": "{content}"},
    },
    content={"close_pattern": r"\s*(?:<\|im_end\|>|<\|endoftext\|>)"},
)
RUN = _json("run", {"a": 1})
JSON_ODD: dict[str, str | list[str]] = {
    "compact": '<tool_call>{"name":"run","arguments":{"a":1,"b":[1,2],"c":{}}}</tool_call>',
    "arguments first": '<tool_call>{"arguments": {"a":1}, "name": "run"}</tool_call>',
    "extra keys": '<tool_call>{"id": 1, "name": "run", "arguments": {"a": 1}}</tool_call>',
    "json numbers": '<tool_call>{"name": "run", "arguments": {"a": 1e3, "b": 0.10}}</tool_call>',
    "repeated key": '<tool_call>{"name": "run", "arguments": {"a": 1, "a": 2}}</tool_call>',
    "string parameters": _json("get_weather", {"days": "2", "metric": "true"}),
    "string arguments": '<tool_call>{"name": "run", "arguments": "{\\"a\\": 1}"}</tool_call>',
    "no arguments key": '<tool_call>{"name": "run"}</tool_call>',
    "no name": '<tool_call>{"arguments": {"a": 1}}</tool_call>',
    "empty body": "<tool_call></tool_call>",
    "prose body": "<tool_call>I will call run.</tool_call> Then?",
    "object left open": '<tool_call>{"name": "run", "arguments": {"a": 1}</tool_call>',
    "text after the object": '<tool_call>{"name": "run", "arguments": {}} so</tool_call>',
    "trailing comma": '<tool_call>{"name": "run", "arguments": {"a": 1,}}</tool_call>',
    "not a number": '<tool_call>{"name": "run", "arguments": {"a": NaN}}</tool_call>',
    "no closing tag": '<tool_call>{"name": "run", "arguments": {"a": 1}}',
    "no closing tag between": '<tool_call>{"name": "run", "arguments": {}}' + RUN,
    "stray closing tag": "Well </tool_call> then.",
    "spelt tags": ["<tool", '_call>{"name": "run", "arguments": {"a": 1}}</tool', "_call>"],
    "end token": RUN + "<|im_end|>",
    "text after the end token": "Hello.\n<|im_end|>\nMore.",
    "end token, call": f"Hello.<|im_end|>{RUN}",
    "blanks around the end token": "Hello. \n <|im_end|>\n",
    "special token in content": "One<|im_start|>two",
}

# Tagged parameters, as Qwen 3 Coder writes them; the opening marker names the tool.


def _coder(name: str, arguments: dict[str, Any]) -> str:
    lines = [f"<tool_call>\n<function={name}>"]
    for key, value in arguments.items():
        shown = value if isinstance(value, str) else dumped(value)
        lines.append(f"<parameter={key}>\n{shown}\n</parameter>")
    return "\n".join([*lines, "</function>\n</tool_call>"])


CODER = template(
    {
        "open_pattern": r"\s*<tool_call>\s*<function=(?P<name>[^>\n]+)>",
        "close_pattern": r"</function>\s*</tool_call>",
        "content": "xml-inline",
        "content_args": {
            "tag_pattern": r"<parameter=(?P<key>[^>\n]+)>\s*(?P<value>.*?)\s*</parameter>"
        },
        "transform": {"type": "function", "function": FUNCTION},
    },
    content={"close": ["<|im_end|>", "<|endoftext|>"]},
)
_P = "<tool_call>\n<function=get_weather>\n"
_E = "\n</function>\n</tool_call>"
CODER_ODD: dict[str, str | list[str]] = {
    "types": _coder("get_weather", {
        "city": "12", "days": "7", "limit": "2.0", "metric": "true", "where": '{"lat":1, "x":[]}',
        "tags": '["a","b"]', "unit": "c", "maybe": "null", "either": "5", "one": "0", "ref": "3",
        "free": "4", "int": "8", "odd": "1.5",
    }),
    "types that do not fit": _coder("get_weather", {
        "days": "soon", "limit": "inf", "metric": "yes", "where": "{broken", "tags": "a, b",
        "maybe": "text", "either": "x", "one": "maybe",
    }),
    "whole numbers": _coder("get_weather", {"days": "3.0", "limit": "1e3", "either": " 4 "}),
    "nothing in the schema": _coder("run", {"a": "1", "b": "true", "c": "{}"}),
    "one line": "<tool_call><function=run><parameter=a>1</parameter></function></tool_call>",
    "empty value": _P + "<parameter=city></parameter>" + _E,
    "blank value": _P + "<parameter=city>\n \n</parameter>" + _E,
    "repeated parameter": _P + "<parameter=city>A</parameter><parameter=city>B</parameter>" + _E,
    "parameter left open": _P + "<parameter=city>A<parameter=days>2</parameter>" + _E,
    "last parameter left open": _P + "<parameter=city>Paris" + _E,
    "function end in a value": _P + "<parameter=city>a </function> b</parameter>" + _E,
    "call end in a value": _P + f"<parameter=city>a {_E} b</parameter>" + _E,
    "text between": _P + "hm\n<parameter=city>A</parameter> so " + _E,
    "no function end": _P + "<parameter=city>Paris</parameter>\n</tool_call>",
    "json in function": _P + '{"a": 1}' + _E,
    "empty call": "<tool_call>\n</tool_call>",
    "empty name": "<tool_call>\n<function=>\n</function>\n</tool_call>",
    "long name": f"<tool_call><function={'n' * 200}></function></tool_call>",
    "end token": _coder("run", {}) + "<|im_end|>",
}  # fmt: skip

# The opening marker names the tool; the arguments are the text between the markers.


def _named(name: str, arguments: dict[str, Any]) -> str:
    return f"<fn {name}>{dumped(arguments)}</fn>"


NAMED = template(
    {
        "open_pattern": r"<fn (?P<name>[^>]+)>",
        "close": "</fn>",
        "content": "json",
        "transform": {"function": FUNCTION},
    }
)
NAMED_ODD = {
    "blanks around the arguments": '<fn run> \n{ "a" : 1 }\n </fn>',
    "string parameters": _named("get_weather", {"days": "2"}),
    "no arguments at all": "<fn run></fn> then",
    "prose arguments": "<fn run>soon</fn> then",
    "no end": '<fn run>{"a": 1}',
    "end in a string": _named("run", {"a": "</fn>"}),
    "text after the arguments": '<fn run>{"a": 1} so</fn>',
}
TEXT = json.loads(json.dumps(NAMED))
TEXT["fields"]["tool_calls"]["content"] = "text"
TEXT["fields"]["tool_calls"]["close"] = ["</fn>", "<|im_end|>"]


def family(name: str, template: dict[str, Any], call: Any, **more: Any) -> Family:
    golden: dict[str, tuple[str | None, str | None]] = {f"hf+hf@{name}": ("hf", "hf")}
    return Family(golden=golden, call=call, response_template=template, **more)


# One tool, whose call is all the rest of the output.


def _rest(name: str, arguments: dict[str, Any]) -> str:
    return "RUN " + "".join(f"{key}={dumped(value)};" for key, value in arguments.items())


REST = template(
    {
        "open": "RUN ",
        "content": "xml-inline",
        "content_args": {
            "tag_pattern": r"(?P<key>[a-z]+)=(?P<value>[^;]*);",
            "value_parser": {"name": "json"},
        },
        "transform": {"function": {"name": "run", "arguments": "{content}"}},
    }
)
REST_ODD = {
    "text after it": 'RUN a=1;b="x"; and more',
    "value left open": "RUN a=1;b=2",
    "nothing in it": "Well. RUN ",
}


FAMILIES = {
    "response template, coder": family(
        "coder", CODER, _coder, odd=CODER_ODD, exact=False,
        markup=("<function=", "<parameter=text>", "</parameter>", "</function>"),
    ),
    "response template, named": family(
        "named", NAMED, _named, odd=NAMED_ODD, markup=("<fn run>", "</fn>", '{"a": '),
    ),
    "response template, text": family(
        "text", TEXT, _named, odd=NAMED_ODD, markup=("<fn run>", "</fn>", '{"a": '),
    ),
    "response template, rest": family(
        "rest", REST, _rest, odd=REST_ODD, markup=("RUN ", "a=", ";"), exact=False,
    ),
    "response template": Family(
        golden={"hf": ("hf", None), "hf@reasoning": (None, "hf"), "hf+hf": ("hf", "hf")},
        call=_json,
        response_template=JSON,
        odd=JSON_ODD,
        markup=("<|endoftext|>", '{"name": "run", "arguments": {', "</tool_call>"),
    ),
}  # fmt: skip
