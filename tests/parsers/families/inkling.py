"""Inkling: blocks that say what they are."""

from __future__ import annotations

import json
from typing import Any

from . import Family

ROLE, END, SAMPLED = "<|message_model|>", "<|end_message|>", "<|content_model_end_sampling|>"
THINK, TEXT, CALL = "<|content_thinking|>", "<|content_text|>", "<|content_invoke_tool_json|>"
RAW, ERROR = "<|content_invoke_tool_text|>", "<|content_tool_error|>"


def call(name: str, arguments: dict[str, Any]) -> str:
    return body(json.dumps({"name": name, "args": arguments}, ensure_ascii=False))


def body(text: str, header: str = "") -> str:
    return f"{ROLE}{header}{CALL}{text}{END}"


def said(text: str) -> str:
    return f"{ROLE}{TEXT}{text}{END}"


def thought(text: str) -> str:
    return f"{ROLE}{THINK}{text}{END}"


RUN = call("run", {"a": 1})

FAMILY = Family(
    golden={
        "inkling": ("inkling", None),
        "inkling@reasoning": (None, "inkling"),
        "inkling+inkling": ("inkling", "inkling"),
    },
    call=call,
    added=(ROLE, END, SAMPLED, TEXT, CALL, RAW, ERROR, THINK),
    think=(THINK, END),
    odd={
        "text block": said("Hello."),
        "text block, call": said("Hello.") + RUN,
        "call, text block": RUN + said("Done."),
        "all blocks": thought("Hm.\n") + said("So.") + RUN + thought("Oh.") + said("Done."),
        "two thoughts": thought("Hm.\n") + thought(" Oh.\n") + said("So."),
        "thought inside": f"{ROLE}{THINK}a{THINK}b{END}c",
        "header": body('{"name": "run", "args": {}}', "run"),
        "header before text": f"{ROLE}final{TEXT}Hello.{END}",
        "header alone": f"{ROLE}just words",
        "header, end": f"{ROLE}just words{END}more",
        "long header": f"{ROLE}{'so many words ' * 30}{TEXT}Hello.{END}",
        "two roles": f"{ROLE}{ROLE}{TEXT}Hello.{END}",
        "raw call": f"{ROLE}{RAW}run(1){END}",
        "failed call": f"{ROLE}{ERROR}no tool{END}",
        "no role": f"{CALL}{{}}{END}{TEXT}Hello.",
        "sampling end": f"{ROLE}{TEXT}Hello.{SAMPLED}",
        "sampling end in a thought": f"{ROLE}{THINK}Hm.{SAMPLED}So.",
        "sampling end after a call": RUN.removesuffix(END) + SAMPLED,
        "call in a thought": f"{ROLE}{THINK}Hm.{RUN}",
        "compact": body('{"name":"run","args":{"a":1,"b":[1,2],"c":{}}}'),
        "spaced": body('\n{ "name" : "run" ,\n "args" : { "a" : 1 , "b" : [ ] } }\n'),
        "args first": body('{"args": {"a":1}, "name": "run"}'),
        "extra keys": body('{"id": "x", "name": "run", "args": {"a": 1}, "type": "f"}'),
        "json escapes": body('{"name": "run", "args": {"a": "\\u00e9\\/\\ud83d\\ude00"}}'),
        "types of the schema": body('{"name": "get_weather", "args": {"days": "2","city":5}}'),
        "repeated key": body('{"name": "run", "args": {"a": 1, "a": 2}}'),
        "arguments key": body('{"name": "run", "arguments": {"a": 1}}'),
        "no args": body('{"name": "run"}'),
        "string args": body('{"name": "run", "args": "{\\"a\\": 1}"}'),
        "list args": body('{"name": "run", "args": [1, 2]}'),
        "no name": body('{"args": {"a": 1}}'),
        "empty name in JSON": body('{"name": "", "args": {"a": 1}}'),
        "empty body": body(""),
        "prose body": body("I will call run."),
        "list body": body('[{"name": "run", "args": {}}]'),
        "broken arguments": body('{"name": "run", "args": {"a": 1,, "b": 2}}') + " ok",
        "trailing comma": body('{"name": "run", "args": {"a": 1,}}'),
        "object left open": body('{"name": "run", "args": {"a": 1}'),
        "one brace too many": body('{"name": "run", "args": {"a": 1}}}'),
        "text after the object": body('{"name": "run", "args": {}} so'),
        "raw newline in a string": body('{"name": "run", "args": {"a": "x\ny"}}'),
        "not a number": body('{"name": "run", "args": {"a": NaN}}'),
        "end token in a string": body('{"name": "run", "args": {"a": "x' + END + 'y"}}'),
        "no end": RUN.removesuffix(END),
        "no end, next": RUN.removesuffix(END) + RUN,
        "stray end": f"Well {END} then {SAMPLED}.",
        "end twice": RUN + END,
        "spelt tokens": ["Say <|content_invoke", '_tool_json|>{"name": "run", "args": {}}'],
        "special token in content": "One<|im_start|>two<|fim_prefix|>three",
        "special token in a string": body('{"name": "run", "args": {"a": "x<|im_start|>y"}}'),
        "end token": RUN + "<|im_end|>",
        "think tags in content": "A <think> b </think> c",
    },
    markup=(body('{"name": "look", "args": '), ROLE + CALL + '{"name": "look", "args": {'),
)
