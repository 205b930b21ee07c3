"""Odd outputs of families whose calls are JSON between markers."""

from __future__ import annotations

import json
from typing import Any


def item(name: str, arguments: dict[str, Any]) -> str:
    """A call as one object."""
    return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)


def objects(opens: str, closes: str) -> dict[str, str]:
    """Where a call is one object."""
    bodies = shared() | {
        "list body": '[{"name": "run", "arguments": {}}]',
        "text after the object": '{"name": "run", "arguments": {}} so',
    }
    found = {name: opens + body + closes for name, body in bodies.items()}
    return found | _tags(opens, closes, item("run", {"a": 1}))


def arrays(opens: str, closes: str) -> dict[str, str]:
    """Where a call is an item of an array."""
    one, two = item("run", {"a": 1}), item("get_weather", {"city": "Paris", "tags": ["]", "}"]})
    bodies = {what: f"[{body}]" for what, body in shared().items()} | {
        "two in one": f"[{one}, {two}]",
        "three in one, compact": f"[{one},{two},{one}]".replace(", ", ",").replace(": ", ":"),
        "two in one, indented": f"[\n  {one},\n  {two}\n]\n",
        "empty array": "[]",
        "array of numbers": "[1, 2]",
        "array left open": f"[{one}, {two}",
        "object without array": one,
        "no comma": f"[{one} {two}]",
        "second item is malformed": f"[{one}, nope]",
        "text after the array": f"[{one}] so",
    }
    found = {what: opens + body + closes for what, body in bodies.items()}
    return found | _tags(opens, closes, f"[{one}]")


def shared() -> dict[str, str]:
    """One object."""
    return {
        "compact": '{"name":"run","arguments":{"a":1,"b":[1,2],"c":{}}}',
        "spaced": '{ "name" : "run" ,\n "arguments" : { "a" : 1 , "b" : [ ] } }',
        "json numbers": '{"name": "run", "arguments": {"a": 1e3, "b": 1.0, "c": -0, "d": 0.10}}',
        "json escapes": '{"name": "run", "arguments": {"a": "\\u00e9\\/\\ud83d\\ude00\\n\\"\\\\"}}',
        "arguments first": '{"arguments": {"a":1}, "name": "run"}',
        "extra keys": '{"id": "x1", "name": "run", "arguments": {"a": 1}, "type": "f"}',
        "repeated key": '{"name": "run", "arguments": {"a": 1, "a": 2}}',
        "string arguments": '{"name": "run", "arguments": "{\\"a\\": 1}"}',
        "no arguments key": '{"name": "run"}',
        "no name": '{"arguments": {"a": 1}}',
        "prose body": "I will call run.",
        "single quotes": "{'name': 'run', 'arguments': {}}",
        "broken arguments": '{"name": "run", "arguments": {"a": 1,, "b": 2}}',
        "trailing comma": '{"name": "run", "arguments": {"a": 1,}}',
        "raw newline in a string": '{"name": "run", "arguments": {"a": "x\ny"}}',
    }


def _tags(opens: str, closes: str, body: str) -> dict[str, str]:
    return {
        "no closing tag": opens + body,
        "no closing tag, text": opens + body + " Done.",
        "closing tag twice": opens + body + closes + closes,
        "stray closing tag": f"Well {closes} then.",
        "opening tag in prose": f"Write {opens} first, then the object.",
        "only opening tag": "Well." + opens,
        "opening tag twice": opens + opens + body + closes,
        "end tokens": opens + body + closes + "<|im_end|>",
        "special token in content": "One<|im_start|>two<|fim_prefix|>three",
    }
