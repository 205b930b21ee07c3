"""A response template: how a model's own tokenizer configuration says its outputs are to be read.

    {"start_anchor": "<|im_start|>assistant\\n",
     "fields": {"thinking": {"open": "<think>", "close": "</think>"},
                "content": {},
                "tool_calls": {"open": "<tool_call>", "close": "</tool_call>", "content": "json",
                               "repeats": true, "transform": {"function": "{content}"}}}}

`load_template` checks all of it, so that nothing of it can fail later. Source: the format as
vLLM 0.33.0 reads it (`parser/chat_parsing/response_templates.py`, `parser/response_template.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from .pattern_syntax import PatternError
from .patterns import Pattern, PatternScanner
from .response_values import (
    PLACEHOLDER,
    Read,
    ResponseTemplateError,
    content_reader,
    literal_tree,
    parsed_in,
    strings,
)
from .scanner import Exact, Scanner

THINKING, CONTENT, CALLS = "thinking", "content", "tool_calls"
FIELDS = (THINKING, CONTENT, CALLS)

_To = TypeVar("_To")

_KEYS = frozenset(("version", "defaults", "fields", "start_anchor", "start_anchor_pattern"))
_FIELD_KEYS = frozenset(
    ("open", "open_pattern", "close", "close_pattern", "content", "content_args", "repeats",
     "join", "optional", "transform", "transform_each")
)  # fmt: skip


class Delimiter(NamedTuple):
    """What opens or closes a region. literals: the texts that it is, none of a pattern."""

    pattern: Pattern
    literals: tuple[str, ...] = ()

    def last_end(self, text: str) -> int:
        """Where the last of its matches ends, -1 without any."""
        if self.literals:
            places = ((text.rfind(literal), len(literal)) for literal in self.literals)
            return max((at + size for at, size in places if at >= 0), default=-1)
        last, at = -1, 0
        while (found := self.pattern.search(text, at, final=True, begins=True)) and found.end:
            last = at = found.end
        return last


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of the message: regions of text, and what becomes of them.

    opens: None for the field of all text that no other field has. closes: None where only the
    end of the output does. read: of the text. transform: of what was read, None for itself.
    """

    name: str
    opens: Delimiter | None
    closes: Delimiter | None
    content: str
    args: Mapping[str, Any]
    read: Read
    transform: Any
    each: bool
    repeats: bool


@dataclass(frozen=True, slots=True)
class Template:
    """fields: by name. anchor: what the assistant's message begins after in a prompt."""

    fields: Mapping[str, Field]
    anchor: Delimiter

    @property
    def implicit(self) -> str | None:
        """The field of text outside the regions of others; the answer where all have markers."""
        bare = [name for name, field in self.fields.items() if field.opens is None]
        return bare[0] if bare else None if CONTENT in self.fields else CONTENT

    def endings(self, closes: Delimiter | None) -> tuple[tuple[str, str], ...]:
        """Beginnings of closing markers at which an output may end, and the rest of the marker.

        Only the anchor of the next message is missing then, which the model does not write.
        """
        return tuple(
            (literal[:cut], literal[cut:])
            for literal in (closes.literals if closes else ())
            for anchor in self.anchor.literals
            if literal.endswith(anchor) and literal != anchor
            for cut in range(len(literal) - 1, len(literal) - len(anchor) - 1, -1)
        )


def load_template(source: object) -> Template:
    """Raises ResponseTemplateError."""
    spec = _object("response_template", source, _KEYS)
    if spec.get("version", 1) != 1:
        raise ResponseTemplateError(f"version {spec['version']!r} is not known, only 1 is")
    unsupported = set(_object("defaults", spec.get("defaults", {}))) - {"role"}
    raw = _object("fields", spec.get("fields"))
    if unsupported := unsupported | (set(raw) - set(FIELDS)):
        raise ResponseTemplateError(
            f"unsupported fields {', '.join(sorted(unsupported))}; a message has "
            f"{', '.join(FIELDS)}"
        )
    if not raw:
        raise ResponseTemplateError("'fields' is empty")
    fields = {name: _field(name, raw[name]) for name in FIELDS if name in raw}
    bare = [name for name, field in fields.items() if field.opens is None]
    if len(bare) > 1:
        raise ResponseTemplateError(
            f"only one field can be without 'open' or 'open_pattern', not {' and '.join(bare)}"
        )
    anchor = _delimiter("response_template", spec, "start_anchor")
    if anchor is None:
        raise ResponseTemplateError("it must have 'start_anchor' or 'start_anchor_pattern'")
    return Template(fields, anchor)


def watch(
    delimiters: Iterable[tuple[Delimiter | None, _To]], *, begins: bool = False
) -> tuple[Scanner | None, dict[str, _To]]:
    """What finds them in text, and where each of its markers leads; the first counts of equals.

    begins: see `PatternScanner`.
    """
    found = [(delimiter, to) for delimiter, to in delimiters if delimiter]
    if all(delimiter.literals for delimiter, _ in found):
        markers: dict[str, _To] = {
            Exact(text): to for delimiter, to in reversed(found) for text in delimiter.literals
        }
        return (Scanner(markers) if markers else None), markers
    numbered = {str(at): (delimiter.pattern, to) for at, (delimiter, to) in enumerate(found)}
    patterns = {marker: pattern for marker, (pattern, _) in numbered.items()}
    leads = {marker: to for marker, (_, to) in numbered.items()}
    return PatternScanner(patterns, begins=begins), leads


def _object(where: str, value: object, keys: frozenset[str] | None = None) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ResponseTemplateError(f"{where} must be an object, it is {value!r}")
    if keys is not None and (unknown := sorted(set(value) - keys)):
        raise ResponseTemplateError(
            f"{where}: unknown keys {', '.join(unknown)}; there are {', '.join(sorted(keys))}"
        )
    return value


def _field(name: str, value: object) -> Field:
    where = f"field '{name}'"
    spec = _object(where, value, _FIELD_KEYS)
    opens, closes = (_delimiter(where, spec, kind) for kind in ("open", "close"))
    args = _object(f"{where}: content_args", spec.get("content_args", {}))
    content, transform = spec.get("content", "text"), spec.get("transform")
    each, join = spec.get("transform_each", False), spec.get("join")
    read = content_reader(where, content, args)
    if not isinstance(each, bool) or (each and transform is None):
        raise ResponseTemplateError(f"{where}: 'transform_each' is true or false, of a 'transform'")
    captured = {name for side in (opens, closes) if side for name in side.pattern.names}
    if captured and transform is None:
        raise ResponseTemplateError(
            f"{where}: its patterns have groups {', '.join(sorted(captured))}, and no 'transform' "
            "that could use them"
        )
    if name != CALLS and (content != "text" or transform is not None or join is not None):
        raise ResponseTemplateError(
            f"{where}: it streams as it is, so it has no 'transform' or 'join', and its content "
            "is 'text'"
        )
    if name == CALLS:
        if opens is None or join is not None:
            raise ResponseTemplateError(
                f"{where}: it needs 'open' or 'open_pattern', to tell calls from text, and no "
                "'join', as calls are no text"
            )
        _check_transform(where, transform, set(opens.pattern.names), each=each)
    return Field(
        name=name, opens=opens, closes=closes, content=content, args=args, read=read,
        transform=transform, each=each, repeats=bool(spec.get("repeats")),
    )  # fmt: skip


def _check_transform(where: str, transform: Any, captured: set[str], *, each: bool) -> None:
    """Placeholders are whole strings, and have values; what is made is a call."""
    for text in strings(transform):
        found = PLACEHOLDER.search(text)
        if found and found[0] != text:
            raise ResponseTemplateError(
                f"{where}: {text!r} in 'transform' mixes a placeholder with text; it must be one "
                "or the other"
            )
        root = found[1].split(".")[0] if found else ""
        if found and not each and root not in {*captured, "content"}:
            raise ResponseTemplateError(
                f"{where}: {text!r} in 'transform' has no value; there are content and the groups "
                f"of the opening pattern{': ' if captured else ''}{', '.join(sorted(captured))}"
            )
    if isinstance(transform, str):
        return
    function = transform.get("function") if isinstance(transform, Mapping) else None
    whole = isinstance(function, Mapping) and {"name", "arguments"} <= function.keys()
    if transform is not None and not whole and not isinstance(function, str):
        raise ResponseTemplateError(
            f"{where}: 'transform' must make a call, "
            '{"function": {"name": ..., "arguments": ...}}'
        )


def _delimiter(where: str, spec: Mapping[str, Any], kind: str) -> Delimiter | None:
    pattern_key = f"{kind}_pattern"
    if kind in spec and pattern_key in spec:
        raise ResponseTemplateError(f"{where}: it has both '{kind}' and '{pattern_key}'")
    if kind in spec:
        raw = spec[kind]
        literals = (raw,) if isinstance(raw, str) else raw
        if not isinstance(literals, list | tuple) or not literals:
            raise ResponseTemplateError(f"{where}: '{kind}' must be text, or a list of texts")
        if not all(isinstance(literal, str) and literal for literal in literals):
            raise ResponseTemplateError(f"{where}: '{kind}' has a text that is empty, or none")
        literals = tuple(dict.fromkeys(literals))
        return Delimiter(Pattern(literal_tree(literals)), literals)
    if pattern_key not in spec:
        return None
    source = spec[pattern_key]
    try:
        return Delimiter(Pattern(parsed_in(where, pattern_key, source), source))
    except PatternError as error:
        raise ResponseTemplateError(f"{where}: {pattern_key}: {error}") from error
