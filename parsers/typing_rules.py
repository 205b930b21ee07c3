"""How text between tags gets its JSON type: one rule for each way that vLLM's parsers have."""

from __future__ import annotations

import ast
import json
import math
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from .schema import coerce, is_text, types_of

MAX_LITERAL = 65_536
"""Longer text is no Python literal: it would cost too much to find out."""


class TypingRule(NamedTuple):
    """is_text: whether a value of this schema is a string whatever it looks like.

    read: the value that the text stands for. The schema may be anything, None where none is.
    """

    is_text: Callable[[object], bool]
    read: Callable[[str, object], Any]


SCHEMA = TypingRule(lambda schema: not isinstance(schema, dict) or is_text(schema), coerce)
"""By all types that the schema allows; text without a schema (vLLM's engine-based parsers)."""


def _type(schema: object) -> object:
    return schema.get("type") if isinstance(schema, dict) else None


def _by_type(text: str, schema: object) -> object:
    lower = text.lower()
    try:
        match _type(schema):
            case "integer":
                return int(text)
            case "number":
                value = float(text)
                return value if math.isfinite(value) else text
            case "boolean":
                return {"true": True, "false": False}.get(lower, text)
            case _:
                return None if lower == "null" else text
    except ValueError:
        return text


BY_TYPE = TypingRule(
    lambda schema: _type(schema) not in ("integer", "number", "boolean", "null"), _by_type
)
"""By `type` alone, if it is one of four simple ones; else text (vLLM's `step3`)."""


def _literal(text: str, schema: object) -> object:
    text = text.strip()
    for read in (json.loads, _python):
        try:
            value = read(text)
            json.dumps(value, allow_nan=False)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
        return value
    return text


def _python(text: str) -> object:
    if len(text) > MAX_LITERAL:
        raise ValueError
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        return ast.literal_eval(text)


LITERAL = TypingRule(lambda schema: _type(schema) == "string", _literal)
"""What looks like JSON or a Python literal is one, but for strings (vLLM's `poolside_v1`)."""


_HUNYUAN_ALIASES = {
    **dict.fromkeys(("str", "text", "varchar", "char", "enum"), "string"),
    **dict.fromkeys(("bool", "binary"), "boolean"),
    **dict.fromkeys(("double",), "number"),
}
_HUNYUAN_PREFIXES = {
    **dict.fromkeys(("int", "uint", "long", "short", "unsigned"), "integer"),
    **dict.fromkeys(("num", "float"), "number"),
}


def _hunyuan_type(name: object) -> str:
    if not isinstance(name, str):
        return "string"
    alias = _HUNYUAN_ALIASES.get(name)
    found = (
        known for prefix, known in _HUNYUAN_PREFIXES.items() if name.lower().startswith(prefix)
    )
    return alias or next(found, name)


def _hunyuan_types(schema: object) -> set[str]:
    """The types that a schema allows on its first level, but null."""
    if not isinstance(schema, dict):
        return {"string"}
    if "type" in schema:
        declared = schema["type"]
        names = declared if isinstance(declared, list) else [declared]
    else:
        branches = schema.get("anyOf", schema.get("oneOf"))
        branches = branches if isinstance(branches, list) else [{}]
        names = [b.get("type", "string") if isinstance(b, dict) else "string" for b in branches]
    return {_hunyuan_type(name) for name in names} - {"null"}


def _hunyuan(text: str, schema: object) -> object:
    types, lower = _hunyuan_types(schema), text.lower()
    if "boolean" in types and lower in ("true", "false"):
        return lower == "true"
    for name in ("integer", "number"):
        if name in types:
            try:
                exact = name == "integer" or not set(".eE") & set(text)
                value = int(text) if exact else float(text)
            except ValueError:
                continue
            if math.isfinite(value):
                return value
    if types - {"string", "boolean", "integer", "number"}:
        try:
            value = json.loads(text)
            json.dumps(value, allow_nan=False)
        except (ValueError, RecursionError):
            pass
        else:
            return value
    return text if "string" in types else _unstripped_literal(text)


def _unstripped_literal(text: str) -> object:
    value = _literal(text, None)
    return text if value == text.strip() else value


HUNYUAN = TypingRule(lambda schema: _hunyuan_types(schema) == {"string"}, _hunyuan)
"""By the types on the schema's first level, a null is none (vLLM's `hy_v3` and `hy_v4`)."""


_DOTS_STRINGS = ("string", "str", "text")


def _dots_type(schema: object) -> object:
    """The first type that is not null, of the schema or of its first branch that has one."""
    if not isinstance(schema, dict):
        return None
    if "type" in schema:
        declared = schema["type"]
        if isinstance(declared, list):
            return next((name for name in declared if name != "null"), "string")
        return declared
    branches = [b for key in ("anyOf", "oneOf", "allOf") for b in schema.get(key) or () if b]
    kinds = (_dots_type(b) for b in branches if isinstance(b, dict) and b.get("type") != "null")
    return next((kind for kind in kinds if kind is not None), None)


def _dots_name(schema: object) -> str:
    return str(_dots_type(schema) or "string").lower()


def _dots(text: str, schema: object) -> object:
    name, lower = _dots_name(schema), text.lower()
    if lower == "null":
        return None
    if name in _DOTS_STRINGS:
        return text
    if name in ("boolean", "bool"):
        return lower in ("true", "1")
    try:
        if name in ("integer", "int"):
            return int(text)
        if name in ("number", "float"):
            value = float(text)
            whole = math.isfinite(value) and value.is_integer()
            return int(value) if whole else value if math.isfinite(value) else text
        value = json.loads(text)
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return text
    return value


def _dots_text(schema: object) -> bool:
    return _dots_name(schema) in _DOTS_STRINGS and "null" not in types_of(schema)


DOTS = TypingRule(_dots_text, _dots)
"""By the first type that is not null; null by its word (vLLM's `dots`, there for any string)."""


def _json(text: str, schema: object) -> object:
    try:
        value = json.loads(text)
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return text
    return value


JSON = TypingRule(lambda schema: _type(schema) == "string", _json)
"""What is JSON is its value, but for strings (vLLM's `muse`)."""

JSON_ALWAYS = TypingRule(lambda schema: False, _json)
"""What is JSON is its value, whatever the schema says (vLLM's `muse_glimmer`)."""

UNTRIMMED_LITERAL = TypingRule(LITERAL.is_text, lambda text, schema: _unstripped_literal(text))
"""As LITERAL, where text that is no literal keeps its white space (vLLM's `minicpm5`)."""
