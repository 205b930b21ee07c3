"""The rules that give text between tags its type; vLLM's parsers of those names do the same."""

from __future__ import annotations

from typing import Any

import pytest

from parsers.typing_rules import BY_TYPE, LITERAL, MAX_LITERAL, SCHEMA


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ("7", {"type": "integer"}, 7),
        ("7.5", {"type": "integer"}, "7.5"),
        ("7", {"type": "number"}, 7.0),
        ("inf", {"type": "number"}, "inf"),
        ("True", {"type": "boolean"}, True),
        ("yes", {"type": "boolean"}, "yes"),
        ("NULL", {"type": "null"}, None),
        ("none", {"type": "null"}, "none"),
    ],
)
def test_by_type(text: str, schema: dict[str, Any], value: object) -> None:
    assert not BY_TYPE.is_text(schema)
    assert BY_TYPE.read(text, schema) == value


def test_by_type_takes_all_else_for_text() -> None:
    for schema in (None, {}, True, {"type": "array"}, {"type": ["integer", "null"]}):
        assert BY_TYPE.is_text(schema)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (" 1e3 ", 1000.0),
        ('{"a": [1]}', {"a": [1]}),
        ("{'x': (1, None)}", {"x": (1, None)}),
        ("True", True),
        ("NaN", "NaN"),
        ("{1, 2}", "{1, 2}"),
        ("b'x'", "b'x'"),
        ("Paris", "Paris"),
        ("f(", "f("),
        ("[" * 5000, "[" * 5000),
        ("(" + "1," * MAX_LITERAL, "(" + "1," * MAX_LITERAL),
    ],
)
def test_literals(text: str, value: object) -> None:
    assert not LITERAL.is_text(None)
    assert LITERAL.read(text, None) == value


def test_only_strings_are_no_literals() -> None:
    assert LITERAL.is_text({"type": "string"})
    assert not LITERAL.is_text({"type": ["string", "null"]})


def test_without_a_schema_text_stays_text() -> None:
    assert SCHEMA.is_text(None)
    assert SCHEMA.is_text({"type": "string"})
    assert not SCHEMA.is_text({"type": "integer"})
