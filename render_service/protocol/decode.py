"""JSON bodies to typed requests, with what is wrong in plain words and in vLLM's error shape.

Rule: status, `type` and `param` of an error are what vLLM 0.33.0 answers (FastAPI's
RequestValidationError through `exception_handling/handlers/validation.py`); the message is ours.
Numbers and truth values are read as leniently as pydantic's lax mode reads them.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from ..errors import RequestError, schema_error
from .json_bounds import (
    check_bounds,
    check_nesting,
    check_size,
    holds_long_integers,
    no_collection,
    too_deep,
    too_long,
)
from .lax import lax

T = TypeVar("T")

_WORDS = {
    "int": "an integer",
    "float": "a number",
    "str": "a string",
    "bool": "true or false",
    "array": "an array",
    "object": "an object",
    "null": "null",
}
_JSON_TYPES = {str: "str", int: "int", float: "float", bool: "bool", list: "array", dict: "object"}
_MISMATCH = re.compile(r"Expected `(?P<expected>.*)`, got `(?P<got>.*)`")
_BOUND = re.compile(r"Expected `(?P<expected>.*)` (?P<bound>of length .*|[<>].*)")
_MISSING = re.compile(r"Object missing required field `(.*)`")
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")


def decode(decoder: msgspec.json.Decoder[T], raw: bytes) -> T:
    """The body `raw` through a typed decoder (built with strict=False)."""
    if not raw:
        raise _missing_body()
    check_bounds(raw)
    try:
        with no_collection(len(raw)):
            return decoder.decode(raw)
    except msgspec.ValidationError as error:
        raise _field_error(error, decode_json(raw), decoder.type) from None
    except msgspec.DecodeError as error:
        raise _syntax_error(raw, error) from None


def decode_json(raw: bytes) -> Any:
    check_size(raw)
    try:
        with no_collection(len(raw)):
            value = msgspec.json.decode(raw)
    except RecursionError:
        raise too_deep() from None
    except msgspec.MsgspecError as error:
        check_bounds(raw)
        raise _syntax_error(raw, error) from None
    check_nesting(raw, value)
    if holds_long_integers(raw):
        raise too_long()
    return value


def decode_object(raw: bytes) -> dict[str, Any]:
    """A body that must be a JSON object."""
    data = decode_json(raw) if raw else None
    if data is None:
        raise _missing_body()
    if not isinstance(data, dict):
        raise schema_error("The request body must be a JSON object.", "body")
    return data


def convert(data: dict[str, Any], to: type[T]) -> T:
    """The object as a typed request. Fields that `to` lacks are left out."""
    try:
        return msgspec.convert(data, to)
    except msgspec.ValidationError:
        wanted: Any = to
        read = lax(data, _type_info(wanted))
    try:
        return msgspec.convert(read, to)
    except msgspec.ValidationError as error:
        raise _field_error(error, read, to) from None


def _missing_body() -> RequestError:
    return schema_error("The request body is missing: a JSON object is required.", "body")


def _syntax_error(raw: bytes, error: Exception) -> RequestError:
    if (encoding := json.detect_encoding(raw)) != "utf-8":
        # Python's reader takes them.
        found = (
            "begins with a byte order mark, which JSON has not"
            if encoding == "utf-8-sig"
            else f"must be in UTF-8; it looks like {encoding.upper()}"
        )
        return schema_error(f"The request body {found}.", "body")
    try:
        json.loads(raw)
    except json.JSONDecodeError as fault:
        return schema_error(f"The request body is not valid JSON: {fault}.", f"body.{fault.pos}")
    except UnicodeDecodeError:
        return schema_error("The request body is not valid UTF-8.", "body")
    except (ValueError, RecursionError):
        pass
    # What Python's reader takes, or gives up on for another reason.
    return schema_error(
        "The request body is not valid JSON (NaN, Infinity, numbers out of range and unpaired "
        f"surrogates are not): {error}.",
        "body",
    )


def _parts(error: msgspec.ValidationError) -> tuple[str, list[str | int]]:
    """What msgspec found, and the path to it; `...` stands for some key of a mapping."""
    what, at, path = str(error).rpartition(" - at `")
    steps = _STEP.findall(path.removesuffix("`")) if at else []
    return (what if at else path), [
        name or (index if index == "..." else int(index)) for name, index in steps
    ]


def _field_error(error: msgspec.ValidationError, data: Any, to: Any) -> RequestError:
    what, path = _parts(error)
    mismatch, missing = _MISMATCH.fullmatch(what), _MISSING.fullmatch(what)
    path = _with_keys(path, data, mismatch["got"] if mismatch else None)
    if missing:
        path.append(missing[1])
    name = f"`{'.'.join(map(str, path))}`" if path else "The request body"
    if missing:
        message = f"{name} is required."
    elif mismatch:
        message = f"{name} must be {_wanted(mismatch['expected'])}, not {_got(mismatch['got'])}."
    elif bound := _BOUND.fullmatch(what):
        message = f"{name} must be {_WORDS.get(bound[1], bound[1])} {bound['bound']}."
    else:
        message = f"{name} is not valid: {what}."
    kinds = _kinds(to, path)
    if kinds and (allowed := _allowed(kinds[-1])):
        message += f" Allowed values: {allowed}."
    param = ".".join(map(str, ["body", *_up_to_branch(path, kinds)]))
    return schema_error(message, param)


def _wanted(expected: str) -> str:
    kinds = expected.split(" | ")
    return " or ".join(
        _WORDS.get(kind, kind) for kind in kinds if kind != "null" or len(kinds) == 1
    )


def _got(name: str) -> str:
    return {"bool": "a truth value", "float": "a fractional number"}.get(name) or _WORDS.get(
        name, name
    )


def _with_keys(path: list[str | int], data: Any, got: str | None) -> list[str | int]:
    """The path with the key of the first value that msgspec may have meant by `...`; it ends
    where that cannot be told. Of a key that comes twice, `data` has the last value alone.
    """
    found: list[str | int] = []
    for place, step in enumerate(path, start=1):
        if step == "...":
            if not isinstance(data, dict):
                return found[: path.index("...")]
            last = place == len(path)
            fitting = (
                k for k, v in data.items() if not last or _JSON_TYPES.get(type(v), "null") == got
            )
            key = next(fitting, None)
            if key is None:
                return found
            step = key
        try:
            data = data[step]
        except (LookupError, TypeError):  # another key was meant, or one that comes again
            return found[: path.index("...")] if "..." in path else path
        found.append(step)
    return found


def _kinds(to: Any, path: list[str | int]) -> list[list[inspect.Type]]:
    """The types that fit after each step of the path, unions taken apart."""
    kinds = [_members(_type_info(to))]
    for step in path:
        inner = [one for kind in kinds[-1] for one in _inside(kind, step)]
        kinds.append([one for kind in inner for one in _members(kind)])
    return kinds[1:]


@lru_cache(maxsize=16)
def _type_info(to: Any) -> inspect.Type:
    return inspect.type_info(to)


def _members(kind: inspect.Type) -> list[inspect.Type]:
    return list(kind.types) if isinstance(kind, inspect.UnionType) else [kind]


def _inside(kind: inspect.Type, step: str | int) -> list[inspect.Type]:
    if isinstance(kind, inspect.StructType):
        return [field.type for field in kind.fields if field.encode_name == step]
    if isinstance(kind, inspect.ListType):
        return [kind.item_type] if isinstance(step, int) else []
    return [kind.value_type] if isinstance(kind, inspect.DictType) else []


def _allowed(kinds: list[inspect.Type]) -> str:
    """The values that a field of fixed choices takes, as JSON; empty where it has none."""
    return ", ".join(
        json.dumps(value)
        for one in kinds
        if isinstance(one, inspect.LiteralType)
        for value in one.values
    )


def _up_to_branch(path: list[str | int], kinds: list[list[inspect.Type]]) -> list[str | int]:
    """The path to the first field that takes more than one kind: vLLM's ends there, since it
    names what does not fit the first kind.
    """
    for steps, fitting in enumerate(kinds, start=1):
        if sum(not _is_beside(one, fitting) for one in fitting) > 1:
            return path[:steps]
    return path


def _is_beside(kind: inspect.Type, kinds: list[inspect.Type]) -> bool:
    """null, or a list of the objects that may stand alone: vLLM takes one where we take several."""
    if isinstance(kind, inspect.ListType):
        return isinstance(kind.item_type, inspect.StructType) and kind.item_type in kinds
    return isinstance(kind, inspect.NoneType)
