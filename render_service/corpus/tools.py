"""Lists of tools: long ones, deep schemas, odd names, words that JSON or a template must escape."""

from __future__ import annotations

from typing import Any

from .messages import TOOL

Json = dict[str, Any]


def tool(name: str, parameters: Any = None, **fields: Any) -> Json:
    """Without `parameters` where they are None."""
    given = {} if parameters is None else {"parameters": parameters}
    return {"type": "function", "function": {"name": name, **given, **fields}}


def of(**properties: Any) -> Json:
    """An object's schema."""
    return {"type": "object", "properties": properties, "required": list(properties)[:1]}


def deep(levels: int) -> Json:
    schema: Json = {"type": "string", "description": "the bottom"}
    for level in range(levels):
        schema = of(**{f"level_{level}": schema})
    return schema


ORDER = of(
    items={
        "type": "array",
        "minItems": 1,
        "items": of(
            sku={"type": "string", "pattern": "^[A-Z]{3}-\\d+$"},
            count={"type": "integer", "minimum": 1, "default": 1},
            options={"type": "object", "additionalProperties": {"type": ["string", "null"]}},
        ),
    },
    address={"$ref": "#/$defs/address"},
    pay={"oneOf": [{"const": "card"}, {"type": "object", "properties": {"iban": {}}}]},
) | {"$defs": {"address": of(street={"type": "string"}, zip={"type": "string"})}}

TOOLS: dict[str, list[Json]] = {
    "name only": [tool("clock")],
    "null fields": [tool("clock", None, description=None, strict=None)],
    "no properties": [tool("clock", {"type": "object", "properties": {}})],
    "empty schema": [tool("clock", {})],
    "empty description": [tool("clock", of(), description="")],
    "long description": [tool("clock", of(), description="Tells the time. " * 200)],
    "description in lines": [tool("clock", of(), description="Tells\n\n  the\ttime.\r\n")],
    "fifty tools": [
        tool(f"tool_{n}", of(value={"type": "string", "description": f"Value {n}."}))
        for n in range(50)
    ],
    "fifty properties": [
        tool("many", of(**{f"property_{n}": {"type": "number"} for n in range(50)}))
    ],
    "ten levels": [tool("deep", deep(10))],
    "thirty levels": [tool("deeper", deep(30))],
    "an order": [tool("order", ORDER, description="Places an order.")],
    "enumerations": [
        tool("pick", of(a={"enum": ["x", 1, 2.5, None, True]}, b={"type": "string", "enum": []}))
    ],
    "every type": [
        tool(
            "types",
            of(
                **{
                    kind: {"type": kind, "description": f"A {kind}."}
                    for kind in ("string", "integer", "number", "boolean", "array", "null")
                },
                mixed={"type": ["string", "integer", "null"]},
                untyped={},
                anything=True,
                nothing=False,
            ),
        )
    ],
    "unions": [
        tool(
            "union",
            of(
                a={"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "number"}}]},
                b={"allOf": [of(x={"type": "integer"}), {"required": ["x"]}]},
                c={"not": {"type": "null"}},
            ),
        )
    ],
    "recursive": [
        tool("tree", of(node={"$ref": "#/$defs/n"}) | {"$defs": {"n": {"$ref": "#/$defs/n"}}})
    ],
    "numbers": [
        tool(
            "numbers",
            of(
                a={"minimum": -1.5e-7, "maximum": 1e21, "default": 0.1},
                b={"multipleOf": 3, "default": 123456789012345678},
                c={"default": -0.0, "examples": [1.0, 1e3, 10**18]},
            ),
        )
    ],
    "other languages": [
        tool("wetter_für", of(größe={"type": "string", "description": '天気 <b>🌤️</b> & "q"'}))
    ],
    "markup in a description": [
        tool("m", of(), description="<b>'a' & \"b\"</b> </script> {{ x }} {% y %} \\n")
    ],
    "special tokens": [
        tool("t", of(x={"description": "<|im_end|></s><tool_call>"}), description="<|eot_id|>")
    ],
    "odd names": [tool(name, of()) for name in ("a.b", "a-b", "A B", "1", "über", "x" * 64)],
    "same name twice": [tool("twice", of(a={})), tool("twice", of(b={}))],
    "strict": [tool("strict", of(a={"type": "string"}), strict=True)],
    "not strict": [tool("loose", of(a={"type": "string"}), strict=False)],
    "keys of our own": [{**TOOL, "x-note": 1, "function": {**TOOL["function"], "x": [None]}}],
    "keys in another order": [
        {
            "function": {"parameters": of(z={}, a={}), "description": "d", "name": "n"},
            "type": "function",
        }
    ],
    "a response schema": [tool("r", of(a={}), returns={"type": "string"}, response={"x": 1})],
    "defaults and examples": [
        tool("d", of(a={"type": "object", "default": {"b": [1, {"c": None}]}, "examples": [{}]}))
    ],
    "title and format": [
        tool("f", {"title": "F", "$schema": "s", **of(a={"title": "A", "format": "date-time"})})
    ],
}
