"""How text between tags gets its JSON type: one rule for each way that vLLM's parsers have."""

from __future__ import annotations

import ast
import json
import math
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from .schema import coerce, is_text

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
