"""FunctionGemma: calls with keys, and each value between two `<escape>` tokens."""

from __future__ import annotations

import json
from typing import Any

from . import Family, Text

START, END, QUOTE = "<start_function_call>", "<end_function_call>", "<escape>"


def call(name: str, arguments: dict[str, Any]) -> str:
    pairs = (
        f"{key}:{QUOTE}{value if isinstance(value, str) else json.dumps(value)}{QUOTE}"
        for key, value in arguments.items()
    )
    return f"{START}call:{name}{{{','.join(pairs)}}}{END}"


def _call(body: str, end: str = END) -> str:
    return f"{START}call:run{body}{end}"


_Q = QUOTE
ODD: dict[str, Text] = {
    "values that are JSON": call("run", {
        "a": "12", "b": "1.50", "c": "true", "d": "null", "e": '{"x":[1, 2]}', "f": '["y"]',
        "g": '"quoted"', "h": " 7 ", "i": "1e3",
    }),
    "values that look like JSON": call("run", {
        "a": "12 apples", "b": "true story", "c": "{x", "d": '["y"', "e": '"a" or "b"', "f": "-",
        "g": "nullable", "h": "", "i": "[1] and more", "j": "NaN",
    }),
    "bare values": _call("{days:2,where:{lat:1.5},tags:[<escape>a<escape>]}"),
    "bare and quoted": _call(f"{{city:{_Q}Paris{_Q},days:2}}"),
    "spaces": _call(f"{{ city : {_Q}Paris{_Q} , days : {_Q}2{_Q} }}"),
    "newlines": _call(f"{{\ncity:{_Q}Paris{_Q},\ndays:{_Q}2{_Q}\n}}"),
    "braces in a value": _call(f"{{city:{_Q}a}} {{b}}, c: d{_Q}}}"),
    "no value": _call("{city:,days:2}"),
    "trailing comma": _call(f"{{city:{_Q}Paris{_Q},}}"),
    "no comma": _call(f"{{city:{_Q}Paris{_Q}days:{_Q}2{_Q}}}"),
    "repeated key": _call(f"{{a:{_Q}1{_Q},a:{_Q}2{_Q}}}"),
    "no call word": f"{START}run{{a:{_Q}1{_Q}}}{END}",
    "no arguments at all": f"{START}call:bare{END}",
    "empty call": f"{START}{END}",
    "empty name": f"{START}call:{{a:{_Q}1{_Q}}}{END}",
    "space in the name": f"{START}call: run {{a:{_Q}1{_Q}}}{END}",
    "brace left open": _call(f"{{a:{_Q}x{_Q}"),
    "string left open": _call(f"{{a:{_Q}x}}"),
    "text after the body": _call(f"{{a:{_Q}x{_Q}}} so"),
    "no end": _call(f"{{a:{_Q}x{_Q}}}", ""),
    "no end, next": _call(f"{{a:{_Q}x{_Q}}}", "") + call("run", {"b": "2"}),
    "end twice": call("run", {}) + END,
    "start twice": START + call("run", {}),
    "stray end": f"Well {END} then.",
    "only start": f"Well.{START}",
    "end in a value": _call(f"{{a:{_Q}x {END} y{_Q}}}"),
    "spelt tokens": ["<start_function", f"_call>call:run{{a:{_Q}x{_Q}}}<end_function", "_call>"],
    "end token": call("run", {"a": "1"}) + "<|im_end|>",
}  # fmt: skip

FAMILY = Family(
    golden={
        "functiongemma": ("functiongemma", None),
        "functiongemma+qwen3": ("functiongemma", "qwen3"),
    },
    call=call,
    added=(START, END, QUOTE),
    odd=ODD,
    markup=(
        f"{START}call:look{{", f"{START}call:run{{", f"text:{_Q}", f"{_Q},days:{_Q}", "days:",
        ":", ",", "{", "}", "[", "]", "call:", f"}}{END}", "true", "12", '"', "<esc", "ape>",
    ),
    exact=False,
)  # fmt: skip
