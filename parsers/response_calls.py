"""How the regions of calls of a response template are read: the codec that its field describes.

JSON and tagged parameters stream, where the transform says which part of them is the name and
which the arguments. All else is held until its region ends, and is then exactly what vLLM makes
of it: JSON in a dialect of its own, lists of calls, `kv-lines`, merged parameters, values that the
transform takes apart, and JSON whose closing marker could be part of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .codecs.bare_arguments import BareArguments
from .codecs.base import Codec
from .codecs.json_object import JsonObject
from .codecs.response_region import Groups, ResponseRegion, StreamedRegion, TextRegion, WholeRegion
from .codecs.response_tags import END, KEY, TagsRegion
from .codecs.tagged_parameters import TaggedParameters, Trim
from .context import Context
from .events import Call
from .json_stream import dumps
from .patterns import PatternScanner
from .response_template import Field, Template, watch
from .response_types import coerced, rule, types_of
from .response_values import PLACEHOLDER, filled, tags, value_reader

_JSON_SYNTAX = ' \t\n\r{}[],:"-+.0123456789eEtrufalsn'
_DIALECT = ("string_delims", "unquoted_keys", "allow_non_json")


def region_codec(template: Template, field: Field, *, read: bool = True) -> ResponseRegion:
    """field: that of calls. read: whether anybody wants them."""
    assert field.opens  # `load_template` refuses calls without an opening marker
    closer, _ = watch([(field.closes, None)])
    parts: dict[str, Any] = {
        "opener": field.opens.pattern,
        "closer": closer,
        "endings": template.endings(field.closes),
    }
    if not read:
        return TextRegion(**parts)
    name, arguments = _shape(field.transform)
    if field.each or not name:
        return WholeRegion(**parts, read=_reader(field))
    if field.content == "xml-inline":
        streams = arguments == "{content}" and not field.args.get("merge_duplicates")
        if streams and not name.startswith("{content"):
            return _tags(field, name, parts)
    elif not (field.closes and field.closes.pattern.spelt_with(_JSON_SYNTAX)):
        content = _streamed(field, name, arguments)
        if content:
            return StreamedRegion(**parts, content=content, name=name)
    return WholeRegion(**parts, read=_reader(field))


def _shape(transform: Any) -> tuple[str, str]:
    """The name of the tool and the arguments in the transform, as there; "" where not by them."""
    function = transform.get("function") if isinstance(transform, Mapping) else None
    if isinstance(function, str):
        inner = function[:-1]
        return (
            (f"{inner}.name}}", f"{inner}.arguments}}") if _is_placeholder(function) else ("", "")
        )
    if not isinstance(function, Mapping):
        return "", ""
    name, arguments = function["name"], function["arguments"]
    if not (isinstance(name, str) and isinstance(arguments, str) and _is_placeholder(arguments)):
        return "", ""
    return name, arguments


def _is_placeholder(text: str) -> bool:
    return PLACEHOLDER.fullmatch(text) is not None


def _streamed(field: Field, name: str, arguments: str) -> Codec | None:
    """What reads the content as it comes, if anything can."""
    if any(field.args.get(key) for key in _DIALECT) or field.content not in ("json", "text"):
        return None
    if arguments == "{content}" and not name.startswith("{content"):
        return BareArguments(blanks=False, verbatim=field.content == "text")
    of, to = (part[1:-1].split(".") for part in (name, arguments))
    keys = [path[1] for path in (of, to) if len(path) == 2 and path[0] == "content"]
    if field.content == "json" and len(keys) == 2 and keys[0] != keys[1]:
        return JsonObject(name=keys[0], arguments=(keys[1],))
    return None


def _tags(field: Field, name: str, parts: dict[str, Any]) -> TagsRegion:
    where = f"field '{field.name}'"
    pattern, value_of = tags(where, field.args), value_reader(where, field.args)
    inner = field.args.get("value_parser") or {}
    kind = inner.get("name", "text")
    trims = bool(inner) and kind == "text" and inner.get("args", {}).get("strip", True)
    closes = [field.closes.pattern] if field.closes else []
    return TagsRegion(
        **parts,
        name=name,
        tags=pattern,
        parameters=TaggedParameters(
            trim=Trim.BLANKS if trims else Trim.NOTHING,
            trims_keys=False,
            rule=rule(value_of, text=kind == "text"),
        ),
        between=_first_of(KEY, pattern.opener, closes),
        in_values=_first_of(END, pattern.end, closes),
    )


def _first_of(marker: str, pattern: Any, closes: list[Any]) -> PatternScanner:
    return PatternScanner({marker: pattern} | {str(at): p for at, p in enumerate(closes)})


def _reader(field: Field) -> Callable[[str, Groups, Context], list[Call]]:
    def read(text: str, groups: Groups, context: Context) -> list[Call]:
        try:
            made = _made(field, field.read(text), groups)
            return [_call(item, context) for item in (made if isinstance(made, list) else [made])]
        except (ValueError, TypeError, OverflowError, RecursionError):
            return []

    return read


def _made(field: Field, value: Any, groups: Groups) -> Any:
    """What the transform makes of the value. Raises ValueError."""
    if field.transform is None:
        return value
    if not field.each:
        return filled(field.transform, {**groups, "content": value})
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValueError("no list of objects")
    return [filled(field.transform, {**groups, **item}) for item in value]


def _call(item: Any, context: Context) -> Call:
    """Raises ValueError where it is none."""
    function = item.get("function") if isinstance(item, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    arguments = function.get("arguments") if isinstance(function, dict) else None
    if not isinstance(name, str) or not name or arguments is None:
        raise ValueError("no call")
    if isinstance(arguments, dict):
        arguments = dict(_typed(arguments, context.properties(name)))
    elif isinstance(arguments, str) and _is_json(arguments):
        return Call(name, arguments)
    json.dumps(arguments, allow_nan=False)
    return Call(name, dumps(arguments))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _typed(arguments: dict[str, Any], schemas: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The arguments with the types of their schemas, where they are text."""
    for key, value in arguments.items():
        schema = schemas.get(key)
        if isinstance(value, str):
            value = coerced(value, schema)
        elif isinstance(value, list) and (types := types_of(schema)) and "array" not in types:
            value = [coerced(item, schema) if isinstance(item, str) else item for item in value]
        yield key, value
