"""MiniMax M2: tagged calls with the names in quotes, and values as they are."""

from __future__ import annotations

from typing import Any

from . import Family, Text
from .tagged import shown

_OPEN, _CLOSE = "<minimax:tool_call>", "</minimax:tool_call>"


def _invoke(name: str, body: str) -> str:
    return f'<invoke name="{name}">\n{body}</invoke>\n'


def _parameter(key: str, value: str) -> str:
    return f'<parameter name="{key}">{value}</parameter>\n'


def call(name: str, arguments: dict[str, Any]) -> str:
    body = "".join(_parameter(key, shown(value)) for key, value in arguments.items())
    return f"{_OPEN}\n{_invoke(name, body)}{_CLOSE}"


def _section(*invokes: str) -> str:
    return f"{_OPEN}\n{''.join(invokes)}{_CLOSE}"


_RUN = _invoke("run", _parameter("a", "1"))
_BARE = _invoke("bare", "")
_CITY = '<parameter name="city">'
ODD: dict[str, Text] = {
    "types": call("get_weather", {
        "city": "12", "days": "7", "limit": "2.0", "metric": "true", "where": '{"lat":1, "x":[]}',
        "tags": '["a","b"]', "unit": "c", "level": "2", "maybe": "null", "either": "5",
        "one": "0", "all": "9", "ref": "3", "free": "4", "int": "8", "odd": "1.5",
    }),
    "no schema": call("bare", {"a": "1"}),
    "two calls in a section": _section(_RUN, _BARE),
    "single quotes": _section("<invoke name='run'>\n<parameter name='a'>1</parameter>\n</invoke>"),
    "no quotes": _section("<invoke name=run>\n<parameter name=a>1</parameter>\n</invoke>"),
    "spaces in tags": _section(
        '<invoke name="get_weather">< parameter name = "city" >A< / parameter ></invoke>'
    ),
    "spaces in names": _section(_invoke(" run ", _parameter(" a ", "1"))),
    "inner newlines": call("get_weather", {"city": "\nParis\n"}),
    "empty value": call("get_weather", {"city": ""}),
    "repeated parameter": _section(
        _invoke("get_weather", _parameter("city", "A") + _parameter("city", "B"))
    ),
    "parameter left open": _section(
        _invoke("get_weather", _CITY + "A" + _parameter("days", "2"))
    ),
    "last parameter left open": _section(_invoke("get_weather", _CITY + "Paris\n")),
    "call tag in a value": call("get_weather", {"city": f"a {_CLOSE} b"}),
    "function end in a value": call("get_weather", {"city": "a </invoke> b"}),
    "empty parameter name": _section(_invoke("run", _parameter("", "x"))),
    "text in the call": _section("here: ", _BARE),
    "text between": _section(_BARE, "hm ", _RUN),
    "text after function": _section(_BARE, "ok"),
    "text in a function": _section(_invoke("run", "hm\n" + _parameter("a", "1") + " so ")),
    "no function end": f'{_OPEN}\n<invoke name="run">\n{_parameter("a", "1")}{_CLOSE}',
    "no function end, next": _section('<invoke name="run">\n' + _parameter("a", "1"), _BARE),
    "no call tags": _RUN,
    "no end tag": f"{_OPEN}\n{_RUN}",
    "name left open": _section('<invoke name="run</invoke>'),
    "empty name": _section(_invoke("", _parameter("a", "1"))),
    "json body": f'{_OPEN}\n{{"name": "run", "arguments": {{}}}}\n{_CLOSE}',
    "empty call": f"{_OPEN}\n{_CLOSE}",
    "only opening tag": f"Well.{_OPEN}",
    "stray closing tag": f"Well {_CLOSE} then.",
    "stray function end": "Well </invoke> then.",
    "opening tag twice": _OPEN + _section(_BARE),
    "spelt tags": [_OPEN[:9], f"{_OPEN[9:]}\n{_BARE}{_CLOSE[:9]}", _CLOSE[9:]],
    "end token": _section(_BARE) + "<|im_end|>",
    "special token in content": "One<|im_start|>two<|fim_prefix|>three",
    "special token in a value": call("run", {"a": "x<|im_start|>y"}),
    "think tags in content": "A <think> b </think> c",
}  # fmt: skip

FAMILY = Family(
    golden={
        "minimax_m2": ("minimax_m2", None),
        "minimax_m2@reasoning": (None, "minimax_m2"),
        "minimax_m2+minimax_m2": ("minimax_m2", "minimax_m2"),
        "minimax_m2_append_think": (None, "minimax_m2_append_think"),
    },
    call=call,
    added=(_OPEN, _CLOSE),
    odd=ODD,
    markup=('<invoke name="look">', '<parameter name="text">', "</parameter>", "</invoke>"),
    exact=False,
    known=True,
)
