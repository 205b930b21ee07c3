"""Which JSON schemas the engine's grammar library takes: xgrammar ignores or refuses some keywords.

Source: `has_xgrammar_unsupported_json_features` in vLLM 0.33.0. What the library itself finds
when it compiles a schema is not known here.
"""

from __future__ import annotations

import json
from typing import Any

from .errors import RequestError
from .protocol.json_bounds import no_collection
from .protocol.json_texts import check_texts

MAX_NESTING = 64
"""Levels of objects and arrays that a schema may have."""
TAG_NESTING = 16
"""Levels that a structural tag may have around one."""

_FORMATS = """
email date time date-time duration ipv4 ipv6 hostname uuid uri uri-reference uri-template
json-pointer relative-json-pointer
"""
_TEXT_FORMATS = frozenset(_FORMATS.split())
_ARRAY_LIMITS = ("uniqueItems", "contains", "minContains", "maxContains")


def load_schema(text: str, max_nesting: int = MAX_NESTING) -> Any:
    """Its JSON. ValueError where it is none, RequestError (400) where it holds too much or is
    nested too deeply.
    """
    check_texts([text], "JSON schemas")
    try:
        with no_collection(len(text)):
            schema = json.loads(text)
    except RecursionError:
        raise _too_deep() from None
    check_nesting(schema, max_nesting)
    return schema


def check_nesting(schema: Any, max_nesting: int = MAX_NESTING) -> None:
    """RequestError (400) where it is nested too deeply."""
    level = [schema]
    for _ in range(max_nesting + 1):
        level = [node for node in level if isinstance(node, dict | list)]
        if not level:
            return
        level = [
            child for node in level for child in (node.values() if isinstance(node, dict) else node)
        ]
    raise _too_deep()


def _too_deep() -> RequestError:
    return RequestError(
        "The JSON schema is nested too deeply: objects and arrays may nest at most "
        f"{MAX_NESTING} levels"
    )


def is_supported(schema: Any) -> bool:
    """Whether neither `schema` nor a schema in it uses what is not supported."""
    waiting = [schema]
    while waiting:
        at = waiting.pop()
        if not isinstance(at, dict):
            continue
        if _is_unsupported(at):
            return False
        for value in at.values():
            waiting.extend(value if isinstance(value, list) else [value])
    return True


def _is_unsupported(schema: dict[str, Any]) -> bool:
    given = schema.get("type")
    types = given if isinstance(given, list) else [given]
    branches = schema.get("allOf")
    return (
        (("integer" in types or "number" in types) and "multipleOf" in schema)
        or ("array" in types and any(key in schema for key in _ARRAY_LIMITS))
        or ("string" in types and _is_unsupported_text(schema))
        or ("object" in types and _is_unsupported_object(schema))
        or (isinstance(branches, list) and len(branches) > 1)
    )


def _is_unsupported_text(schema: dict[str, Any]) -> bool:
    kind = schema.get("format", "uri")
    return not (isinstance(kind, str) and kind in _TEXT_FORMATS) or _bounds_a_pattern(schema)


def _is_unsupported_object(schema: dict[str, Any]) -> bool:
    patterns = schema.get("patternProperties")
    if isinstance(patterns, dict) and ("properties" in schema or len(patterns) > 1):
        return True
    if "propertyNames" not in schema:
        return False
    names = schema["propertyNames"]
    return (
        "patternProperties" in schema
        or "properties" in schema
        or schema.get("unevaluatedProperties", True) is not True
        or (isinstance(names, dict) and _bounds_a_pattern(names))
    )


def _bounds_a_pattern(schema: dict[str, Any]) -> bool:
    return ("pattern" in schema or "format" in schema) and (
        "minLength" in schema or "maxLength" in schema
    )
