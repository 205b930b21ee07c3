"""Types of a call's arguments, by the schema, where a response template leaves them text.

The rules are vLLM's (`parser/chat_parsing/response_parser.py`): the first type that fits counts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from .response_values import Read
from .typing_rules import TypingRule


def types_of(schema: object) -> tuple[str, ...]:
    """The types that a schema names, in its order; of `anyOf` and `oneOf` too."""
    if not isinstance(schema, Mapping):
        return ()
    declared = schema.get("type")
    found = declared if isinstance(declared, list) else [declared]
    types = [name for name in found if isinstance(name, str)]
    for union in ("anyOf", "oneOf"):
        options = schema.get(union)
        for option in options if isinstance(options, list) else ():
            types.extend(types_of(option))
    return (*types, "null") if schema.get("nullable") and "null" not in types else tuple(types)


def coerced(text: str, schema: object) -> Any:
    """The value of the first of the schema's types that the text fits; else the text."""
    for name in types_of(schema):
        try:
            return _TYPES[name](text)
        except (KeyError, ValueError, OverflowError, RecursionError):
            continue
    return text


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        number = float(text)
        if number.is_integer():
            return int(number)
        raise


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return int(number) if number.is_integer() and "." not in text else number


def _boolean(text: str) -> bool:
    return {"true": True, "1": True, "false": False, "0": False}[text.strip().lower()]


def _null(text: str) -> None:
    if text.strip() not in ("null", "None"):
        raise ValueError(text)


def _container(kind: type) -> Read:
    def read(text: str) -> Any:
        value = json.loads(text)
        if not isinstance(value, kind):
            raise ValueError(text)
        json.dumps(value, allow_nan=False)
        return value

    return read


_TYPES: dict[str, Read] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "null": _null,
    "object": _container(dict),
    "array": _container(list),
}


def rule(value_of: Read | None, *, text: bool) -> TypingRule:
    """How tagged values get their types. text: `value_of`, if any, gives text, and only trims."""

    def read(written: str, schema: object) -> object:
        try:
            value = value_of(written) if value_of else written
            json.dumps(value, allow_nan=False)
        except (ValueError, RecursionError):
            return written
        return coerced(value, schema) if isinstance(value, str) else value

    def is_text(schema: object) -> bool:
        return text and not _TYPES.keys() & set(types_of(schema))

    return TypingRule(is_text, read)
