"""GLM 4.5 and later, and Ling 3, which write keys and values between tags of their own."""

from __future__ import annotations

from typing import Any

from . import Family, Text
from .tagged import shown

ARGUMENT_TAGS = ("<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>")


def call(name: str, arguments: dict[str, Any]) -> str:
    pairs = "".join(
        f"<arg_key>{key}</arg_key>\n<arg_value>{shown(value)}</arg_value>\n"
        for key, value in arguments.items()
    )
    return f"<tool_call>{name}\n{pairs}</tool_call>"


def _pair(key: str, value: str) -> str:
    return f"<arg_key>{key}</arg_key><arg_value>{value}</arg_value>"


_WEATHER = "<tool_call>get_weather"
_BARE = "<tool_call>bare</tool_call>"
ODD: dict[str, Text] = {
    "types": call("get_weather", {
        "city": "12", "days": "7", "limit": "2.0", "metric": "true", "where": '{"lat":1, "x":[]}',
        "tags": '["a","b"]', "unit": "c", "level": "2", "maybe": "null", "either": "5",
        "one": "0", "all": "9", "ref": "3", "free": "4", "int": "8", "odd": "1.5",
    }),
    "types that do not fit": call("get_weather", {
        "days": "soon", "limit": "inf", "metric": "yes", "where": "{broken", "tags": "a, b",
        "level": "high", "maybe": "text", "either": "x", "one": "maybe", "all": "1.5",
    }),
    "nested objects": call("get_weather", {"where": '{"lat": "1.5", "lon": 2}', "tags": '[1,"x"]'}),
    "literals of Python": call("run", {"a": "True", "b": "None", "c": "{'x': (1, 2)}", "d": "1e3"}),
    "no schema": call("bare", {"a": "1", "b": "x"}),
    "compact": _WEATHER + _pair("city", "Paris") + _pair("days", "2") + "</tool_call>",
    "indented": f"{_WEATHER}\n  {_pair('city', 'Paris')}\n  {_pair('days', '2')}\n</tool_call>",
    "name on its own line": f"<tool_call>\nget_weather\n{_pair('city', 'Paris')}\n</tool_call>",
    "blanks around values": _WEATHER + _pair(" city ", " Paris\n") + _pair("days", " 2 ")
    + "</tool_call>",
    "empty value": _WEATHER + _pair("city", "") + "</tool_call>",
    "empty key": _WEATHER + _pair("", "x") + "</tool_call>",
    "repeated key": _WEATHER + _pair("city", "A") + _pair("city", "B") + "</tool_call>",
    "no arguments, newline": "<tool_call>bare\n</tool_call>",
    "value left open": _WEATHER + "<arg_key>city</arg_key><arg_value>Paris</tool_call>",
    "value left open, text": _WEATHER + "<arg_key>city</arg_key><arg_value>A</tool_call> ok",
    "value left open, next": _WEATHER + "<arg_key>city</arg_key><arg_value>A</tool_call>\n" + _BARE,
    "value left open before a key": _WEATHER
    + "<arg_key>city</arg_key><arg_value>A" + _pair("days", "2") + "</tool_call>",
    "key without value": _WEATHER + "<arg_key>city</arg_key></tool_call>",
    "key left open": _WEATHER + "<arg_key>city<arg_value>Paris</arg_value></tool_call> then",
    "value without key": _WEATHER + "<arg_value>Paris</arg_value></tool_call>",
    "call tag in a value": _WEATHER + _pair("city", "a </tool_call> b") + "</tool_call>",
    "opening tag in a value": _WEATHER + _pair("city", "a <tool_call> b") + "</tool_call>",
    "text in the call": _WEATHER + _pair("city", "A") + " so " + _pair("x", "2") + "</tool_call>",
    "text after the name": "<tool_call>bare now" + _pair("a", "1") + "</tool_call>",
    "nothing in a call": "<tool_call></tool_call>",
    "nothing in a call, text": "So: <tool_call></tool_call> and on.",
    "only opening tag": "Well.<tool_call>",
    "prose in a call": "<tool_call>I will call run.</tool_call> Then?",
    "json body": '<tool_call>{"name": "run", "arguments": {}}</tool_call>',
    "no closing tag": _WEATHER + _pair("city", "Paris"),
    "no closing tag between": _WEATHER + _pair("city", "Paris") + "\n" + _BARE,
    "stray closing tag": "Well </tool_call> then.",
    "closing tag twice": _BARE + "</tool_call>",
    "opening tag twice": "<tool_call>" + _BARE,
    "stray argument": "Well " + _pair("a", "b") + " then.",
    "spelt tags": ["<tool", "_call>bare</tool", "_call>"],
    "spelt argument tags": [_WEATHER + "<arg", "_key>city</arg", "_key><arg", "_value>A</arg",
                            "_value></tool_call>"],
    "end token": _BARE + "<|im_end|>",
    "special token in content": "One<|im_start|>two<|fim_prefix|>three",
    "special token in a value": call("run", {"a": "x<|im_start|>y"}),
    "think tags in content": "A <think> b </think> c",
}  # fmt: skip

FAMILY = Family(
    golden={
        "glm45": ("glm45", None),
        "glm45@reasoning": (None, "glm45"),
        "glm45+glm45": ("glm45", "glm45"),
        "glm47": ("glm47", None),
        "glm47+glm47": ("glm47", "glm47"),
        "ling3": ("ling3", None),
        "ling3@reasoning": (None, "ling3"),
        "ling3+ling3": ("ling3", "ling3"),
    },
    call=call,
    added=(*ARGUMENT_TAGS, "<|user|>", "<|assistant|>", "<|observation|>", "<|system|>"),
    odd=ODD,
    markup=("look<arg_key>", "text</arg_key><arg_value>", "</arg_value>", "run\n"),
    exact=False,
    known=True,
    extra=(
        *(
            {"name": f"{key} {flag}: {what}", "text": text, "request": {
                "chat_template_kwargs": {key: flag}}}
            for key in ("thinking",) for flag in (False, True)
            for what, text in {"text": "Yes.", "tags": "<think>a \n</think>\nb"}.items()
        ),
        *(
            {"name": f"prompt: {what}", "text": "Hm.</think>Yes.", "prompt": prompt}
            for what, prompt in {
                "open": "<|user|>hi<|assistant|><think>",
                "closed": "<|user|>hi<|assistant|><think></think>",
                "closed before": "<|assistant|><think>a</think>b<|user|>hi<|assistant|>",
            }.items()
        ),
    ),
)  # fmt: skip
