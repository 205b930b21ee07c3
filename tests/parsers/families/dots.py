"""Dots: blocks of calls with tagged parameters, whose names stand in quotes."""

from __future__ import annotations

import json
from typing import Any

from . import Family, Text
from .hunyuan import TYPES

START, END = "<dots_function_call>", "</dots_function_call>"


def one(name: str, arguments: dict[str, Any]) -> str:
    lines = [f'<invoke name="{name}">']
    for key, value in arguments.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        lines.append(f'<parameter name="{key}">{shown}</parameter>')
    return "\n".join([*lines, "</invoke>"])


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"{START}\n{one(name, arguments)}\n{END}"


def block(body: str) -> str:
    return f"{START}\n{body}\n{END}"


_A = '<parameter name="a">'
_RUN = one("run", {"a": "1"})
ODD: dict[str, Text] = {
    **{name: call("get_weather", arguments) for name, arguments in TYPES.items()},
    "null words": call("get_weather", {"maybe": "NULL", "days": "null"}),
    "two in a block": block(f"{_RUN}\n{one('bare', {})}"),
    "glued in a block": f"{START}{_RUN}{_RUN}{END}",
    "single quotes": block("<invoke name='run'><parameter name='a'>1</parameter></invoke>"),
    "no quotes": block("<invoke name=run><parameter name=a>1</parameter></invoke>"),
    "spaces in tags": block('<invoke  name = "run" ><parameter name = "a" >1</parameter></invoke>'),
    "blanks in a value": call("run", {"a": "\n x \n"}),
    "empty value": block('<invoke name="run"><parameter name="a"></parameter></invoke>'),
    "repeated parameter": block(_RUN.replace("</invoke>", f"{_A}2</parameter></invoke>")),
    "parameter left open": block('<invoke name="run"><parameter name="a">1</invoke>'),
    "invoke end in a value": call("run", {"a": "x </invoke> y"}),
    "block end in a value": call("run", {"a": f"x {END} y"}),
    "no invoke end": block('<invoke name="run"><parameter name="a">1</parameter>'),
    "no block end": f"{START}\n{_RUN}\n",
    "no block end, text": f"{START}\n{_RUN}\nDone.",
    "no block": _RUN,
    "two blocks glued": block(_RUN) + block(_RUN),
    "text in the block": block(f"well {_RUN} so"),
    "text after invoke": block(f"{_RUN} so"),
    "text in the invoke": block(f'<invoke name="run">hm {_A}1</parameter> so</invoke>'),
    "json block": block('{"name": "run", "arguments": {"a": 1}}'),
    "empty block": block(""),
    "prose block": block("I will call run."),
    "only block start": f"Well.{START}",
    "stray block end": f"Well {END} then.",
    "empty name": block('<invoke name=""></invoke>'),
    "unknown and known": block(f"{one('no_such', {})}\n{_RUN}"),
    "tag as tokens": ["<dots_function", f"_call>{_RUN}</dots_function", "_call>"],
}  # fmt: skip

FAMILY = Family(
    golden={"dots": ("dots", None), "dots+deepseek_r1": ("dots", "deepseek_r1")},
    call=call,
    odd=ODD,
    markup=(
        START, END, '<invoke name="look">', '<invoke name="run">', "</invoke>",
        '<parameter name="text">', "<parameter name=days>", "</parameter>", "<dots", "_call>",
    ),
    exact=False,
    known=True,
)  # fmt: skip
