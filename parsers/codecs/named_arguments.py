"""A call whose tool is known already, as its arguments alone: one JSON object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..context import Context
from ..json_stream import DONE as WHOLE
from ..json_stream import START, JsonError, JsonStream
from ..limits import MAX_SPACE
from ..policy import Policy
from ..regions import BROKEN, DONE, REJECTED
from ..snapshot import items, text
from .base import Codec, Decoder


@dataclass(frozen=True, slots=True)
class NamedArguments(Codec):
    """The context names the tool. verbatim: arguments are written as the model wrote them."""

    verbatim: bool = False

    def start(self, context: Context) -> Decoder:
        return NamedDecoder(context, JsonStream(verbatim=self.verbatim))

    def resume(self, saved: object, context: Context) -> Decoder:
        raw, reader = items(saved, 2)
        decoder = NamedDecoder(context, JsonStream.resume(reader, verbatim=self.verbatim))
        decoder.raw = text(raw)
        return decoder


class NamedDecoder(Decoder):
    """The call begins with its object."""

    __slots__ = ("name", "reader")

    def __init__(self, context: Context, reader: JsonStream) -> None:
        self.name = context.named_tool or ""
        self.reader = reader
        self.raw = ""

    def body(self, text: str, out: Policy) -> tuple[str, str] | None:
        if self.reader.state == START:
            bare = text.lstrip()
            self.raw += text[: len(text) - len(bare)]
            text = bare
            if len(self.raw) > MAX_SPACE or text[:1] not in ("{", "") or (text and not self.name):
                return REJECTED, text
            if not text:
                return None
            self.raw = ""
            out.call(self.name)
        parts: list[str] = []
        try:
            end = self.reader.feed(text, 0, parts)
        except JsonError as error:
            return BROKEN, error.rest
        finally:
            out.arguments("".join(parts))
        return (DONE, text[end:]) if self.reader.state == WHOLE else None

    def finish(self, out: Policy) -> bool:
        parts: list[str] = []
        self.reader.finish(parts)
        out.arguments("".join(parts))
        return self.reader.state != START

    def snapshot(self) -> list[Any]:
        return [self.raw, self.reader.snapshot()]
