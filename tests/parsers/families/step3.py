"""Step 3: one section of calls with tagged parameters."""

from __future__ import annotations

from typing import Any

from . import Family, Text
from .tagged import shown

_OPEN, _CLOSE = "<｜tool_calls_begin｜>", "<｜tool_calls_end｜>"
_CALL, _END, _SEPARATOR = "<｜tool_call_begin｜>", "<｜tool_call_end｜>", "<｜tool_sep｜>"


def _parameter(key: str, value: str) -> str:
    return f'<steptml:parameter name="{key}">{value}</steptml:parameter>'


def _invoke(name: str, body: str) -> str:
    return f'<steptml:invoke name="{name}">{body}</steptml:invoke>'


def _call(name: str, body: str) -> str:
    return f"{_CALL}function{_SEPARATOR}{_invoke(name, body)}{_END}"


def call(name: str, arguments: dict[str, Any]) -> str:
    body = "".join(f"\n{_parameter(key, shown(value))}" for key, value in arguments.items())
    return f"{_OPEN}\n{_call(name, body)}\n{_CLOSE}"


_CITY = '<steptml:parameter name="city">'
_BARE = _call("bare", "")


def _section(*calls: str) -> str:
    return f"{_OPEN}{''.join(calls)}{_CLOSE}"


ODD: dict[str, Text] = {
    "types": call("get_weather", {
        "city": "12", "days": "7", "limit": "2.0", "metric": "True", "where": '{"lat":1, "x":[]}',
        "tags": '["a","b"]', "unit": "c", "level": "2", "maybe": "null", "either": "5",
        "one": "0", "all": "9", "ref": "3", "free": "4", "int": "8", "odd": "1.5",
    }),
    "types that do not fit": call("get_weather", {"days": "soon", "limit": "x", "metric": "yes"}),
    "no schema": call("bare", {"a": "1"}),
    "two calls in a section": _section(_call("run", _parameter("a", "1")), "\n", _BARE),
    "inner spaces": call("get_weather", {"city": " \n Paris  St \n", "days": " 7 "}),
    "empty value": call("get_weather", {"city": ""}),
    "blank value": call("get_weather", {"city": " \n "}),
    "repeated parameter": _section(
        _call("get_weather", _parameter("city", "A") + _parameter("city", "B"))
    ),
    "last parameter left open": _section(_call("get_weather", _CITY + "Paris")),
    "call end in a value": call("get_weather", {"city": f"a {_END} b"}),
    "function end in a value": call("get_weather", {"city": "a </steptml:invoke> b"}),
    "text in the call": _section(_call("run", "hm " + _parameter("a", "1"))),
    "text before the calls": _section("here: ", _BARE),
    "text between calls": _section(_BARE, " and ", _call("run", "")),
    "text after the call": _section(_BARE, " ok"),
    "no type": _section(f"{_CALL}{_SEPARATOR}{_invoke('bare', '')}{_END}"),
    "another type": _section(f"{_CALL}code{_SEPARATOR}{_invoke('bare', '')}{_END}"),
    "no separator": _section(f"{_CALL}function{_invoke('bare', '')}{_END}"),
    "no call end": _section(f"{_CALL}function{_SEPARATOR}{_invoke('bare', '')}"),
    "no invoke end": _section(f'{_CALL}function{_SEPARATOR}<steptml:invoke name="bare">{_END}'),
    "no section end": _OPEN + _BARE,
    "empty name": _section(_call("", "")),
    "json body": _section(f'{_CALL}function{_SEPARATOR}{{"name": "run"}}{_END}'),
    "empty section": _section(),
    "only opening tag": f"Well.{_OPEN}",
    "stray closing tag": f"Well {_CLOSE} then.",
    "opening tag twice": _OPEN + _section(_BARE),
    "two sections": _section(_BARE) + "\n" + _section(_BARE),
    "spelt tags": [_OPEN[:6], f"{_OPEN[6:]}{_BARE}{_CLOSE[:6]}", _CLOSE[6:]],
    "end token": _section(_BARE) + "<|im_end|>",
    "special token in content": "One<|im_start|>two<|fim_prefix|>three",
}  # fmt: skip

FAMILY = Family(
    golden={
        "step3": ("step3", None),
        "step3@reasoning": (None, "step3"),
        "step3+step3": ("step3", "step3"),
    },
    call=call,
    added=(_OPEN, _CLOSE, _CALL, _END, _SEPARATOR),
    odd=ODD,
    markup=('<steptml:invoke name="look">', '<steptml:parameter name="text">', "function",
            "</steptml:parameter>", "</steptml:invoke>"),
    exact=False,
)  # fmt: skip
