"""Kimi K3: channels in tags with attributes."""

from __future__ import annotations

import json
from typing import Any

from . import Case, Family

TYPES = {str: "string", bool: "boolean", int: "number", float: "number", list: "array"}
TYPES |= {dict: "object", type(None): "null"}


def channel(name: str, body: str, attributes: str = "") -> str:
    return f"<|open|>{name}{attributes}<|sep|>{body}<|close|>{name}<|sep|>"


def argument(key: str, value: str, kind: str = "string") -> str:
    return channel("argument", value, f' key="{key}" type="{kind}"')


def one(name: str, *arguments: str, index: int = 0) -> str:
    return channel("call", "".join(arguments), f' tool="{name}" index="{index}"')


def tools(*calls: str) -> str:
    return channel("tools", "".join(calls))


def call(name: str, arguments: dict[str, Any]) -> str:
    return tools(
        one(
            name,
            *(
                argument(key, value)
                if isinstance(value, str)
                else argument(key, json.dumps(value, ensure_ascii=False), TYPES[type(value)])
                for key, value in arguments.items()
            ),
        )
    )


RUN = one("run", argument("a", "1"))
SAID = channel("response", "Hello.")


def prefilled(what: str, **kwargs: Any) -> tuple[Case, ...]:
    """Outputs whose prompt opened a channel."""
    texts = {
        "thought, response": f"Hm.<|close|>think<|sep|>{SAID}<|close|>message<|sep|>",
        "thought, response, call": f"Hm.<|close|>think<|sep|>{SAID}{tools(RUN)}",
        "thought, call": f"Hm.<|close|>think<|sep|>{tools(RUN)}<|close|>message<|sep|>",
        "whole thought": channel("think", "Hm.\n") + SAID,
        "response": "Hello.<|close|>response<|sep|><|close|>message<|sep|>",
        "response, call": f"Hello.<|close|>response<|sep|>{tools(RUN)}<|close|>message<|sep|>",
        "whole response": SAID + "<|close|>message<|sep|>",
    }
    return tuple(
        {"name": f"{what}: {how}", "text": text, "kwargs": kwargs} for how, text in texts.items()
    )


FAMILY = Family(
    golden={
        "kimi_k3": ("kimi_k3", None),
        "kimi_k3@reasoning": (None, "kimi_k3"),
        "kimi_k3+kimi_k3": ("kimi_k3", "kimi_k3"),
    },
    call=call,
    parts=("<|open|>", "<|close|>", "<|sep|>"),
    think=("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
    odd={
        "response and call": SAID + tools(RUN),
        "two in a channel": tools(RUN, one("bare", index=1)),
        "types": tools(one(
            "run", argument("a", "1", "number"), argument("b", "true", "boolean"),
            argument("c", '{"x":[1]}', "object"), argument("d", "null", "null"),
            argument("e", "1.50", "number"), argument("f", "[ ]", "array"), argument("g", "1"),
        )),
        "types that do not fit": tools(one(
            "run", argument("a", "soon", "number"), argument("b", "{", "object"),
            argument("c", '"x"', "number"), argument("d", "", "null"),
        )),
        "schema of another type": tools(one("get_weather", argument("days", "7"))),
        "blanks in tags": "<|open|> tools <|sep|><|open|> call  tool=\"run\" index=\"0\"<|sep|>"
        "<|open|> argument  key=\"a\" type=\"string\"<|sep|> x <|close|> argument <|sep|>"
        "<|close|> call <|sep|><|close|> tools <|sep|>",
        "newlines between tags": tools(f"\n{RUN}\n{RUN}\n"),
        "newlines in a value": tools(one("run", argument("a", "\nx\n\ny\n"))),
        "empty value": tools(one("run", argument("a", ""))),
        "escaped attributes": tools(one("a&quot;b&amp;amp;", argument("k&quot;", "&quot;"))),
        "no type": tools(one("run", channel("argument", "1", ' key="a"'))),
        "no key": tools(one("run", channel("argument", "1", ' type="number"'))),
        "no index": tools(channel("call", argument("a", "1"), ' tool="run"')),
        "no tool": tools(channel("call", argument("a", "1"), ' index="0"')),
        "no attributes": tools(channel("call", argument("a", "1"))),
        "empty name": tools(one("", argument("a", "1"))),
        "repeated key": tools(one("run", argument("a", "1"), argument("a", "2"))),
        "value left open": tools(
            one("run", argument("a", "1").removesuffix("<|close|>argument<|sep|>"))
        ),
        "text in the call": tools(one("run", "hm ", argument("a", "1"), " so ")),
        "text in the channel": tools("hm ", RUN, " so ") + " ok",
        "tags in a value": tools(one("run", argument("a", "x <b> <|open|>y<|sep|> <|close|>"))),
        "call end in an argument": tools(one("run", argument("a", "x <|close|>call<|sep|> y"))),
        "empty tool channel": "Well. " + tools() + " Then.",
        "only the channel": "Well. <|open|>tools<|sep|>",
        "no channel": "Well. " + RUN,
        "no channel end": "<|open|>tools<|sep|>" + RUN,
        "no call end": tools(RUN.removesuffix("<|close|>call<|sep|>")),
        "no call end, next": tools(RUN.removesuffix("<|close|>call<|sep|>"), RUN),
        "two tool channels": tools(RUN) + tools(RUN),
        "stray closing tags": "Well <|close|>call<|sep|> then <|close|>tools<|sep|>.",
        "spelt tokens": ["<|op", "en|>tools<|sep|>" + RUN],
        "special token in content": "One<|im_start|>two<|fim_prefix|>three",
        "special token in a value": tools(one("run", argument("a", "x<|im_start|>y"))),
        "end token": tools(RUN) + "<|close|>message<|sep|><|im_end|>",
    },
    extra=(
        *prefilled("prefilled"),
        *prefilled("prefilled, thinking", thinking=True),
        *prefilled("prefilled, no thinking", thinking=False),
    ),
    markup=(
        "<|open|>tools<|sep|>", "<|close|>tools<|sep|>", "<|open|>response<|sep|>",
        "<|close|>response<|sep|>", '<|open|>call tool="look" index="0"<|sep|>',
        "<|close|>call<|sep|>", '<|open|>argument key="text" type="string"<|sep|>',
        '<|open|>argument key="days" type="number"<|sep|>', "<|close|>argument<|sep|>",
        "<|open|>call ", ' tool="', "<|close|>message<|sep|>",
    ),
)  # fmt: skip
