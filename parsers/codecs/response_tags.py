"""Tagged parameters whose tags a response template describes by a pattern (`tag_pattern`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..context import Context
from ..needs import Reads
from ..patterns import PatternScanner
from ..policy import Policy
from ..regions import DONE, REJECTED
from ..response_values import Tags
from ..snapshot import count, items
from .response_region import RegionDecoder, ResponseRegion, named
from .tagged_parameters import TaggedDecoder, TaggedParameters

KEY, END = "\0key", "\0end"
"""Markers: the tag up to a value, and what ends a value. Any other closes the region."""


class TagsDecoder(RegionDecoder):
    """The call begins with the opening marker, which names its tool."""

    __slots__ = ("reads", "tagged", "text")

    def __init__(self, codec: TagsRegion, context: Context) -> None:
        super().__init__(codec, context)
        self.tagged = TaggedDecoder(codec.parameters, context)
        self.reads = False  # whether a value is being read
        self.text = False  # whether there is text beside parameters since the last one

    def begin(self, out: Policy) -> None:
        self.tagged.name = named(self.codec.name, self.groups)
        if self.tagged.name:
            out.call(self.tagged.name)
            self.opened = ""

    def inside(self, text: str, out: Policy) -> tuple[str, str] | None:
        if not self.tagged.name:
            self.raw = self.opened
            return REJECTED, text
        while True:
            scanner = self.codec.in_values if self.reads else self.codec.between
            start, end, marker = scanner.search(text)
            self._text(text[:start], out)
            if not marker:
                self.held = text[start:]
                return None
            spelt, text = text[start:end], text[end:]
            if marker == KEY:
                self._key(spelt, out)
                continue
            self._value_end(out)
            if marker != END:
                self.tagged.call_end(out)
                return DONE, text

    def _key(self, spelt: str, out: Policy) -> None:
        found = self.codec.tags.opener.search(spelt, final=True, anchored=True)
        self.tagged.captured = found.groups.get("key", "") if found else ""
        self.tagged.key(out)
        self.reads, self.text = True, False

    def _value_end(self, out: Policy) -> None:
        if self.reads:
            self.tagged.value_end(out)
        self.reads = False

    def _text(self, text: str, out: Policy) -> None:
        if self.reads:
            self.tagged.value(text, out)
            return
        text = text if self.text else text.lstrip()
        self.text = self.text or bool(text)
        out.content(text)

    def ended(self, out: Policy) -> bool:
        """What may be the beginning of a tag is none; in a value, or where no tag need come, it is
        text.
        """
        if self.reads or self.codec.closer is None:
            self._text(self.held, out)
        if self.codec.closer is None:
            self._value_end(out)
            self.tagged.call_end(out)
        return True

    def inner(self) -> list[Any]:
        return [int(self.reads), int(self.text), self.tagged.snapshot()]

    def restore(self, saved: Any) -> None:
        reads, text, call = items(saved, 3)
        self.reads, self.text = bool(count(reads)), bool(count(text))
        self.tagged.take(call)


@dataclass(frozen=True, slots=True, kw_only=True)
class TagsRegion(ResponseRegion):
    """name: see `named`. parameters: how values are read.

    between, in_values: find what `tags` and `closer` have, outside values and in them.
    """

    decoder = TagsDecoder
    reads = Reads.TYPES

    name: str
    tags: Tags
    parameters: TaggedParameters
    between: PatternScanner
    in_values: PatternScanner
