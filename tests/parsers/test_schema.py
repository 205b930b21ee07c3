"""Types of tagged parameters; vLLM's own coercions are recorded in the golden files."""

from __future__ import annotations

from typing import Any

import pytest

from parsers.schema import coerce, is_text, types_of


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        (None, {"string"}),
        ("x", {"string"}),
        ({}, {"string"}),
        ({"$ref": "#/$defs/a"}, {"string"}),
        ({"type": "integer"}, {"integer"}),
        ({"type": ["integer", None, "null"]}, {"integer", "null"}),
        ({"type": 3}, {"string"}),
        ({"enum": []}, {"string"}),
        ({"enum": "abc"}, {"string"}),
        (
            {"enum": [1, True, 1.5, None, "a", [], {}]},
            {"integer", "boolean", "number", "null", "string", "array", "object"},
        ),
        (
            {"anyOf": [{"type": "integer"}, {"oneOf": [{"type": "null"}, {}]}]},
            {"integer", "null", "string"},
        ),
        ({"type": "object", "allOf": [{"type": "array"}, 7]}, {"object", "array", "string"}),
        ({"anyOf": {}}, {"string"}),
    ],
)
def test_types(schema: object, types: set[str]) -> None:
    assert types_of(schema) == types
    assert is_text(schema) == (types == {"string"})


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ("5", {"type": "integer"}, 5),
        ("5.5", {"type": "integer"}, 5.5),
        ("x", {"type": "integer"}, "x"),
        ("5.0", {"type": "number"}, 5),
        ("6", {"type": "number"}, 6),
        ("six", {"type": "number"}, "six"),
        ("5.25", {"type": "float"}, 5.25),
        ("nan", {"type": "number"}, "nan"),
        ("1e999", {"type": "number"}, "1e999"),
        ("TRUE", {"type": "bool"}, True),
        ("0", {"type": "boolean"}, False),
        ("maybe", {"type": "boolean"}, "maybe"),
        ("Null", {"type": ["null", "string"]}, None),
        ("text", {"type": ["null", "string"]}, "text"),
        ('{"a":1}', {"type": "dict"}, {"a": 1}),
        ("[1e999]", {"type": "list"}, "[1e999]"),
        ("{", {"type": "object"}, "{"),
        ("[" * 100000, {"type": "array"}, "[" * 100000),
        ("7", {"type": "quaternion"}, 7),
        ("8", {"type": " INT64 "}, 8),
        ("9", {"type": "null"}, 9),
    ],
)
def test_coercion(text: str, schema: object, value: Any) -> None:
    found = coerce(text, schema)
    assert found == value
    assert type(found) is type(value)
