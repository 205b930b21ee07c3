"""A Harmony message: its header, and JSON arguments where it is a call.

    <|start|>assistant<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{...}

The header says who the message is for. The recipient may stand before the channel; the role is
missing where the prompt ends in it. A lone word that is no recipient is the type of the content.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from ..context import Context
from ..json_stream import DONE as WHOLE
from ..json_stream import JsonError, JsonStream
from ..limits import MAX_HEAD
from ..policy import Policy
from ..regions import BROKEN, DONE
from ..snapshot import Malformed, items, text
from .base import Codec, Decoder

THOUGHT, ANSWER, CALL, OTHER = "\0thought", "\0answer", "\0call", "\0other"
"""What the message is: reasoning, content, a call of a function, or for one of the tools that
the model's server runs itself (or an answer of such a tool), which no client sees."""

START, CHANNEL, CONSTRAIN = "<|start|>", "<|channel|>", "<|constrain|>"
_BUILT_IN = frozenset(("python", "browser", "container"))
_CHANNEL_END = re.compile(r"[\s<]|\Z")
_NOT_ASCII = re.compile(r"[^\x00-\x7e]+")


def route(header: str) -> tuple[str, str]:
    """What the message is, and the name of the function; ("", "") where this is no header."""
    opened = header.startswith(START)
    before, marked, after = header.removeprefix(START).partition(CHANNEL)
    end = _CHANNEL_END.search(after).start()  # type: ignore[union-attr]  # matches at the end
    channel = after[:end]
    words = (before + after[end:]).replace(CONSTRAIN, " " + CONSTRAIN).split()
    if words and (opened or words[0] == "assistant"):
        del words[0]
    told = [word for word in words if word.startswith("to=")]
    others = [word for word in words if not word.startswith(("to=", CONSTRAIN))]
    recipient = told[0].removeprefix("to=") if told else ""
    bare = others and not (opened or marked or recipient)  # text, not markup
    if len(told) > 1 or len(others) > 1 or bare or (marked and not channel):
        return "", ""
    if recipient and not _is_other(recipient):
        return CALL, recipient.removeprefix("functions.")
    if channel == "analysis":
        return THOUGHT, ""
    return OTHER if recipient and channel != "final" else ANSWER, ""


def _is_other(recipient: str) -> bool:
    """Whether vLLM takes the recipient for no function of the client's."""
    first = recipient.partition(".")[0]
    return first in _BUILT_IN or recipient in ("assistant", "functions.")


@dataclass(frozen=True, slots=True)
class HarmonyMessage(Codec):
    def start(self, context: Context) -> Decoder:
        return HarmonyDecoder()

    def resume(self, saved: object, context: Context) -> Decoder:
        header, reader = items(saved, 2)
        decoder = HarmonyDecoder()
        decoder.header, decoder.reader = text(header), JsonStream.resume(reader)
        if decoder.reader.state == WHOLE:
            raise Malformed
        return decoder


class HarmonyDecoder(Decoder):
    __slots__ = ("header", "reader")

    def __init__(self) -> None:
        self.raw = ""
        self.header = ""
        self.reader = JsonStream()

    def capture(self, text: str) -> int:
        room = MAX_HEAD - len(self.header)
        self.header += text[:room]
        return min(room, len(text))

    def route(self, out: Policy) -> str:
        status, name = route(self.header)
        self.header = ""
        if status == CALL:
            out.call(name)
        return status

    def body(self, text: str, out: Policy) -> tuple[str, str] | None:
        parts: list[str] = []
        try:
            end = self.reader.feed(text, 0, parts)
        except JsonError as error:
            self._write(parts, out)
            return BROKEN, error.rest
        self._write(parts, out)
        return (DONE, text[end:]) if self.reader.state == WHOLE else None

    def _write(self, parts: list[str], out: Policy) -> None:
        """Printable ASCII only, as vLLM writes these arguments: DEL is escaped too."""
        out.arguments(_NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], "".join(parts)))

    def call_end(self, out: Policy) -> None:
        parts: list[str] = []
        self.reader.finish(parts)
        self._write(parts, out)

    def finish(self, out: Policy) -> bool:
        self.call_end(out)
        return True

    def snapshot(self) -> list[Any]:
        return [self.header, self.reader.snapshot()]
