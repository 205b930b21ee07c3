"""The arguments of a call in the way in which a response template has them written.

Rule: JSON, or tagged parameters in the order of the schema, or sorted. None where they cannot be
held so that what ends a call is not mistaken. Source: vLLM 0.33.0's
`parser/response_template_grammar.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from parsers.pattern_syntax import PatternError, parsed
from parsers.patterns import Pattern
from parsers.response_template import Field

from .beam_parameters import Parameters, Tagging
from .beam_patterns import AHEAD, closers, split_group, texts
from .beam_values import ANNOTATIONS, JSON_SYNTAX, is_typed, json_value
from .tag_nodes import Node, const

_KEYWORDS = ANNOTATIONS | {
    "type",
    "properties",
    "required",
    "additionalProperties",
    "$defs",
    "definitions",
}
_OPTIONS = {"tag_pattern", "value_parser", "merge_duplicates"}


class Part(NamedTuple):
    """A part of a call's text. pattern: of it. ends_with: whether its end may be this text.

    spellings: where it is one of a few texts, they and their ends.
    """

    pattern: str
    ends_with: Callable[[str], bool]
    spellings: tuple[str, ...] = ()


_ANY = Part(r"[\s\S]*", bool)
_JSON = Part(r"[\s\S]*", lambda text: text[-1] in JSON_SYNTAX)


def _few(texts: Sequence[str], before: str = "") -> Part:
    """One of the texts, where `before` may stand before it."""
    ends = {text[at:] for text in texts for at in range(len(text))}
    spellings = (*ends, *texts, *(before + text for text in texts))
    pattern = f"(?:{'|'.join(map(re.escape, texts))})"
    lead = f"(?:{re.escape(before)})?" if before else ""
    return Part(lead + pattern, spellings.__contains__, spellings)


@dataclass(frozen=True)
class Arguments:
    """Of the calls of a field; what does not depend on a tool is worked out once."""

    field: Field

    def of(self, parameters: dict[str, Any], *, strict: bool) -> Node | None:
        """strict: they are held to their schema. ValueError for a name that cannot be written."""
        content, args = self.field.content, self.field.args
        if content == "json" and not args:
            if _spells_end(self.ends, (_JSON,), self._json_rests):
                return None
            return json_value(parameters if strict else {"type": "object"}, self.ends)
        tagging = self._tagging if content == "xml-inline" else None
        return None if tagging is None else self._tagged(tagging, parameters, strict=strict)

    @cached_property
    def ends(self) -> list[str]:
        return closers(self.field) or []

    @cached_property
    def _json_rests(self) -> list[Pattern] | None:
        return _rests(self.ends, (_JSON,), repeats=False)

    @cached_property
    def _tagging(self) -> Tagging | None:
        args = self.field.args
        inner = args.get("value_parser") or {"name": "text"}
        name = inner.get("name")
        if set(args) - _OPTIONS or name not in ("text", "json"):
            return None
        if name == "json" and inner.get("args"):
            return None
        key = split_group(args["tag_pattern"], "key")
        value = key and split_group(key[2], "value")
        if not key or not value:
            return None
        begins, middles = texts(key[0]), texts(value[0])
        ends = texts(value[2], ahead=True)
        if not begins or not middles or not ends:
            return None
        aheads = [end.split(AHEAD) for end in ends if AHEAD in end]
        ends = [end for end in ends if AHEAD not in end]
        # A value may end where the next parameter opens, if that is the only way to open one.
        if not ends or (aheads and (len(begins) > 1 or {text for _, text in aheads} != {*begins})):
            return None
        return Tagging(
            begins=begins,
            key=key[1],
            middles=middles,
            ends=ends,
            follows=[before + text for before, text in aheads],
            closers=self.ends,
            as_json=name == "json",
            read=self.field.read,
        )

    @cached_property
    def _parts(self) -> tuple[Part, ...]:
        """Of parameters; the name's is the second."""
        tagging = self._tagging
        assert tagging is not None
        return (
            _few(tagging.begins, before="\n"),
            Part(f"(?:{tagging.key})", bool),
            _few(tagging.middles),
            _ANY,
            _few(tagging.ends),
        )

    @cached_property
    def _tagged_rests(self) -> list[Pattern] | None:
        return _rests(self.ends, self._parts, repeats=True)

    def _tagged(self, tagging: Tagging, parameters: dict[str, Any], *, strict: bool) -> Node | None:
        properties = parameters.get("properties")
        typed = properties is None or (
            isinstance(properties, dict)
            and (tagging.as_json or all(map(is_typed, properties.values())))
        )
        if strict and (set(parameters) - _KEYWORDS or not typed):
            return None
        required = parameters.get("required") or []
        names: tuple[str, ...] = ()
        if strict and properties is not None:
            if not isinstance(required, list) or not all(isinstance(k, str) for k in required):
                return None
            names = (*properties, *(key for key in required if key not in properties))
        begin, name, *others = self._parts
        name = name._replace(ends_with=lambda text: any(key.endswith(text) for key in names))
        if _spells_end(self.ends, (begin, name, *others), self._tagged_rests):
            return None
        free = Parameters(tagging).free
        if not strict:
            return free()
        if properties is None:
            extra = parameters.get("additionalProperties", True)
            if extra is False:
                return const("")
            return free() if extra is True or extra == {} else None
        # A declared name, written again as an extra one, would not be held to its schema.
        if parameters.get("additionalProperties", False) is not False:
            return None
        return Parameters(tagging).declared(parameters, names, required)


def _rests(ends: Sequence[str], parts: Sequence[Part], *, repeats: bool) -> list[Pattern] | None:
    """What may come behind each part, up to a call's end and beyond; None for what is not read."""
    every = "".join(part.pattern for part in parts)
    again = f"(?:{every})*" if repeats else ""
    closed = rf"(?:{'|'.join(map(re.escape, ends))})[\s\S]*"
    behind = ("".join(part.pattern for part in parts[at + 1 :]) for at in range(len(parts)))
    try:
        return [Pattern(parsed(f"{rest}{again}{closed}")) for rest in behind] if ends else []
    except PatternError:
        return None


def _spells_end(
    ends: Sequence[str], parts: Sequence[Part], rests: Sequence[Pattern] | None
) -> bool:
    """Whether parts beside each other may spell the end of a call."""
    if rests is None:
        return True
    for part, rest in zip(parts, rests, strict=False):
        for end in ends:
            if any(text.startswith(end) for text in part.spellings):
                return True
            # One that begins in this part goes on in what follows.
            for cut in range(1, len(end)):
                if part.ends_with(end[:cut]) and rest.search(end[cut:], anchored=True):
                    return True
    return False
