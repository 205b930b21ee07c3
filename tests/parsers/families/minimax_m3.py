"""MiniMax M3: parameters as elements with a prefix before every tag."""

from __future__ import annotations

from typing import Any

from . import Family, Text
from .tagged import shown

_P = "]<]minimax[>["
_OPEN, _CLOSE = f"{_P}<tool_call>", f"{_P}</tool_call>"


def _element(name: str, value: Any) -> str:
    """Keys that cannot be in a tag are written as JSON."""
    if isinstance(value, dict) and value and all(key.isidentifier() for key in value):
        inner = "".join(_element(key, item) for key, item in value.items())
    elif isinstance(value, list) and value:
        inner = "".join(_element("item", item) for item in value)
    else:
        inner = "" if value in ({}, []) else shown(value)
    return f"{_P}<{name}>{inner}{_P}</{name}>"


def _invoke(name: str, body: str) -> str:
    return f'{_P}<invoke name="{name}">\n{body}{_P}</invoke>\n'


def _section(*invokes: str) -> str:
    return f"{_OPEN}\n{''.join(invokes)}{_CLOSE}"


def call(name: str, arguments: dict[str, Any]) -> str:
    body = "".join(f"{_element(key, value)}\n" for key, value in arguments.items())
    return _section(_invoke(name, body))


_BARE = _invoke("bare", "")
ODD: dict[str, Text] = {
    "types": call("get_weather", {
        "city": "12", "days": "7", "limit": "2.0", "metric": "true", "where": '{"lat":1, "x":[]}',
        "tags": '["a","b"]', "unit": "c", "level": "2", "maybe": "null", "either": "5",
        "one": "0", "all": "9", "ref": "3", "free": "4", "int": "8", "odd": "1.5",
    }),
    "no schema": call("bare", {"a": "1", "b": {"c": "x", "d": ["y", "z"]}}),
    "two calls in a section": _section(_invoke("run", _element("a", "1")), _BARE),
    "list and object": call("get_weather", {"tags": ["a", "b"], "where": {"lat": 1.5, "x": "y"}}),
    "empty list and object": call("get_weather", {"tags": [], "where": {}, "city": ""}),
    "list of one": call("get_weather", {"tags": ["a"]}),
    "repeated names": _section(_invoke("run", _element("a", "1") + _element("a", "2"))),
    "repeated three times": _section(_invoke("run", _element("a", "1") * 3)),
    "mixed text": _section(_invoke("run", f"{_P}<a>words {_element('b', 1)} more{_P}</a>")),
    "mixed text, taken": _section(
        _invoke("run", f"{_P}<a>words {_element('$text', 1)}{_P}</a>")
    ),
    "single quotes": _section(f"{_P}<invoke name='bare'>{_P}</invoke>"),
    "no quotes": _section(f"{_P}<invoke name=bare>{_P}</invoke>"),
    "inner spaces": call("get_weather", {"city": " \nParis\n ", "days": " 7 "}),
    "tags in a value": call("run", {"code": "a <b> </b> </invoke> </tool_call>"}),
    "prefix in a value": call("run", {"code": f"a {_P} b"}),
    "element left open": _section(_invoke("run", _element("a", "1") + f"{_P}<b>2")),
    "element closed by another": _section(_invoke("run", f"{_P}<b>2{_P}</c>")),
    "empty element name": _section(_invoke("run", _element("a", "1") + _element("", "x"))),
    "text between elements": _section(
        _invoke("run", _element("a", "1") + " so " + _element("b", "2"))
    ),
    "text in the section": _section("here: ", _BARE),
    "text between": _section(_BARE, "hm ", _BARE),
    "text after the section, call": _section(_BARE) + "\nDone.\n" + _section(_BARE),
    "no invoke end": _OPEN + f'{_P}<invoke name="run">{_element("a", "1")}{_CLOSE}',
    "no section tags": _BARE,
    "no section end": _OPEN + _BARE,
    "empty name": _section(_invoke("", "")),
    "json body": f'{_OPEN}\n{{"name": "run", "arguments": {{}}}}\n{_CLOSE}',
    "empty section": f"{_OPEN}\n{_CLOSE}",
    "only opening tag": f"Well.{_OPEN}",
    "stray closing tag": f"Well {_CLOSE} then.",
    "opening tag twice": _OPEN + _section(_BARE),
    "end token": _section(_BARE) + "<|im_end|>",
    "special token in content": "One<|im_start|>two<|fim_prefix|>three",
    "special token in a value": call("run", {"a": "x<|im_start|>y"}),
}  # fmt: skip

FAMILY = Family(
    golden={
        "minimax_m3": ("minimax_m3", None),
        "minimax_m3@reasoning": (None, "minimax_m3"),
        "minimax_m3+minimax_m3": ("minimax_m3", "minimax_m3"),
    },
    call=call,
    added=("<mm:think>", "</mm:think>"),
    think=("<mm:think>", "</mm:think>"),
    odd=ODD,
    markup=(f'{_P}<invoke name="look">', f"{_P}<text>", f"{_P}</text>", f"{_P}</invoke>", _OPEN,
            _CLOSE, _P),
    exact=False,
    extra=tuple(
        {"name": f"thinking {mode}: {what}", "text": text, "request": {
            "chat_template_kwargs": {"thinking_mode": mode}}}
        for mode in ("enabled", "disabled", "adaptive")
        for what, text in {
            "both": "Hm. \n</mm:think>\n\nHello.", "text": "Hello.",
            "tags": "<mm:think>Hm.</mm:think>\nYes.", "late": "So. <mm:think>Hm.</mm:think> Yes.",
        }.items()
    ),
)  # fmt: skip
