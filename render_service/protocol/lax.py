"""Values of a JSON body in the types that a request wants them in, as leniently as vLLM 0.33.0.

Rule: what pydantic's lax mode makes of one JSON type where another is wanted: `true` is the
integer 1, `"1_000"` the integer 1000, `1.0` and `"yes"` are true. Nothing becomes a string or null.
What cannot be read stays as it is, for the typed conversion to refuse.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from msgspec import inspect

from .json_bounds import LONGEST_INTEGER

_TRUTH = dict.fromkeys(("1", "on", "t", "true", "y", "yes"), True)
_TRUTH |= dict.fromkeys(("0", "off", "f", "false", "n", "no"), False)
_INTEGER = re.compile(r"[+-]?[0-9]+(?:_[0-9]+)*(?:\.0+)?")
_WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""Unicode's; `str.strip` alone takes more."""
_INTEGRAL = 2.0**63
"""Below it a float that has no fraction is read as an integer."""


def lax(value: Any, kind: inspect.Type) -> Any:
    """The value, or what it stands for where `kind` takes only that."""
    kinds = _members(kind)
    if isinstance(value, dict):
        return _mapping(value, kinds)
    if isinstance(value, list):
        return _list(value, kinds)
    if _taken(type(value), kinds):
        return value
    read = (_READERS[type(one)](value) for one in kinds if type(one) in _READERS)
    return next((found for found in read if found is not None), value)


def _mapping(value: dict[str, Any], kinds: tuple[inspect.Type, ...]) -> dict[str, Any]:
    for one in kinds:
        if isinstance(one, inspect.StructType):
            fields = {field.encode_name: field.type for field in one.fields}
            return {k: lax(v, fields[k]) if k in fields else v for k, v in value.items()}
        if isinstance(one, inspect.DictType) and not isinstance(one.value_type, inspect.AnyType):
            return {k: lax(v, one.value_type) for k, v in value.items()}
    return value


def _list(value: list[Any], kinds: tuple[inspect.Type, ...]) -> list[Any]:
    item = next((one.item_type for one in kinds if isinstance(one, inspect.ListType)), None)
    if item is None or all(_taken(of, _members(item)) for of in set(map(type, value))):
        return value  # at once, as a million token IDs are
    return [lax(one, item) for one in value]


def _taken(of: type, kinds: tuple[inspect.Type, ...]) -> bool:
    return any(isinstance(one, _AS_IT_IS.get(of, ())) for one in kinds)


def _members(kind: inspect.Type) -> tuple[inspect.Type, ...]:
    return kind.types if isinstance(kind, inspect.UnionType) else (kind,)


def _integer(value: Any) -> int | None:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _INTEGRAL else None
    text = value.strip(_WHITE_SPACE) if isinstance(value, str) else ""
    if len(text) > LONGEST_INTEGER or not _INTEGER.fullmatch(text):
        return None
    return int(text.partition(".")[0])


def _float(value: Any) -> float | None:
    if isinstance(value, bool):
        return float(value)
    text = value.strip(_WHITE_SPACE) if isinstance(value, str) else ""
    if not text.isascii() or ("_" in text and text != value):
        return None
    try:
        return float(text)
    except ValueError:
        return None


def _truth(value: Any) -> bool | None:
    if isinstance(value, str):
        return _TRUTH.get(value.lower())
    return bool(value) if value in (0, 1) else None


_READERS: dict[type[inspect.Type], Callable[[Any], Any]] = {
    inspect.IntType: _integer,
    inspect.FloatType: _float,
    inspect.BoolType: _truth,
}
_AS_IT_IS: dict[type, tuple[type[inspect.Type], ...]] = {
    bool: (inspect.BoolType, inspect.AnyType),
    int: (inspect.IntType, inspect.FloatType, inspect.AnyType),
    float: (inspect.FloatType, inspect.AnyType),
    str: (inspect.StrType, inspect.LiteralType, inspect.AnyType),
}
