"""A call of the tool that the context names, as its bare arguments: one JSON object.

Where the request names the tool vLLM hands the text on as it is, white space around it too; so
does this, as far as it is JSON.
"""

from __future__ import annotations

import re
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

_BLANKS = re.compile(r"[ \t\n\r]*")


@dataclass(frozen=True, slots=True)
class BareArguments(Codec):
    """blanks: white space around the object is handed on. verbatim: so is that in it."""

    blanks: bool = True
    verbatim: bool = True

    def start(self, context: Context) -> Decoder:
        return BareDecoder(self, context, JsonStream(verbatim=self.verbatim))

    def resume(self, saved: object, context: Context) -> Decoder:
        raw, reader = items(saved, 2)
        decoder = BareDecoder(self, context, JsonStream.resume(reader, verbatim=self.verbatim))
        decoder.raw = text(raw)
        return decoder


class BareDecoder(Decoder):
    """The call begins with its object; `raw` is the white space before it."""

    __slots__ = ("codec", "name", "reader")

    def __init__(self, codec: BareArguments, context: Context, reader: JsonStream) -> None:
        self.codec = codec
        self.name = context.named_tool or ""
        self.reader = reader
        self.raw = ""

    def body(self, text: str, out: Policy) -> tuple[str, str] | None:
        at = 0
        if self.reader.state == START:
            at = _blanks(text, 0)
            self.raw += text[:at]
            if len(self.raw) > MAX_SPACE or text[at : at + 1] not in ("{", ""):
                return REJECTED, text[at:]
            if at == len(text):
                return None
            if not self.name:
                return REJECTED, text[at:]
            out.call(self.name)
            out.arguments(self.raw if self.codec.blanks else "")
            self.raw = ""
        return self._read(text, at, out)

    def _read(self, text: str, at: int, out: Policy) -> tuple[str, str] | None:
        """More of the object, and the white space after it, if that is handed on."""
        parts: list[str] = []
        try:
            at = self.reader.feed(text, at, parts)
        except JsonError as error:
            out.arguments("".join(parts))
            return BROKEN, error.rest
        whole, blanks = self.reader.state == WHOLE, self.codec.blanks
        end = _blanks(text, at) if whole and blanks else at
        out.arguments("".join(parts) + text[at:end])
        return (DONE, text[end:]) if end < len(text) or (whole and not blanks) else None

    def finish(self, out: Policy) -> bool:
        parts: list[str] = []
        self.reader.finish(parts)
        out.arguments("".join(parts))
        return self.reader.state != START

    def snapshot(self) -> list[Any]:
        return [self.raw, self.reader.snapshot()]


def _blanks(text: str, at: int) -> int:
    """Where the white space from `at` on ends."""
    return _BLANKS.match(text, at).end()  # type: ignore[union-attr]  # matches anything
