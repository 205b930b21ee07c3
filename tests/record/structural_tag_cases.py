"""Requests for `structural_tags.py`: tools, choices, strict levels, other constraints."""

from __future__ import annotations

from typing import Any

Case = dict[str, Any]


def _tool(name: str, **fields: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, **fields}}


_DEEP = {
    "type": "object",
    "properties": {
        "place": {"$ref": "#/$defs/Place"},
        "tags": {"type": "array", "items": {"enum": ["a", "é", None, 3]}, "default": None},
        "size": {"type": ["integer", "string", "null"]},
    },
    "required": ["place"],
    "$defs": {"Place": {"type": "object", "properties": {"town": {"type": "string"}}}},
}
_TOWN = {"type": "object", "properties": {"town": {"type": "string"}}, "required": ["town"]}
_MANY = {
    "properties": {
        "a": {"$ref": "#/$defs/Place"},
        "b": {"type": "string", "minLength": 3, "maxLength": 9},
        'c"&': {"type": "string", "const": "x"},
        "d": {"type": "string", "minLength": 3, "maxLength": 2},
        "e": {"type": "number"},
        "f": {"type": "string", "enum": ["<|"]},
        "g": {"type": "object", "$ref": "#/$defs/Place"},
        "h": {"type": ["null"]},
        "i": {"type": ["string"]},
        "j": {"enum": [1, None, "x"]},
    },
    "required": [],
}
_MIXED = {
    "type": "object",
    "properties": {
        "unit": {"type": "string", "enum": ["C", "F"]},
        "kind": {"enum": ["one"]},
        "days": {"type": "integer", "minimum": 1},
        "note": {"type": "string", "maxLength": 40},
        "any": {},
    },
}

TOOLS = {
    "town": _tool("town", description="A town.", parameters=_TOWN),
    "clock": _tool("clock"),
    "empty": _tool("empty", parameters={}),
    "deep": _tool("deep", parameters=_DEEP, strict=True),
    "loose": _tool("loose", parameters=_DEEP, strict=False),
    "mixed": _tool("mixed", parameters=_MIXED),
    "strict": _tool("a.b-c", parameters=_MIXED, strict=True),
    "quote": _tool('q"&{é}', parameters=_TOWN, strict=True),
    "bare": _tool("bare", strict=True),
    "other": _tool("other", parameters={"$defs": {"Place": {"type": "string"}}}),
    "wrong": _tool("wrong", parameters={"$defs": [1]}),
    "defs": _tool("defs", parameters={"$defs": {}}),
    "many": _tool("many", parameters=_DEEP | _MANY),
    "closed": _tool("closed", parameters={"type": "object", "allOf": [], "properties": {}}),
    "open": _tool("open", parameters=_TOWN | {"additionalProperties": True}),
    "null": _tool("null", parameters=None, strict=None),
}

_SCHEMA = {"type": "json_schema", "json_schema": {"name": "x", "schema": _TOWN}}


def _named(name: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name}}


def cases() -> dict[str, Case]:
    """By name: a level, and a request with its tools' names."""
    found: dict[str, Case] = {}

    def add(name: str, tools: str, level: str | None = None, **request: Any) -> None:
        found[name] = {"level": level, "request": {"tools": tools.split(), **request}}

    add("auto", "town clock")
    add("auto strict", "deep clock loose")
    add("auto all strict", "strict deep quote bare")
    add("none", "deep", tool_choice="none")
    add("null choice", "deep", tool_choice=None)
    add("required", "town clock empty null", tool_choice="required")
    add("required strict", "deep loose strict", tool_choice="required")
    add("required shapes", "mixed loose", tool_choice="required")
    add("required other definitions", "deep other", tool_choice="required")
    add("required wrong definitions", "wrong", tool_choice="required")
    add("required only definitions", "defs", tool_choice="required")
    add("named", "town clock", tool_choice=_named("town"))
    add("named bare", "town clock", tool_choice=_named("clock"))
    add("named strict", "town deep", tool_choice=_named("deep"))
    add("named loose", "loose", tool_choice=_named("loose"))
    add("named twice", "town town", tool_choice=_named("town"))
    for level in ("auto", "function", "parameter"):
        add(f"level {level}", "mixed clock", level)
    add("level named", "mixed clock", "parameter", tool_choice=_named("mixed"))
    add("single", "town clock", parallel_tool_calls=False)
    add("single strict", "strict", parallel_tool_calls=False)
    add("single required", "deep town", parallel_tool_calls=False, tool_choice="required")
    add("single named", "town", parallel_tool_calls=False, tool_choice=_named("town"))
    add("level required", "mixed", "function", tool_choice="required")
    add("parallel null", "town", parallel_tool_calls=None, tool_choice="required")
    add("format auto", "town", response_format=_SCHEMA)
    add("format single", "town", response_format=_SCHEMA, parallel_tool_calls=False)
    add("format required", "town", response_format=_SCHEMA, tool_choice="required")
    add("format named", "town", response_format=_SCHEMA, tool_choice=_named("town"))
    add("format none", "town", response_format=_SCHEMA, tool_choice="none")
    kept = {"disable_any_whitespace": True}
    others: dict[str, dict[str, Any]] = {
        "schema": {"response_format": _SCHEMA},
        "object": {"response_format": {"type": "json_object"}},
        "text": {"response_format": {"type": "text"}},
        "json text": {"structured_outputs": {"json": '{"type": "object"}', **kept}},
        "bad json": {"structured_outputs": {"json": "{"}},
        "unsupported": {"structured_outputs": {"json": {"type": "integer", "multipleOf": 2}}},
        "choice": {"structured_outputs": {"choice": ["yes", 'n"o']}},
        "regex": {"structured_outputs": {"regex": "[a-c]+", **kept}},
        "nul": {"structured_outputs": {"regex": "\x00"}},
        "ebnf": {"structured_outputs": {"grammar": 'root ::= "a"'}},
        "structures": {
            "response_format": {
                "type": "structural_tag",
                "structures": [{"begin": "<a>", "schema": _TOWN, "end": "</a>"}],
                "triggers": ["<a>"],
            }
        },
    }
    for name, fields in others.items():
        add(f"strict and {name}", "deep", **fields)
    add("flags", "town", structured_outputs={"json": {"type": "object"}, **kept})
    add("many", "many closed open", tool_choice="required")
    add("many held", "many closed open", "parameter", tool_choice="required")
    add("level and schema", "town clock", "function", response_format=_SCHEMA)
    single = {"parallel_tool_calls": False, "response_format": _SCHEMA}
    add("single strict and schema", "deep", **single)
    choice = {"structured_outputs": {"choice": ["yes"]}}
    add("required and choice", "town", tool_choice="required", **choice)
    return found
