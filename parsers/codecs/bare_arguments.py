"""A call of the tool that the request names, as its bare arguments: one JSON object.

vLLM hands the text on as it is; so does this, as far as it is JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..context import Context
from ..json_stream import DONE as WHOLE
from ..json_stream import FIRST_KEY, START, JsonError, JsonStream
from ..policy import Policy
from ..regions import BROKEN, DONE, REJECTED
from ..snapshot import Malformed, items, text
from .base import Codec, Decoder


@dataclass(frozen=True, slots=True)
class BareArguments(Codec):
    def start(self, context: Context) -> Decoder:
        return BareDecoder(context, JsonStream(verbatim=True))

    def resume(self, saved: object, context: Context) -> Decoder:
        begun, raw, reader = items(saved, 3)
        decoder = BareDecoder(context, JsonStream.resume(reader, verbatim=True))
        decoder.begun, decoder.raw = bool(begun), text(raw)
        if decoder.reader.state == WHOLE:
            raise Malformed
        return decoder


class BareDecoder(Decoder):
    """The call begins with the first key, or the end, of its object."""

    __slots__ = ("begun", "name", "reader")

    def __init__(self, context: Context, reader: JsonStream) -> None:
        self.name = context.named_tool or ""
        self.reader = reader
        self.begun = False
        self.raw = ""

    def body(self, text: str, out: Policy) -> tuple[str, str] | None:
        parts: list[str] = []
        status, rest = "", ""
        try:
            rest = text[self.reader.feed(text, 0, parts) :]
            status = DONE if self.reader.state == WHOLE else ""
        except JsonError as error:
            status, rest = BROKEN, error.rest
        if self.begun or self._begins():
            self._write(parts, out)
            return (status, rest) if status else None
        if status:
            self.raw += text[: len(text) - len(rest)]
            return REJECTED, rest
        self.raw += text
        return None

    def _begins(self) -> bool:
        """Whether what was read is more than `{`."""
        state = self.reader.state
        return state != START and (state != FIRST_KEY or len(self.reader.stack) > 1)

    def _write(self, parts: list[str], out: Policy) -> None:
        if not self.begun:
            out.call(self.name)
            parts = [self.raw, *parts]
            self.begun, self.raw = True, ""
        out.arguments("".join(parts))

    def finish(self, out: Policy) -> bool:
        parts: list[str] = []
        self.reader.finish(parts)
        if self.begun:
            self._write(parts, out)
        return self.begun

    def snapshot(self) -> list[Any]:
        return [int(self.begun), self.raw, self.reader.snapshot()]
