"""The tools of recorded requests, and calls of them as the base families write them."""

from __future__ import annotations

import json
from typing import Any

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string"},
                    "days": {"type": "integer"},
                    "limit": {"type": "number"},
                    "metric": {"type": "boolean"},
                    "where": {"type": "object", "properties": {"lat": {"type": "number"}}},
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "unit": {"enum": ["c", "f"]},
                    "level": {"enum": [1, 2, None]},
                    "maybe": {"type": ["string", "null"]},
                    "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
                    "one": {"oneOf": [{"type": "boolean"}, {"type": "null"}]},
                    "all": {"allOf": [{"type": "integer"}]},
                    "ref": {"$ref": "#/$defs/place"},
                    "free": {},
                    "int": {"type": "int64"},
                    "odd": {"type": "quaternion"},
                },
            },
        },
    },
    {"type": "function", "function": {"name": "run", "parameters": {"type": "object"}}},
    {"type": "function", "function": {"name": "bare"}},
]
AUTO: dict[str, Any] = {"tools": TOOLS, "tool_choice": "auto"}
NAMED = {"type": "function", "function": {"name": "get_weather"}}


def hermes(name: str, arguments: dict[str, Any]) -> str:
    body = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
    return f"<tool_call>\n{body}\n</tool_call>"


def coder(name: str, arguments: dict[str, Any]) -> str:
    lines = [f"<tool_call>\n<function={name}>"]
    for key, value in arguments.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        lines.append(f"<parameter={key}>\n{shown}\n</parameter>")
    return "\n".join([*lines, "</function>\n</tool_call>"])


def llama(name: str, arguments: dict[str, Any]) -> str:
    return json.dumps({"name": name, "parameters": arguments}, ensure_ascii=False)
