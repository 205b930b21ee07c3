"""Schemas that refer to the tool's own definitions, as vLLM 0.33.0's `dots` follows them."""

from __future__ import annotations

import json
from typing import Any

import pytest

import parsers
from parsers import Context, Tool
from parsers.references import followed

from .families.dots import call
from .support import streamed

DEFINITIONS: dict[str, Any] = {
    "place": {"type": "object", "properties": {"x": {"type": "integer"}}},
    "count": {"type": "integer"},
    "alias": {"$ref": "#/$defs/count"},
    "loop": {"$ref": "#/$defs/loop"},
    "tree": {"anyOf": [{"$ref": "#/$defs/tree"}, {"$ref": "#/$defs/count"}]},
    "word": {"type": "string"},
}
# Name: schema, text, and what vLLM's whole answer has for it.
PARAMETERS: dict[str, tuple[dict[str, Any], str, Any]] = {
    "object": ({"$ref": "#/$defs/place"}, '{"x": 1}', {"x": 1}),
    "optional": ({"anyOf": [{"$ref": "#/$defs/place"}, {"type": "null"}]}, '{"x": 1}', {"x": 1}),
    "alias": ({"$ref": "#/$defs/alias"}, "7", 7),
    "loop": ({"$ref": "#/$defs/loop"}, "7", "7"),
    "missing": ({"$ref": "#/$defs/none"}, "7", "7"),
    "elsewhere": ({"$ref": "#/definitions/place"}, '{"x": 1}', '{"x": 1}'),
    "tree": ({"$ref": "#/$defs/tree"}, "7", 7),
    "typed": ({"type": "string", "$ref": "#/$defs/count"}, "7", "7"),
    "all": ({"allOf": [{"$ref": "#/$defs/count"}], "description": "n"}, "7", 7),
    "word": ({"$ref": "#/$defs/word"}, "7", "7"),
}
TEXT = call("f", {name: text for name, (_, text, _) in PARAMETERS.items()})
WANTED = {name: value for name, (_, _, value) in PARAMETERS.items()}


@pytest.fixture
def asked() -> Context:
    properties = {name: schema for name, (schema, _, _) in PARAMETERS.items()}
    tool = Tool("f", {"$defs": DEFINITIONS, "properties": properties})
    return Context(tools=(tool,), tool_choice="auto")


def test_types_are_those_of_the_definitions(asked: Context) -> None:
    (found,) = parsers.load("dots").parse([TEXT], asked).calls
    assert json.loads(found.arguments) == WANTED


def test_what_travels_with_a_stream_is_enough(asked: Context) -> None:
    fmt = parsers.load("dots")
    assert "$ref" not in repr(fmt.needs(asked).tools)
    for chunks in ([[part] for part in TEXT], [[TEXT]]):
        _, _, calls = streamed(fmt, asked, None, chunks, resumed=True)
        assert json.loads(calls[0][1]) == WANTED


@pytest.mark.parametrize("definitions", [{}, {"a": None}, {"a": [1]}, {"a": {"$ref": 5}}])
def test_what_is_no_schema_is_left(definitions: dict[str, Any]) -> None:
    assert followed({"$ref": "#/$defs/a"}, definitions) == definitions.get("a")
    assert followed("x", definitions) == "x"


def test_each_definition_counts_once() -> None:
    every = [{"$ref": f"#/$defs/{i}"} for i in range(40)]
    definitions = {str(i): {"anyOf": every} for i in range(40)}
    assert "$ref" not in repr(followed(every[0], definitions))


def test_a_long_chain_of_definitions_ends() -> None:
    chain = {str(i): {"anyOf": [{"$ref": f"#/$defs/{i + 1}"}]} for i in range(5000)}
    assert "$ref" not in repr(followed({"$ref": "#/$defs/0"}, chain))
    direct = {str(i): {"$ref": f"#/$defs/{i + 1}"} for i in range(5000)}
    assert followed({"$ref": "#/$defs/0"}, direct | {"5000": {"type": "number"}}) == {
        "type": "number"
    }


@pytest.mark.parametrize("defs", [None, [], "x", 5])
def test_definitions_of_a_wrong_type_are_none(defs: object) -> None:
    tool = Tool("f", {"$defs": defs, "properties": {"a": {"$ref": "#/$defs/a"}}})
    asked = Context(tools=(tool,), tool_choice="auto")
    (found,) = parsers.load("dots").parse([call("f", {"a": "7"})], asked).calls
    assert json.loads(found.arguments) == {"a": "7"}
