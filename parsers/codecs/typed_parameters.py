"""Tagged parameters that may say their type: a key, perhaps `<tag>TYPE</tag>`, then the value.

The type counts where the schema of the parameter is missing or allows it among others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from ..context import Context
from ..policy import Policy
from ..schema import types_of
from ..snapshot import items, text
from .base import Decoder
from .tagged_parameters import TaggedDecoder, TaggedParameters


@dataclass(frozen=True, slots=True)
class TypedParameters(TaggedParameters):
    """told: finds the `type` in the text between the key's opening and the value's."""

    told: re.Pattern[str] = field(default=re.compile(r"(?!)"))

    def start(self, context: Context) -> Decoder:
        return TypedDecoder(self, context)

    def resume(self, saved: object, context: Context) -> Decoder:
        told, rest = items(saved, 2)
        decoder = TypedDecoder(self, context)
        decoder.take(rest)
        decoder.type = text(told)
        return decoder


class TypedDecoder(TaggedDecoder):
    __slots__ = ("type",)

    codec: TypedParameters

    def __init__(self, codec: TypedParameters, context: Context) -> None:
        super().__init__(codec, context)
        self.type = ""  # as the tag says it

    def _schema(self) -> Any:
        schema = super()._schema()
        kind = self.type.split("[", 1)[0].strip().lower()
        if not kind or (isinstance(schema, dict) and kind not in types_of(schema)):
            return schema
        return None if kind == "any" else {"type": kind}

    def key(self, out: Policy) -> None:
        found = self.codec.told.search(self.captured)
        self.type = found["type"] if found else ""
        if found:
            self.captured = self.captured[: found.start()]
        super().key(out)

    def snapshot(self) -> list[Any]:
        return [self.type, super().snapshot()]
