"""Qwen 3's tagged calls under other names: Step 3.5, Step 5, and Nemotron 3's reasoning."""

from __future__ import annotations

import json
from typing import Any

from . import Family, Text


def shown(value: Any) -> str:
    """A value between tags."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def call(
    name: str,
    arguments: dict[str, Any],
    around: tuple[str, str] = ("<tool_call>", "</tool_call>"),
    wrap: str = "\n",
) -> str:
    """wrap: what stands between a tag and its value, and between tags."""
    lines = [
        f"<parameter={key}>{wrap}{shown(value)}{wrap}</parameter>"
        for key, value in arguments.items()
    ]
    body = wrap.join([f"<function={name}>", *lines, "</function>"])
    return f"{around[0]}{wrap}{body}{wrap}{around[1]}"


def odd(opens: str = "<tool_call>", closes: str = "</tool_call>") -> dict[str, Text]:
    """Odd calls between other tags."""
    start, end = f"{opens}\n<function=get_weather>\n", f"\n</function>\n{closes}"
    bare = call("bare", {}, (opens, closes))
    values = {
        "city": "12", "days": "7", "limit": "2.0", "metric": "true", "where": '{"lat":1, "x":[]}',
        "tags": '["a","b"]', "unit": "c", "level": "2", "maybe": "null", "either": "5",
        "one": "0", "all": "9", "ref": "3", "free": "4", "int": "8", "odd": "1.5",
    }  # fmt: skip
    texts: dict[str, Text] = {
        "types": call("get_weather", values, (opens, closes)),
        "nested objects": call(
            "get_weather", {"where": '{"lat": "1.5", "lon": 2}', "tags": '[1, "x", null]'},
            (opens, closes),
        ),
        "no schema": call("bare", {"a": "1"}, (opens, closes)),
        "inner newlines": start + "<parameter=city>\n\nParis\n\n</parameter>" + end,
        "inner spaces": start + "<parameter=city> Paris  </parameter>" + end,
        "spaces around a number": start + "<parameter=days> 7 </parameter>" + end,
        "empty value": start + "<parameter=city></parameter>" + end,
        "newline value": start + "<parameter=city>\n</parameter>" + end,
        "repeated parameter": start
        + "<parameter=city>A</parameter><parameter=city>B</parameter>"
        + end,
        "parameter left open": start + "<parameter=city>A<parameter=days>2</parameter>" + end,
        "last parameter left open": start + "<parameter=city>Paris" + end,
        "call tag in a value": start + f"<parameter=city>a {closes} b</parameter>" + end,
        "no function end": start + f"<parameter=city>Paris</parameter>\n{closes}",
        "no function end, text": start + f"<parameter=city>Paris</parameter>\n{closes}\nDone.",
        "no call tags": "<function=run>\n<parameter=a>\n1\n</parameter>\n</function>",
        "no end tag": f"{opens}\n<function=run>\n<parameter=a>1</parameter>\n</function>",
        "two functions in one": (
            f"{opens}\n<function=run>\n</function>\n<function=bare>\n</function>\n{closes}"
        ),
        "json body": f'{opens}\n{{"name": "run", "arguments": {{}}}}\n{closes}',
        "empty call": f"{opens}\n{closes}",
        "only opening tag": f"Well.{opens}",
        "stray closing tag": f"Well {closes} then.",
        "opening tag twice": opens + bare,
        "spelt tags": [opens[:5], f"{opens[5:]}\n<function=run>\n</function>\n{closes[:6]}",
                       closes[6:]],
        "end token": bare + "<|im_end|>",
        "blanks around content": f"\n\n Well. \n\n{bare}\n\n Done. \n",
        "blanks only between": f"\n{bare}\n\n{bare}\n\n",
        "special token in content": "One<|im_start|>two<|fim_prefix|>three",
        "special token in a value": call("run", {"a": "x<|im_start|>y"}, (opens, closes)),
        "think tags in content": "A <think> b </think> c",
    }  # fmt: skip
    return texts


FAMILY = Family(
    golden={
        "step3p5": ("step3p5", None),
        "step3p5@reasoning": (None, "step3p5"),
        "step3p5+step3p5": ("step3p5", "step3p5"),
        "step5": ("step5", None),
        "step5+step5": ("step5", "step5"),
        "nemotron_v3": (None, "nemotron_v3"),
        "step3p5+nemotron_v3": ("step3p5", "nemotron_v3"),
    },
    call=call,
    odd=odd(),
    markup=("<function=look>", "<parameter=text>", "</parameter>", "</function>"),
    exact=False,
    extra=tuple(
        {
            "name": f"nonempty content: {what}",
            "text": text,
            "request": {"chat_template_kwargs": {"force_nonempty_content": True}},
        }
        for what, text in {
            "both": "Hm. \n</think>\n\nHello.",
            "reasoning alone": "Hm, let me see.",
            "closed, blank": "Hm.</think>\n",
            "tags": "<think>\nHm.\n</think>\nYes.",
        }.items()
    ),
)
