"""MiniCPM 5: calls in XML, values that need it in CDATA."""

from __future__ import annotations

import json
from typing import Any

from . import Family


def _value(value: object) -> str:
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    parts = shown.split("]]>")
    return f"<![CDATA[{']]]]><![CDATA[>'.join(parts)}]]>" if set("<&>]") & set(shown) else shown


def call(name: str, arguments: dict[str, Any]) -> str:
    params = "".join(
        f'<param name="{key}">{_value(value)}</param>' for key, value in arguments.items()
    )
    return f'<function name="{name}">{params}</function>'


def _weather(*params: str) -> str:
    return f'<function name="get_weather">{"".join(params)}</function>'


CITY = '<param name="city">Paris</param>'
ODD = {
    "entities": _weather('<param name="city">a &lt;b&gt; &amp;amp; &quot;c&apos; &#233;&#x1F600;',
                         "</param>"),
    "cdata": _weather('<param name="city"><![CDATA[<b> && </param> &lt;]]></param>'),
    "cdata and text": _weather('<param name="city">a &amp; <![CDATA[<&lt;>]]> b</param>'),
    "two cdata": _weather('<param name="city"><![CDATA[a]]]]><![CDATA[>b]]></param>'),
    "blanks in a value": _weather('<param name="city"> Paris\n</param>'),
    "single quotes": "<function name='run'><param name='code'>x</param></function>",
    "glued names": '<functionname="run"><paramname="code">x</param></function>',
    "lines": f"<function name=\"get_weather\">\n  {CITY}\n</function>",
    "arguments element": f'<function name="get_weather"><arguments>{CITY}</arguments></function>',
    "types": _weather(CITY, '<param name="days"> 7 </param><param name="limit">2.0</param>',
                      '<param name="metric">true</param><param name="tags">["a"]</param>',
                      "<param name=\"where\">{'lat': 1}</param>"),
    "python words": _weather(CITY, '<param name="metric">True</param>'),
    "properties": _weather("<param name=\"properties\">{'city': 'Paris', 'days': '2'}</param>"),
    "arguments": _weather('<param name="arguments">{"city": 7, "where": {"lat": 1.5}}</param>'),
    "properties, no object": _weather('<param name="properties">Paris</param>'),
    "no parameters": '<function name="bare"></function>',
    "unoffered tool": '<function name="other"><param name="a">1</param></function>',
    "no call name": '<function><param name="a">1</param></function>',
    "no parameter name": '<function name="run"><param>1</param></function>',
    "bare ampersand": '<function name="run"><param name="code">a && b &lt; </param></function>',
    "function end in cdata": '<function name="run"><param name="code"><![CDATA[</function>]]>'
    "</param></function>",
    "value left open": '<function name="run"><param name="code">x</function>',
    "two glued calls": _weather(CITY) + call("run", {"code": "x"}),
    "text around": f"Well.\n{_weather(CITY)}\nDone.",
}  # fmt: skip

FAMILY = Family(
    golden={"minicpm5": ("minicpm5", None), "minicpm5+qwen3": ("minicpm5", "qwen3")},
    call=call,
    odd=ODD,
    markup=('<function name="', "<param name='", '">', "</param>", "<![CDATA[", "]]>", "&", "&lt;",
            "&#1", "</function>", "<arguments>"),
    exact=False,
    known=True,
)  # fmt: skip
