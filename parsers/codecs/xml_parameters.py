"""Tagged parameters whose values are XML: entities stand for characters, but in CDATA.

The markup of CDATA comes as text of the value, always at the beginning of a piece (see
`formats/minicpm5.py`). What is no entity is text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import Any

from ..context import Context
from ..json_stream import dumps
from ..policy import Policy
from ..snapshot import Malformed, items, text
from .base import Decoder
from .tagged_parameters import TaggedDecoder, TaggedParameters

CDATA, CDATA_END = "<![CDATA[", "]]>"

_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});")
_UNFINISHED = re.compile(r"&#?[0-9a-zA-Z]{0,8}\Z")


_WRAPPERS = frozenset(("arguments", "properties"))
"""Parameters that hold all others, should the tool have none of that name."""


@dataclass(frozen=True, slots=True)
class XmlParameters(TaggedParameters):
    def start(self, context: Context) -> Decoder:
        return XmlDecoder(self, context)

    def resume(self, saved: object, context: Context) -> Decoder:
        decoder = XmlDecoder(self, context)
        decoder.take(saved)
        return decoder


class XmlDecoder(TaggedDecoder):
    __slots__ = ("as_is", "entity")

    def __init__(self, codec: TaggedParameters, context: Context) -> None:
        super().__init__(codec, context)
        self.as_is = False  # inside CDATA
        self.entity = ""  # what may become an entity

    def _wraps(self) -> bool:
        known = self.context.properties(self.name)
        return bool(known) and self.parameter in _WRAPPERS and self.parameter not in known

    def key(self, out: Policy) -> None:
        self.parameter = self.captured.strip()
        if not self._wraps():
            super().key(out)
            return
        self.captured, self.streams, self.started, self.held = "", False, False, ""

    def value(self, text: str, out: Policy) -> None:
        if text.startswith(CDATA_END if self.as_is else CDATA):
            text = text.removeprefix(CDATA_END if self.as_is else CDATA)
            self._settle(out)
            self.as_is = not self.as_is
        if not self.as_is:
            text, self.entity = self.entity + text, ""
            if found := _UNFINISHED.search(text, max(0, len(text) - 10)):
                text, self.entity = text[: found.start()], found[0]
            text = _ENTITY.sub(lambda entity: unescape(entity[0]), text)
        super().value(text, out)

    def _settle(self, out: Policy) -> None:
        held, self.entity = self.entity, ""
        super().value(held, out)

    def value_end(self, out: Policy) -> None:
        self._settle(out)
        self.as_is = False
        if not self._wraps():
            super().value_end(out)
            return
        for key, value in self._members().items():
            out.arguments(f"{', ' if self.keys else '{'}{dumps(key)}: {dumps(value)}")
            self.keys += 1
        self.held = ""

    def _members(self) -> dict[str, Any]:
        """The parameters that are wrapped in this one; itself where it holds none that is known."""
        rule, known = self.codec.rule, self.context.properties(self.name)
        whole = rule.read(self.held, None)
        if not isinstance(whole, dict) or not known.keys() & whole.keys():
            return {self.parameter: whole}
        members: dict[str, Any] = {}
        for key, value in whole.items():
            schema = known.get(key)
            if rule.is_text(schema):
                value = value if isinstance(value, str) else dumps(value)
            elif isinstance(value, str):
                value = rule.read(value, schema)
            members[str(key)] = value
        return members

    def take(self, saved: object) -> None:
        state, as_is, entity = items(saved, 3)
        super().take(state)
        self.as_is, self.entity = bool(as_is), text(entity)
        if len(self.entity) > 10:
            raise Malformed

    def snapshot(self) -> list[Any]:
        return [super().snapshot(), int(self.as_is), self.entity]
