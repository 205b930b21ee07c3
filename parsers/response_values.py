"""What a response template makes of the text of a region: content parsers and transforms.

Source of the rules: the template's format as vLLM 0.33.0 reads it (`parser/chat_parsing/`). All
of it is linear in the text: no expression of a template runs by backtracking.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .pattern_syntax import Cat, Char, Either, Group, Node, PatternError, Repeat, parsed
from .patterns import Found, Pattern

Read = Callable[[str], Any]
"""Text to its value; raises ValueError where it has none."""
CONTENTS = ("bool", "float", "int", "json", "kv-lines", "text", "xml-inline")
PLACEHOLDER = re.compile(r"\{(\w+(?:\.\w+)*)\}")
_STRING = "\x01"  # stands for a string while the rest of lax JSON is mended
_NONE: dict[str, None] = {}
_BARE_KEY = re.compile(r"(?<=[{,])(\w+):")


class ResponseTemplateError(ValueError):
    """The template cannot be used. The message is for the user."""


class Tags(NamedTuple):
    """A `tag_pattern`: what stands up to a value, its key in a group, and what ends the value."""

    opener: Pattern
    end: Pattern


def content_reader(where: str, name: object, args: Mapping[str, Any]) -> Read:
    """Raises ResponseTemplateError."""
    if name not in CONTENTS:
        raise ResponseTemplateError(
            f"{where}: unknown content parser {name!r}; there are {', '.join(CONTENTS)}"
        )
    if name == "json":
        return _json_reader(where, args)
    if name == "kv-lines":
        return _lines_reader(where, args)
    if name == "xml-inline":
        return _tags_reader(where, args)
    strips = bool(args.get("strip", True))

    def trimmed(text: str) -> str:
        return text.strip() if strips else text

    readers: dict[object, Read] = {
        "text": trimmed,
        "int": lambda text: int(trimmed(text)),
        "float": lambda text: float(trimmed(text)),
        "bool": lambda text: trimmed(text).lower() in ("true", "1"),
    }
    return readers[name]


def value_reader(where: str, args: Mapping[str, Any]) -> Read | None:
    """Of the `value_parser` among a content parser's arguments; None where there is none."""
    inner = args.get("value_parser")
    if inner is None:
        return None
    if not isinstance(inner, Mapping) or not isinstance(inner.get("args", {}), Mapping):
        raise ResponseTemplateError(f"{where}: 'value_parser' must be an object, with such 'args'")
    return content_reader(
        f"{where}, value_parser", inner.get("name", "text"), inner.get("args", {})
    )


def tags(where: str, args: Mapping[str, Any]) -> Tags:
    """Of `tag_pattern`, read from its beginning to its end: a key, then a value, then its end."""
    source = args.get("tag_pattern")
    if not isinstance(source, str):
        raise ResponseTemplateError(f"{where}: xml-inline needs a 'tag_pattern'")
    tree = parsed_in(where, "tag_pattern", source)
    items = tree.items if isinstance(tree, Cat) else (tree,)
    names = [item.name if isinstance(item, Group) else "" for item in items]
    at = names.index("value") if "value" in names else 0
    if "key" not in names[:at] or not _runs_to_its_end(items[at]):
        raise ResponseTemplateError(
            f"{where}: 'tag_pattern' must have a group (?P<key>...), then one (?P<value>.*?), both "
            f"outside other groups and alternatives, then what ends the value; it is {source!r}"
        )
    try:
        return Tags(Pattern(Cat(items[:at])), Pattern(Cat(items[at + 1 :])))
    except PatternError as error:
        raise ResponseTemplateError(
            f"{where}: 'tag_pattern' must have text before the key and after the value; "
            f"it is {source!r}"
        ) from error


def literal_tree(texts: Iterable[str]) -> Node:
    """What matches one of these texts, the longest that is there."""
    ordered = sorted(texts, key=len, reverse=True)
    return Either(tuple(Cat(tuple(Char(re.escape(c)) for c in text)) for text in ordered))


def parsed_in(where: str, what: str, source: object) -> Node:
    """The pattern; raises ResponseTemplateError."""
    if not isinstance(source, str):
        raise ResponseTemplateError(f"{where}: {what} must be a string")
    try:
        return parsed(source)
    except PatternError as error:
        raise ResponseTemplateError(f"{where}: {what}: {error}") from error


def _runs_to_its_end(value: Node) -> bool:
    """Whether the value is any text up to what ends it: `.*?`, or of one class, as `[^<]*`."""
    inner = value.node if isinstance(value, Group) else value
    while isinstance(inner, Cat) and len(inner.items) == 1:
        inner = inner.items[0]
    if not isinstance(inner, Repeat) or inner.most is not None or inner.least > 1:
        return False
    return isinstance(inner.node, Char) and (inner.lazy or inner.node.source.startswith("[^"))


def _json_reader(where: str, args: Mapping[str, Any]) -> Read:
    marks = args.get("string_delims", [])
    pairs = isinstance(marks, Sequence) and all(
        isinstance(pair, Sequence) and len(pair) == 2 and all(pair) for pair in marks
    )
    if not pairs:
        raise ResponseTemplateError(f"{where}: 'string_delims' must be a list of [open, close]")
    bare_keys, lenient = bool(args.get("unquoted_keys")), bool(args.get("allow_non_json"))

    def read(text: str) -> Any:
        try:
            # NaN and infinities, which no JSON has, are null.
            return json.loads(strict(text, marks, bare_keys=bare_keys), parse_constant=_NONE.get)
        except RecursionError as error:
            raise ValueError("nested too deep") from error
        except json.JSONDecodeError:
            if lenient:
                return text.strip() if args.get("strip", True) else text
            raise

    return read


def strict(text: str, marks: Sequence[Sequence[str]], *, bare_keys: bool) -> str:
    """Lax JSON as JSON: strings between marks, keys without quotes."""
    if not marks and not bare_keys:
        return text
    if _STRING in text:
        raise ValueError("a control character that no JSON has")
    outside, strings = [], []
    for part, string in _marked(text, marks):
        outside.append(part)
        strings.append(string)
    rest = _STRING.join(outside)
    if bare_keys:
        rest = _BARE_KEY.sub(r'"\1":', rest)
    first, *others = rest.split(_STRING)
    return first + "".join(
        json.dumps(string) + other for string, other in zip(strings, others, strict=False)
    )


def _marked(text: str, marks: Sequence[Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Each stretch outside strings, and the string after it."""
    closes = {pair[0]: pair[1] for pair in reversed(marks)}
    opener = re.compile("|".join(map(re.escape, closes)) or r"(?!)")
    at = 0
    while found := opener.search(text, at):
        end = text.find(closes[found[0]], found.end())
        if end < 0:
            break
        yield text[at : found.start()], text[found.end() : end]
        at = end + len(closes[found[0]])
    yield text[at:], ""


def _lines_reader(where: str, args: Mapping[str, Any]) -> Read:
    line_end, colon = args.get("line_sep", "\n"), args.get("kv_sep", ":")
    if not all(isinstance(mark, str) and mark for mark in (line_end, colon)):
        raise ResponseTemplateError(f"{where}: 'line_sep' and 'kv_sep' must be text")
    value_of, trim = value_reader(where, args) or str, content_reader(where, "text", args)

    def read(text: str) -> dict[str, Any]:
        pairs = (trim(line).partition(colon) for line in text.split(line_end))
        return {trim(key): value_of(trim(value)) for key, there, value in pairs if there}

    return read


def _tags_reader(where: str, args: Mapping[str, Any]) -> Read:
    pattern, value_of = tags(where, args), value_reader(where, args) or str
    merges = bool(args.get("merge_duplicates"))

    def read(text: str) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key, found in _tagged(pattern, text):
            value = value_of(found)
            if merges and key in values:
                earlier = values[key]
                value = [*(earlier if isinstance(earlier, list) else [earlier]), value]
            values[key] = value
        return values

    return read


def _tagged(pattern: Tags, text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while (opens := _next(pattern.opener, text, at)) and opens.end:
        ends = _next(pattern.end, text, opens.end)
        if ends is None or ends.end is None:
            return
        yield opens.groups.get("key", ""), text[opens.end : ends.start]
        at = ends.end


def _next(pattern: Pattern, text: str, at: int) -> Found | None:
    return pattern.search(text, at, final=True)


# Transforms


def filled(transform: Any, scope: Mapping[str, Any]) -> Any:
    """The transform with the values of its placeholders. Raises ValueError where one is missing."""
    if isinstance(transform, Mapping):
        return {key: filled(value, scope) for key, value in transform.items()}
    if isinstance(transform, list):
        return [filled(item, scope) for item in transform]
    placeholder = isinstance(transform, str) and PLACEHOLDER.fullmatch(transform)
    if not placeholder:
        return transform
    value: Any = scope
    for key in placeholder[1].split("."):
        if not isinstance(value, Mapping) or key not in value:
            raise ValueError(f"{transform} has no value")
        value = value[key]
    return value


def strings(transform: Any) -> Iterator[str]:
    """All strings of a transform."""
    inner = transform.values() if isinstance(transform, Mapping) else transform
    if isinstance(transform, str):
        yield transform
    elif isinstance(inner, Sequence) or isinstance(transform, Mapping):
        for item in inner:
            yield from strings(item)
