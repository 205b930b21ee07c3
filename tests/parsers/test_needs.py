"""What a format needs of a request is enough; all tests that resume streams show it at work."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import parsers
from parsers import Context, Tool, typing_rules
from parsers.needs import Reads, needed
from parsers.schema import coerce, conform
from parsers.typing_rules import TypingRule

from .bits import SPECIALS

RULES = {name: rule for name, rule in vars(typing_rules).items() if isinstance(rule, TypingRule)}

KINDS = st.sampled_from(
    ["string", "integer", "number", "boolean", "null", "object", "array", "str", "int32", "odd"]
)
VALUES = st.sampled_from([None, True, 0, 1, -2.5, "", "null", "a" * 40, [], [1], {}, {"a": "null"}])
LEAVES = st.fixed_dictionaries(
    {},
    optional={
        "type": KINDS | st.lists(KINDS, max_size=3) | st.just(3),
        "enum": st.lists(VALUES, max_size=4) | st.just("a"),
        "description": st.sampled_from(["Or null.", "string"]),
        "default": VALUES,
        "$ref": st.just("#/$defs/a"),
    },
)


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = inner | st.sampled_from([None, True, "string", 3])
    named = st.dictionaries(st.sampled_from(["a", "type", "items"]), some, max_size=3)
    more = st.fixed_dictionaries(
        {},
        optional={
            "properties": named | st.just([]),
            "items": some,
            "additionalProperties": some,
            **{
                key: st.lists(some, max_size=3) | st.just({}) for key in ("anyOf", "oneOf", "allOf")
            },
        },
    )
    return st.builds(lambda leaf, rest: {**leaf, **rest}, LEAVES, more)


SCHEMAS = st.recursive(LEAVES, _nested, max_leaves=6)
TEXTS = st.sampled_from(
    [
        "",
        " ",
        "null",
        "Null",
        "1",
        "1.0",
        "-2.5e3",
        "true",
        "0",
        "[1, 2]",
        '{"a": "1"}',
        "x",
        "(1,)",
    ]
)


def reduced(schema: Any) -> Any:
    tools = (Tool("t", {"properties": {"p": schema}}),)
    return needed(Context(tools=tools), Reads.TYPES, ()).properties("t")["p"]


@settings(max_examples=1000, deadline=None)
@given(schema=SCHEMAS, text=TEXTS)
def test_rules_judge_by_what_is_kept(schema: Any, text: str) -> None:
    kept = reduced(schema)
    for rule in RULES.values():
        assert rule.is_text(schema) == rule.is_text(kept)
        assert repr(rule.read(text, schema)) == repr(rule.read(text, kept))
    assert repr(coerce(text, schema)) == repr(coerce(text, kept))
    value = {"a": text, "items": [text, {"type": text}]}
    assert repr(conform(value, schema)) == repr(conform(value, kept))


@given(schema=SCHEMAS)
def test_what_is_kept_is_stable_and_holds_no_prose(schema: Any) -> None:
    kept = reduced(schema)
    assert reduced(kept) == kept
    assert "Or null." not in json.dumps(kept)


@pytest.mark.parametrize(
    ("tool", "tools"),
    [
        ("hermes", (Tool(""),)),
        ("qwen3_coder", (Tool("look", {"properties": {"days": {"type": "integer"}}}), Tool("run"))),
    ],
)
def test_a_format_needs_only_what_it_reads(tool: str, tools: tuple[Tool, ...]) -> None:
    schema = {"type": "object", "properties": {"days": {"type": "integer", "minimum": 1}}}
    asked = Context(
        tools=(Tool("look", schema), Tool("run")),
        template_kwargs={"enable_thinking": False, "other": "x" * 1000},
    )
    found = parsers.load(tool, "qwen3", SPECIALS).needs(asked)
    assert found.tools == tools
    assert found.template_kwargs == {"enable_thinking": False}
