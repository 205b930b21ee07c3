"""How an argument of a call is held to its schema, in JSON or as bare text.

Rule: None where the schema says more than can be held. Text has no escapes, so what ends it must
not be in it. Source: vLLM 0.33.0's `parser/response_template_grammar.py`, whose formats are those
that xgrammar knows in JSON strings. A schema or pattern that xgrammar does not compile is passed
on here, so that the engine refuses it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from parsers.pattern_syntax import (
    Cat,
    Char,
    Edge,
    Either,
    Group,
    Node,
    PatternError,
    Repeat,
    parsed,
)
from parsers.response_types import types_of

from . import tag_nodes

ANNOTATIONS = frozenset(
    ("title", "description", "default", "examples", "deprecated", "$comment", "$schema", "$id")
)
"""Keywords of a schema that restrict no value."""
JSON_SYNTAX = frozenset(' \t\n\r{}[],:"-+.0123456789eEtrufalsn')
"""Characters of JSON outside its strings."""
ANY_TEXT: tag_nodes.Node = {"type": "any_text"}

_TEXT_KEYWORDS = ANNOTATIONS | {"type", "nullable", "enum", "const", "anyOf", "oneOf"}
_PATTERN_KEYWORDS = ANNOTATIONS | {"type", "format", "pattern", "minLength", "maxLength"}
_NOT_ONE = re.compile(r"\[\^(?:[^\\]|\\x..|\\u....|\\[^dDsSwWxu])\]", re.DOTALL)

_LABEL = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_DATE = r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_ZONE = r"(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
_TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]+)?" + _ZONE
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])"
_ATOM = r"[A-Za-z0-9_!#$%&'*+/=?^`{|}~-]+"
_HEX = r"%[0-9A-Fa-f]{2}"
_SAFE = r"A-Za-z0-9_.~!$&'()*+,;="
_PATH = rf"(?:[{_SAFE}:@-]|{_HEX})"
_QUERY = rf"(?:[{_SAFE}:@/?-]|{_HEX})*"
_AUTHORITY = rf"(?:(?:[{_SAFE}:-]|{_HEX})*@)?(?:[{_SAFE}-]|{_HEX})*(?::[0-9]*)?"
FORMATS = {
    "date": _DATE,
    "time": _TIME,
    "date-time": f"{_DATE}T{_TIME}",
    "email": rf"{_ATOM}(?:\.{_ATOM})*@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9][A-Za-z0-9-]*[A-Za-z0-9])*",
    "hostname": rf"{_LABEL}(?:\.{_LABEL})*",
    "ipv4": rf"(?:{_OCTET}\.){{3}}{_OCTET}",
    "uuid": r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
    "uri": rf"[A-Za-z][A-Za-z+.-]*:(?://{_AUTHORITY}(?:/{_PATH}*)*"
    rf"|/?(?:{_PATH}+(?:/{_PATH}*)*)?)(?:\?{_QUERY})?(?:#{_QUERY})?",
}
"""Patterns of the values of `format`, of bare text."""


def any_text(excludes: Sequence[str]) -> tag_nodes.Node:
    return {**ANY_TEXT, "excludes": [*excludes]} if excludes else ANY_TEXT


def json_value(schema: Any, ends: Sequence[str]) -> tag_nodes.Node | None:
    """JSON in whose strings no end stands; None where an end could be JSON."""
    if any(set(end) <= JSON_SYNTAX for end in ends):
        return None
    return {"type": "json_schema", "json_schema": schema, "excludes": [*ends]}


def value_format(
    schema: Any, parameters: dict[str, Any], ends: Sequence[str], *, as_json: bool
) -> tag_nodes.Node | None:
    """parameters: the whole schema. as_json: text is written as JSON too."""
    if schema is False:
        return None
    types = types_of(schema)
    if as_json or (types and "string" not in types):
        return json_value(_with_definitions(schema, parameters), ends)
    return _text_format(schema, ends)


def is_typed(schema: Any) -> bool:
    """Whether the value of a bare text is read with the type that the schema asks for."""
    if schema is True or types_of(schema):
        return True
    return isinstance(schema, dict) and (
        not set(schema) - ANNOTATIONS or text_choices(schema) is not None
    )


def text_choices(schema: Any) -> list[str] | None:
    """The values that are allowed, where they are text and given."""
    if not isinstance(schema, dict):
        return None
    choices = [schema["const"]] if "const" in schema else schema.get("enum")
    if not isinstance(choices, list) or not choices:
        return None
    return choices if all(isinstance(choice, str) for choice in choices) else None


def _with_definitions(schema: Any, parameters: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(schema, dict):
        return {}
    if schema.get("nullable"):  # which the grammar library does not know
        schema = {"anyOf": [schema, {"type": "null"}]}
    shared = {key: parameters[key] for key in ("$defs", "definitions") if key in parameters}
    return {**shared, **schema}


def _text_format(schema: Any, ends: Sequence[str]) -> tag_nodes.Node | None:
    if schema is True:
        return ANY_TEXT
    if not isinstance(schema, dict):
        return None
    if "format" in schema or "pattern" in schema:
        return _text_pattern(schema, ends)
    if set(schema) - _TEXT_KEYWORDS:
        return None
    unions = (schema.get(key) for key in ("anyOf", "oneOf"))
    branches = [branch for union in unions if isinstance(union, list) for branch in union]
    if "enum" in schema or "const" in schema:
        choices = text_choices(schema)
        if choices is None or branches or set(types_of(schema)) - {"string"}:
            return None
        return tag_nodes.one_of([tag_nodes.const(choice) for choice in choices])
    free = all(_text_format(branch, ends) is ANY_TEXT for branch in branches)
    return ANY_TEXT if free else None


def _text_pattern(schema: dict[str, Any], ends: Sequence[str]) -> tag_nodes.Node | None:
    """A format takes the place of a pattern, and either that of bounds on the length."""
    if set(schema) - _PATTERN_KEYWORDS or types_of(schema) != ("string",):
        return None
    name = schema.get("format")
    known = FORMATS.get(name) if isinstance(name, str) else None
    pattern = known if "format" in schema else schema["pattern"]
    if not isinstance(pattern, str) or may_write(pattern, {end[0] for end in ends if end}):
        return None
    return tag_nodes.regex(pattern)


def may_write(pattern: str, chars: Collection[str]) -> bool:
    """Whether a match may have one of the characters; true where the pattern is not understood."""
    try:
        return _may(parsed(pattern), chars)
    except (PatternError, RecursionError):
        return True


def _may(node: Node, chars: Collection[str]) -> bool:
    if isinstance(node, Char):
        if node.source == "." or _NOT_ONE.fullmatch(node.source):
            return True
        return any(re.fullmatch(node.source, char) for char in chars)
    if isinstance(node, Edge):
        return False
    if isinstance(node, Repeat):
        return node.most != 0 and _may(node.node, chars)
    if isinstance(node, Group):
        return _may(node.node, chars)
    if isinstance(node, Cat):
        return any(_may(item, chars) for item in node.items)
    return not isinstance(node, Either) or any(_may(option, chars) for option in node.options)
