"""Types of parameters whose format carries none: from the tool's JSON schema.

The rules are vLLM's (`tool_parsers/utils.py`, `coerce_to_schema_type`): the types of `type`,
`enum` values and the branches of anyOf, oneOf and allOf are tried from the narrowest to the
widest; a schema that names none (also a `$ref`) means a string.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

_BRANCHES = ("anyOf", "oneOf", "allOf")
_ALIASES = {
    **dict.fromkeys(("str", "text", "varchar", "char", "enum"), "string"),
    **dict.fromkeys(("int", "int32", "int64", "uint", "uint32", "uint64"), "integer"),
    **dict.fromkeys(("long", "short", "unsigned"), "integer"),
    **dict.fromkeys(("float", "float32", "float64", "double"), "number"),
    "bool": "boolean",
    "dict": "object",
    **dict.fromkeys(("arr", "list", "sequence"), "array"),
}
_MISS = object()


def _enum_type(value: object) -> str | None:
    if value is None:
        return "null"
    # bool before int: True is an int.
    kinds = ((bool, "boolean"), (int, "integer"), (float, "number"))
    more = ((str, "string"), (list, "array"), (dict, "object"))
    return next((name for kind, name in kinds + more if isinstance(value, kind)), None)


def types_of(schema: object) -> frozenset[str]:
    """All type names that a schema allows, as written; {"string"} where it names none."""
    found: set[str] = set()
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict):
            found.add("string")
            continue
        declared = node.get("type")
        names = declared if isinstance(declared, list) else [declared]
        own = {name for name in names if isinstance(name, str)}
        if isinstance(node.get("enum"), list):
            own |= {name for name in map(_enum_type, node["enum"]) if name}
        branches = [b for key in _BRANCHES if isinstance(node.get(key), list) for b in node[key]]
        found |= own
        waiting += branches
        if not own and not branches:
            found.add("string")
    return frozenset(found)


def is_text(schema: object) -> bool:
    """Whether a value of this schema is a string whatever it looks like, so that it may stream."""
    return types_of(schema) == {"string"}


def coerce(text: str, schema: object) -> Any:
    """The value that the text stands for under the schema; the text itself where none fits."""
    types = {_ALIASES.get(name, name) for name in (t.strip().lower() for t in types_of(schema))}
    for name, read in _READERS.items():
        if name in types and (value := read(text)) is not _MISS:
            return value
    value = _json(text)
    return text if value is _MISS else value


def conform(value: Any, schema: object) -> Any:
    """A value that was JSON or text, as far as vLLM's engine-based parsers adapt it to its schema.

    Objects keep their own value, their members and the items of arrays are adapted.
    """
    if not isinstance(schema, dict):
        return value
    if isinstance(value, str):
        return coerce(value, schema)
    if isinstance(value, dict):
        inner = schema.get("properties")
        known = inner if isinstance(inner, dict) else {}
        return {key: conform(item, known.get(key)) for key, item in value.items()}
    if isinstance(value, list):
        return [conform(item, schema.get("items")) for item in value]
    adapted = coerce(json.dumps(value, ensure_ascii=False), schema)
    return value if type(adapted) is type(value) and adapted == value else adapted


def _null(text: str) -> object:
    return None if text.lower() == "null" else _MISS


def _integer(text: str) -> object:
    try:
        return int(text)
    except ValueError:
        return _MISS


def _number(text: str) -> object:
    if (whole := _integer(text)) is not _MISS:
        return whole
    try:
        value = float(text)
    except ValueError:
        return _MISS
    if not math.isfinite(value):
        return _MISS
    return int(value) if value == int(value) else value


def _boolean(text: str) -> object:
    return {"true": True, "1": True, "false": False, "0": False}.get(text.lower().strip(), _MISS)


def _json(text: str) -> object:
    try:
        value = json.loads(text)
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return _MISS
    return value


_READERS: dict[str, Callable[[str], object]] = {
    "null": _null,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "object": _json,
    "array": _json,
    "string": lambda text: text,
}
