"""Parameters as elements named after them, which may nest: `<x>1</x><list><item>a</item></list>`.

Every tag has the same prefix, so that other tags are text. An element with children is an object,
or an array where the schema says so; names that repeat become a list, so nothing of the arguments
is known before the call ends. Reading stops at the first element that is malformed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..context import Context
from ..json_stream import dumps
from ..limits import MAX_NAME
from ..needs import Reads
from ..policy import Policy
from ..schema import coerce, types_of
from ..snapshot import texts
from .base import Codec, Decoder

MAX_DEPTH = 128
WORDS = "$text"
"""The member that holds text between children; with more `$` where a child has that name."""

Element = str | list[tuple[str, Any]]
"""What an element holds: text, or the names and contents of its children."""


@dataclass(frozen=True, slots=True)
class Elements(Codec):
    prefix: str
    reads = Reads.TYPES

    def start(self, context: Context) -> Decoder:
        return ElementsDecoder(self.prefix, context)

    def resume(self, saved: object, context: Context) -> Decoder:
        decoder = ElementsDecoder(self.prefix, context)
        decoder.captured, decoder.name, decoder.text = texts(saved, 3)
        return decoder


class ElementsDecoder(Decoder):
    """`value_end` makes content of text that is no element, `call_end` alone leaves it out."""

    __slots__ = ("captured", "context", "name", "prefix", "text", "written")

    def __init__(self, prefix: str, context: Context) -> None:
        self.prefix = prefix
        self.context = context
        self.captured = ""
        self.name = ""
        self.text = ""  # all of the body
        self.written = False

    def capture(self, text: str) -> int:
        taken = min(len(text), MAX_NAME - len(self.captured))
        self.captured = self.captured + text if taken == len(text) else ""
        return taken

    def call(self, out: Policy) -> bool:
        self.name, self.captured = self.captured.strip(), ""
        if self.name:
            out.call(self.name)
        return bool(self.name)

    def value(self, text: str, out: Policy) -> None:
        self.text += text

    def value_end(self, out: Policy) -> None:
        rest = self._write(out)
        if rest.strip():
            out.content(rest)

    def call_end(self, out: Policy) -> None:
        if not self.written:
            self._write(out)

    def _write(self, out: Policy) -> str:
        """Write the arguments; the text that is left."""
        found, end = elements(self.text, self.prefix)
        out.arguments(dumps(_object(found, {"properties": self.context.properties(self.name)})))
        self.written = True
        return self.text[end:]

    def snapshot(self) -> list[Any]:
        return [self.captured, self.name, self.text]


def elements(text: str, prefix: str) -> tuple[list[tuple[str, Element]], int]:
    """The elements that the text begins with, and where they end."""
    opening = re.compile(re.escape(prefix) + "<([^>/][^>]*)>")
    found: list[tuple[str, Element]] = []
    end, at = 0, len(text) - len(text.lstrip())
    while (opened := opening.match(text, at)) and (one := _element(text, opened, prefix, 1)):
        name, element, end = one
        found.append((name, element))
        at = len(text) - len(text[end:].lstrip())
    return found, end


def _element(
    text: str, opened: re.Match[str], prefix: str, depth: int
) -> tuple[str, Element, int] | None:
    """The element of this opening tag, and where it ends; None where it is malformed."""
    name, at = opened[1], opened.end()
    if depth > MAX_DEPTH or not name.strip():
        return None
    closing = f"{prefix}</{name}>"
    words: list[str] = []
    children: list[tuple[str, Element]] = []
    while (marker := text.find(prefix, at)) >= 0:
        words.append(text[at:marker])
        if text.startswith(closing, marker):
            return name, _content("".join(words), children), marker + len(closing)
        inner = opened.re.match(text, marker)
        child = inner and _element(text, inner, prefix, depth + 1)
        if not child:
            return None
        children.append(child[:2])
        at = child[2]
    return None


def _content(words: str, children: list[tuple[str, Element]]) -> Element:
    if not children:
        return words
    if words.strip():
        field, names = WORDS, {name for name, _ in children}
        while field in names:
            field = "$" + field
        children.append((field, words))
    return children


def _container(schema: object) -> tuple[str, Mapping[str, Any]]:
    """The first alternative of the schema that is an array or an object; "" where none is."""
    if not isinstance(schema, dict):
        return "", {}
    declared = schema.get("type")
    for kind in ("array", "object"):
        if declared == kind or (isinstance(declared, list) and kind in declared):
            return kind, schema
    if declared is None and "items" in schema:
        return "array", schema
    if declared is None and not {"properties", "additionalProperties"}.isdisjoint(schema):
        return "object", schema
    for branches in (schema.get("anyOf"), schema.get("oneOf")):
        for branch in branches if isinstance(branches, list) else ():
            if (found := _container(branch))[0]:
                return found
    return "", {}


def _value(element: Element, schema: object) -> Any:
    kind, container = _container(schema)
    if not isinstance(element, str):
        if kind == "array":
            return [_value(child, container.get("items")) for _, child in element]
        return _object(element, container)
    if not isinstance(schema, dict):
        return element
    if kind and not element.strip() and "string" not in types_of(schema):
        return [] if kind == "array" else {}
    return coerce(element, schema)


def _object(children: list[tuple[str, Element]], schema: Mapping[str, Any]) -> dict[str, Any]:
    properties, others = schema.get("properties"), schema.get("additionalProperties")
    known = properties if isinstance(properties, Mapping) else {}
    found: dict[str, list[Any]] = {}
    for name, child in children:
        found.setdefault(name, []).append(_value(child, known.get(name, others)))
    return {name: values if len(values) > 1 else values[0] for name, values in found.items()}
