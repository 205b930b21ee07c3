"""Nodes of a structural tag as JSON: all fields, in the order of xgrammar's `structural_tag.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Node = dict[str, Any]
Schema = dict[str, Any] | bool


def const(text: str) -> Node:
    return {"type": "const_string", "value": text}


def regex(pattern: str) -> Node:
    return {"type": "regex", "pattern": pattern}


def any_text(excludes: Sequence[str] = ()) -> Node:
    return {"type": "any_text", "excludes": [*excludes], "max_tokens": None, "max_chars": None}


def json_schema(schema: Schema, style: str = "json") -> Node:
    return {
        "type": "json_schema",
        "json_schema": schema,
        "style": style,
        "any_order": False,
        "max_whitespace_cnt": None,
        "excludes": [],
    }


def grammar(text: str) -> Node:
    return {"type": "grammar", "grammar": text}


def sequence(*elements: Node) -> Node:
    return {"type": "sequence", "elements": [*elements]}


def either(elements: Sequence[Node]) -> Node:
    return {"type": "or", "elements": [*elements]}


def one_of(elements: Sequence[Node]) -> Node:
    """`either`, but a single element stands by itself."""
    return elements[0] if len(elements) == 1 else either(elements)


def optional(content: Node) -> Node:
    return {"type": "optional", "content": content}


def some(content: Node) -> Node:
    """One or more."""
    return {"type": "plus", "content": content}


def many(content: Node) -> Node:
    """Zero or more."""
    return {"type": "star", "content": content}


def tag(begin: str, content: Node, end: str | tuple[str, ...]) -> Node:
    return {
        "type": "tag",
        "begin": begin,
        "content": content,
        "end": end if isinstance(end, str) else [*end],
    }


def triggered(
    trigger: str,
    tags: Sequence[Node],
    *,
    at_least_one: bool = False,
    once: bool = False,
    excludes: Sequence[str] = (),
) -> Node:
    """Free text and tags; `trigger` is the text with which a tag begins."""
    return {
        "type": "triggered_tags",
        "triggers": [trigger],
        "tags": [*tags],
        "at_least_one": at_least_one,
        "stop_after_first": once,
        "excludes": [*excludes],
    }


def separated(tags: Sequence[Node], separator: str = "", *, once: bool = False) -> Node:
    """One tag or more."""
    return {
        "type": "tags_with_separator",
        "tags": [*tags],
        "separator": separator,
        "at_least_one": True,
        "stop_after_first": once,
    }
