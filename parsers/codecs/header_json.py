"""A call as a header, which holds its name, and then its arguments as one JSON value.

The text of the arguments stays as it is, as in vLLM; only what is no JSON is mended.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ..context import Context
from ..json_stream import DONE as WHOLE
from ..json_stream import START, WORD, JsonError, JsonStream
from ..limits import MAX_HEAD
from ..policy import Policy
from ..regions import BROKEN, DONE
from ..snapshot import Malformed, items, text
from .base import Codec, Decoder


@dataclass(frozen=True, slots=True)
class HeaderJson(Codec):
    """header: finds `name` in the whole header; where it does not match, there is no call. It may
    also find the `id` that the model gave the call.

    A call without arguments, or whose arguments do not begin as JSON, has `{}`.
    """

    header: re.Pattern[str]

    def start(self, context: Context) -> Decoder:
        return HeaderDecoder(self)

    def resume(self, saved: object, context: Context) -> Decoder:
        decoder = HeaderDecoder(self)
        header, reader = items(saved, 2)
        decoder.captured = text(header)
        if len(decoder.captured) > MAX_HEAD:
            raise Malformed
        decoder.reader = JsonStream.resume(reader, verbatim=True)
        return decoder


class HeaderDecoder(Decoder):
    __slots__ = ("captured", "codec", "reader")

    def __init__(self, codec: HeaderJson) -> None:
        self.codec = codec
        self.raw = ""
        self.captured = ""
        self.reader = JsonStream(verbatim=True)

    def capture(self, text: str) -> int:
        taken = min(len(text), MAX_HEAD - len(self.captured))
        self.captured += text[:taken]
        return taken

    def call(self, out: Policy) -> bool:
        found, self.captured = self.codec.header.fullmatch(self.captured), ""
        name = found["name"] if found else ""
        if not name.strip():
            return False
        out.identify(found.groupdict().get("id", "") if found else "")
        out.call(name)
        return True

    def body(self, text: str, out: Policy) -> tuple[str, str] | None:
        if self.reader.state == START:
            text = text.lstrip()
        parts: list[str] = []
        try:
            end = self.reader.feed(text, 0, parts)
        except JsonError as error:
            if self._bare():
                parts.append("{}")
            return BROKEN, error.rest
        finally:
            out.arguments("".join(parts))
        return (DONE, text[end:]) if self.reader.state == WHOLE else None

    def _bare(self) -> bool:
        """Whether nothing of the arguments has been written."""
        return self.reader.state in (START, WORD) and not self.reader.stack

    def call_end(self, out: Policy) -> None:
        """A marker ends the arguments before their own end."""
        bare, word = self._bare(), self.reader.pending
        parts: list[str] = []
        self.reader.finish(parts)
        if bare and not parts:
            out.arguments("{}")
            out.content(word)
        out.arguments("".join(parts))

    def finish(self, out: Policy) -> bool:
        parts: list[str] = []
        self.reader.finish(parts)
        out.arguments("".join(parts))
        return True

    def snapshot(self) -> list[Any]:
        return [self.captured, self.reader.snapshot()]
