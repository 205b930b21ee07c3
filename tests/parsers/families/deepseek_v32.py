"""DeepSeek V3.2: DSML calls, without reasoning of its own."""

from __future__ import annotations

import json
from typing import Any

from . import Family, Text


class Dialect:
    """How one model writes DSML. calls: the outer tag. blank: stands before the inner tags."""

    def __init__(self, calls: str, blank: str = "") -> None:
        self.opens, self.closes = f"<｜DSML｜{calls}>", f"</｜DSML｜{calls}>"
        self.inner, self.ends = f"<｜DSML｜{blank}", f"</｜DSML｜{blank}"

    def parameter(self, name: str, value: str, string: str = ' string="true"') -> str:
        return f'{self.inner}parameter name="{name}"{string}>{value}{self.ends}parameter>'

    def json(self, name: str, value: str) -> str:
        return self.parameter(name, value, ' string="false"')

    def invoke(self, name: str, *parameters: str) -> str:
        body = "".join(f"{parameter}\n" for parameter in parameters)
        return f'{self.inner}invoke name="{name}">\n{body}{self.ends}invoke>'

    def calls(self, *invokes: str) -> str:
        return f"{self.opens}\n" + "".join(f"{one}\n" for one in invokes) + self.closes

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        return self.calls(
            self.invoke(
                name,
                *(
                    self.parameter(key, value)
                    if isinstance(value, str)
                    else self.json(key, json.dumps(value, ensure_ascii=False))
                    for key, value in arguments.items()
                ),
            )
        )

    def odd(self) -> dict[str, Text]:
        text, data, invoke, calls = self.parameter, self.json, self.invoke, self.calls
        end = f"{self.ends}parameter>"
        return {
            "two in a section": calls(invoke("run", text("a", "1")), invoke("bare")),
            "one line": calls(invoke("run", text("a", "1"))).replace("\n", ""),
            "strings that are not": calls(invoke(
                "get_weather", text("days", "7"), text("limit", "2.0"), text("metric", "true"),
                text("where", '{"lat":"1"}'), text("level", "2"), text("maybe", "null"),
                text("either", "5"), text("free", "4"), text("ref", "3"),
            )),
            "data of another type": calls(invoke(
                "get_weather", data("city", "12"), data("days", '"7"'), data("limit", "1e3"),
                data("metric", "1"), data("where", '{"lat": "2", "deep": "3"}'),
                data("tags", '[1, "2", null]'), data("maybe", "null"), data("unit", "5"),
            )),
            "data that is no JSON": calls(invoke("run", data("a", "x y"), data("b", "{broken"))),
            "data that is no JSON, typed": calls(invoke("get_weather", data("days", "soon"))),
            "data with blanks": calls(invoke("run", data("a", " \n[1, 2] "), data("b", " "))),
            "no string attribute": calls(invoke("run", text("a", "1", ""), text("b", "x y", ""))),
            "other attribute": calls(invoke("run", text("a", "1", ' type="int"'))),
            "blanks in the tag": calls(invoke("run", text("a", "1", '  string="true" '))),
            "inner newlines": calls(invoke("run", text("a", "\n\nParis\n"))),
            "empty value": calls(invoke("run", text("a", ""), data("b", ""))),
            "empty parameter name": calls(invoke("run", text("", "x"))),
            "repeated parameter": calls(invoke("run", text("a", "1"), text("a", "2"))),
            "parameter left open": calls(
                invoke("run", text("a", "1").removesuffix(end), text("b", "2"))
            ),
            "last parameter left open": calls(invoke("run", text("a", "1").removesuffix(end))),
            "wrapped": calls(invoke("get_weather", data("arguments", '{"city":"P","days":"2"}'))),
            "wrapped as a string": calls(invoke("get_weather", text("input", '{"city": "P"}'))),
            "wrapped without a schema": calls(invoke("run", data("arguments", '{"city": "P"}'))),
            "wrapped, unknown key": calls(invoke("get_weather", data("input", '{"zip": 1}'))),
            "wrapped, no object": calls(invoke("get_weather", text("input", "nothing"))),
            "wrapped and more": calls(
                invoke("get_weather", data("arguments", '{"city":"P"}'), text("city", "Q"))
            ),
            "wrapped second": calls(
                invoke("get_weather", text("city", "Q"), data("arguments", '{"city":"P"}'))
            ),
            "tags in a value": calls(invoke("run", text("a", "x <b> </c> <param> </｜DSML"))),
            "invoke end in a value": calls(invoke("run", text("a", f"x {self.ends}invoke> y"))),
            "text in the call": calls(invoke("run", "hm", text("a", "1"), "so")),
            "text between": calls("hm", invoke("run"), "and", invoke("bare"), "so"),
            "json body": calls(invoke("run", '{"a": 1}')),
            "empty section": "Well. " + calls() + " Then.",
            "only the section": "Well. " + self.opens,
            "no section": "Well. " + invoke("run", text("a", "1")) + " Then.",
            "no section end": calls(invoke("run", text("a", "1"))).removesuffix(self.closes),
            "no invoke end": calls(
                invoke("run", text("a", "1")).removesuffix(f"{self.ends}invoke>")
            ),
            "no invoke end, next": calls(
                invoke("run", text("a", "1")).removesuffix(f"{self.ends}invoke>"), invoke("bare")
            ),
            "empty name": calls(invoke("", text("a", "1"))),
            "name with spaces": calls(invoke(" run ", text("a", "1"))),
            "name without end": f'{self.opens}\n{self.inner}invoke name="run{self.ends}invoke>',
            "stray closing tags": f"Well {end} then {self.ends}invoke> so {self.closes}.",
            "section twice": self.opens + calls(invoke("run")),
            "closing tag twice": calls(invoke("run")) + self.closes,
            "two sections": calls(invoke("run")) + "\n\n" + calls(invoke("bare")),
            "other outer tags": (
                f"<｜DSML｜toolcalls>{invoke('run')}</｜DSML｜toolcalls>"
                f"<｜DSML｜tool>{invoke('bare')}</｜DSML｜tool>"
            ),
            "spelt otherwise": "<|DSML|tool_calls> <DSML> <｜DSML｜> </｜DSML｜>",
            "end token": calls(invoke("run")) + "<｜end▁of▁sentence｜>",
            "special token in content": "One<｜▁pad▁｜>two<｜fim▁hole｜>three",
            "special token in a value": calls(invoke("run", text("a", "x<｜▁pad▁｜>y"))),
            "think tags in content": "A <think> b </think> c",
        }  # fmt: skip

    def markup(self) -> tuple[str, ...]:
        return (
            self.opens, self.closes, f'{self.inner}invoke name="look">', f"{self.ends}invoke>",
            f'{self.inner}invoke name="', f'{self.inner}parameter name="text" string="true">',
            f'{self.inner}parameter name="days" string="false">', f"{self.ends}parameter>",
            f'{self.inner}parameter name="input" string="false">{{}}', "｜DSML｜", '">',
        )  # fmt: skip


_V32 = Dialect("function_calls")

FAMILY = Family(
    golden={"deepseek_v32": ("deepseek_v32", None)},
    call=_V32.call,
    model="deepseek_v3",
    added=("<think>", "</think>"),
    odd=_V32.odd(),
    markup=_V32.markup(),
    exact=False,
)
