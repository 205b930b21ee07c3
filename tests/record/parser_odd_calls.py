"""Calls of the base families that are not as they should be, or nearly so."""

from __future__ import annotations

import json

from tests.parsers.families import Text

from .parser_calls import coder, hermes, llama

HERMES_ODD: dict[str, Text] = {
    "compact": '<tool_call>{"name":"run","arguments":{"a":1,"b":[1,2],"c":{}}}</tool_call>',
    "spaced": (
        '<tool_call>\n{ "name" : "run" ,\n "arguments" : { "a" : 1 , "b" : '
        '[ ] } }\n</tool_call>'
    ),
    "json numbers": (
        '<tool_call>{"name": "run", "arguments": {"a": 1e3, "b": 1.0, "c": '
        '-0, "d": 1E-7, "e": 0.10}}</tool_call>'
    ),
    "json escapes": (
        '<tool_call>{"name": "run", "arguments": {"a": "\\u00e9\\/\\u0041\\'
        'ud83d\\ude00\\n\\"\\\\"}}</tool_call>'
    ),
    "repeated key": '<tool_call>{"name": "run", "arguments": {"a": 1, "a": 2}}</tool_call>',
    "arguments first": '<tool_call>{"arguments": {"a":1}, "name": "run"}</tool_call>',
    "extra keys": (
        '<tool_call>{"id": "x1", "name": "run", "arguments": {"a": 1}, "typ'
        'e": "f"}</tool_call>'
    ),
    "string arguments": '<tool_call>{"name": "run", "arguments": "{\\"a\\": 1}"}</tool_call>',
    "null arguments": '<tool_call>{"name": "run", "arguments": null}</tool_call>',
    "number arguments": '<tool_call>{"name": "run", "arguments": 12 }</tool_call>',
    "list arguments": '<tool_call>{"name": "run", "arguments": [1,2]}</tool_call>',
    "no arguments key": '<tool_call>{"name": "run"}</tool_call>',
    "no name": '<tool_call>{"arguments": {"a": 1}}</tool_call>',
    "name is a number": '<tool_call>{"name": 3, "arguments": {}}</tool_call>',
    "empty body": "<tool_call></tool_call>",
    "prose body": "<tool_call>I will call run.</tool_call> Then?",
    "list body": '<tool_call>[{"name": "run", "arguments": {}}]</tool_call>',
    "single quotes": "<tool_call>{'name': 'run', 'arguments': {}}</tool_call>",
    "broken arguments": '<tool_call>{"name": "run", "arguments": {"a": 1,, "b": 2}}</tool_call> ok',
    "trailing comma": '<tool_call>{"name": "run", "arguments": {"a": 1,}}</tool_call>',
    "object left open": '<tool_call>{"name": "run", "arguments": {"a": 1}</tool_call>',
    "one brace too many": '<tool_call>{"name": "run", "arguments": {"a": 1}}}</tool_call>',
    "text after the object": '<tool_call>{"name": "run", "arguments": {}} so</tool_call>',
    "raw newline in a string": '<tool_call>{"name": "run", "arguments": {"a": "x\ny"}}</tool_call>',
    "not a number": '<tool_call>{"name": "run", "arguments": {"a": NaN}}</tool_call>',
    "second call is malformed": hermes("run", {"a": 1}) + "\n<tool_call>nope</tool_call>",
    "no closing tag": '<tool_call>{"name": "run", "arguments": {"a": 1}}',
    "no closing tag between": (
        '<tool_call>{"name": "run", "arguments": {}}<tool_call>{"name": "ba'
        're", "arguments": {}}</tool_call>'
    ),
    "stray closing tag": "Well </tool_call> then.",
    "closing tag twice": hermes("run", {}) + "</tool_call>",
    "opening tag twice": "<tool_call>" + hermes("run", {}),
    "spelt tags": ["<tool", '_call>{"name": "run", "arguments": {"a": 1}}</tool', "_call>"],
    "tag in prose": ["Write <tool", "_call> first, then the object."],
    "end tokens": hermes("run", {"a": "1"}) + "<|im_end|>",
    "special token in content": "One<|im_start|>two<|fim_prefix|>three",
    "special token in a string": (
        '<tool_call>{"name": "run", "arguments": {"a": "x<|im_start|>y"}}</'
        'tool_call>'
    ),
}  # fmt: skip

LLAMA_ODD: dict[str, Text] = {
    "python tag": "<|python_tag|>" + llama("run", {"a": 1}),
    "python tag and space": "<|python_tag|> \n" + llama("run", {"a": 1}),
    "python tag and code": "<|python_tag|>print(1)",
    "python tag and prose": "<|python_tag|> Look: " + llama("run", {"a": 1}),
    "only python tag": "<|python_tag|>",
    "arguments key": '{"name": "run", "arguments": {"a": 1}}',
    "compact": '{"name":"run","parameters":{"a":1,"b":[1,2],"c":{}}}',
    "json numbers": '{"name": "run", "parameters": {"a": 1e3, "b": 1.0, "c": -0}}',
    "json escapes": '{"name": "run", "parameters": {"a": "\\u00e9\\/\\ud83d\\ude00\\n\\""}}',
    "type first": '{"type": "function", "name": "run", "parameters": {"a": 1}}',
    "parameters first": '{"parameters": {"a": 1}, "name": "run"}',
    "plain object": '{"a": 1, "b": [2, 3]}',
    "long plain object": json.dumps({f"key{i}": f"value {i}" for i in range(80)}),
    "braces in prose": "The set {1, 2} is finite.",
    "braces before a call": "The set {1, 2}. " + llama("run", {}),
    "plain object then call": '{"a": 1}; ' + llama("run", {}),
    "call then braces": llama("run", {}) + " and {x}",
    "no parameters": '{"name": "run"}',
    "name is a number": '{"name": 3, "parameters": {}}',
    "single quotes": "{'name': 'run', 'parameters': {}}",
    "broken arguments": '{"name": "run", "parameters": {"a": 1,,}} ok',
    "object left open": '{"name": "run", "parameters": {"a": 1}',
    "semicolon then text": llama("run", {}) + "; and more",
    "semicolon at the end": llama("run", {"a": "b"}) + ";",
    "no space after semicolon": llama("run", {}) + ";" + llama("bare", {}),
    "comma between": llama("run", {}) + ", " + llama("bare", {}),
    "call in a code block": "```json\n" + llama("run", {"a": 1}) + "\n```",
    "end token": llama("run", {"a": 1}) + "<|eot_id|>",
    "special token in content": "One<|start_header_id|>two",
}

_P = "<tool_call>\n<function=get_weather>\n"
_E = "\n</function>\n</tool_call>"
CODER_ODD: dict[str, Text] = {
    "types": coder("get_weather", {
        "city": "12", "days": "7", "limit": "2.0", "metric": "true", "where": '{"lat":1, "x":[]}',
        "tags": '["a","b"]', "unit": "c", "level": "2", "maybe": "null", "either": "5",
        "one": "0", "all": "9", "ref": "3", "free": "4", "int": "8", "odd": "1.5",
    }),
    "types that do not fit": coder("get_weather", {
        "days": "soon", "limit": "inf", "metric": "yes", "where": "{broken", "tags": "a, b",
        "level": "high", "maybe": "text", "either": "x", "one": "maybe", "all": "1.5",
        "int": " 8 ", "odd": "abc",
    }),
    "null words": coder("get_weather", {"maybe": "NULL", "days": "null", "city": "null"}),
    "bool words": coder("get_weather", {"metric": " True ", "one": "FALSE"}),
    "exponents": coder("get_weather", {"limit": "1e3", "days": "1_000", "free": "1e5"}),
    "json with escapes": coder("get_weather", {"tags": '["\\u00e9", "a\\nb"]'}),
    "nothing in the schema": coder("run", {"a": "1", "b": "true", "c": "{}"}),
    "no schema": coder("bare", {"a": "1"}),
    "one line": "<tool_call><function=run><parameter=a>1</parameter></function></tool_call>",
    "inner newlines": _P + "<parameter=city>\n\nParis\n\n</parameter>" + _E,
    "no wrapping newlines": _P + "<parameter=city>Paris</parameter>" + _E,
    "empty value": _P + "<parameter=city></parameter>" + _E,
    "newline value": _P + "<parameter=city>\n</parameter>" + _E,
    "two newlines value": _P + "<parameter=city>\n\n</parameter>" + _E,
    "spaces in tags": _P + "< parameter = city>Paris< / parameter>" + _E,
    "repeated parameter": _P + "<parameter=city>A</parameter><parameter=city>B</parameter>" + _E,
    "parameter left open": _P + "<parameter=city>A<parameter=days>2</parameter>" + _E,
    "last parameter left open": _P + "<parameter=city>Paris" + _E,
    "empty parameter name": _P + "<parameter=>x</parameter>" + _E,
    "function end in a value": _P + "<parameter=city>a </function> b</parameter>" + _E,
    "function in a value": _P + "<parameter=city>a <function=b> c</parameter>" + _E,
    "tags in a value": _P + "<parameter=city>a <b> </c> <param> </para</parameter>" + _E,
    "call tag in a value": _P + "<parameter=city>a </tool_call> b</parameter>" + _E,
    "no function end": _P + "<parameter=city>Paris</parameter>\n</tool_call>",
    "no function end, text": _P + "<parameter=city>Paris</parameter>\n</tool_call>\nDone.",
    "no function end, next": _P
    + "<parameter=city>A</parameter>\n</tool_call>\n"
    + coder("bare", {}),
    "no call tags": "<function=run>\n<parameter=a>\n1\n</parameter>\n</function>",
    "no call tags, text": "Well: <function=run>\n<parameter=a>1</parameter>\n</function>\nDone.",
    "no end tag": "<tool_call>\n<function=run>\n<parameter=a>1</parameter>\n</function>",
    "two functions in one": (
        "<tool_call>\n<function=run>\n</function>\n<function=bare>\n</funct"
        "ion>\n</tool_call>"
    ),
    "function without end": (
        "<tool_call>\n<function=run>\n<function=bare>\n</function>\n</tool_"
        "call>"
    ),
    "text in the call": "<tool_call>\nhere: <function=run>\n</function>\n</tool_call>",
    "text between": (
        "<tool_call>\n<function=run>\nhm\n<parameter=a>1</parameter> so </f"
        "unction>\n</tool_call>"
    ),
    "text after function": "<tool_call>\n<function=run>\n</function> ok\n</tool_call>",
    "json body": '<tool_call>\n{"name": "run", "arguments": {}}\n</tool_call>',
    "json in function": '<tool_call>\n<function=run>\n{"a": 1}\n</function>\n</tool_call>',
    "empty call": "<tool_call>\n</tool_call>",
    "only opening tag": "Well.<tool_call>",
    "empty name": "<tool_call>\n<function=>\n<parameter=a>1</parameter>\n</function>\n</tool_call>",
    "name with spaces": "<tool_call>\n<function= run >\n</function>\n</tool_call>",
    "name without angle": "<tool_call>\n<function=run</function>\n</tool_call>",
    "name then call end": "<tool_call>\n<function=run</tool_call> then",
    "name then call": "<tool_call>\n<function=run" + coder("bare", {}),
    "name then function": "<tool_call>\n<function=run<function=bare>\n</function>\n</tool_call>",
    "stray closing tag": "Well </tool_call> then.",
    "stray function end": "Well </function> then.",
    "opening tag twice": "<tool_call>" + coder("run", {}),
    "spelt tags": ["<tool", "_call>\n<function=run>\n</function>\n</tool", "_call>"],
    "end token": coder("run", {"a": "1"}) + "<|im_end|>",
    "special token in content": "One<|im_start|>two<|fim_prefix|>three",
    "special token in a value": coder("run", {"a": "x<|im_start|>y"}),
    "think tags in content": "A <think> b </think> c",
}  # fmt: skip
