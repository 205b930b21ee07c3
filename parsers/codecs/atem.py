"""Calls of Muse: tagged parameters in a message whose header says who it is for.

    <|start|>assistant to=NAME<|message|><atem:function_calls><atem:invoke name="NAME">...

A tool may be written as `NAME.NAME`, where the request names it `NAME`.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..context import Context
from ..policy import Policy
from .base import Decoder
from .tagged_parameters import TaggedDecoder, TaggedParameters

THOUGHT, ANSWER, CALLS, OTHER = "\0thought", "\0answer", "\0calls", "\0other"
"""What the message is: reasoning, content, calls, or text that no client sees."""

START = "<|start|>"


@dataclass(frozen=True, slots=True)
class AtemMessages(TaggedParameters):
    """recipients: what the messages for these are; others are tools. "" is none."""

    recipients: tuple[tuple[str, str], ...] = ()

    def start(self, context: Context) -> Decoder:
        return AtemDecoder(self, context)

    def resume(self, saved: object, context: Context) -> Decoder:
        decoder = AtemDecoder(self, context)
        decoder.take(saved)
        return decoder


class AtemDecoder(TaggedDecoder):
    __slots__ = ()

    codec: AtemMessages

    def route(self, out: Policy) -> str:
        header, self.captured = self.captured.removeprefix(START), ""
        words = header.split()
        if words and words[0] == "assistant":
            del words[0]
        recipient = words[0].removeprefix("to=") if words else ""
        if len(words) > 1 or (words and (not recipient or not words[0].startswith("to="))):
            return ""
        return dict(self.codec.recipients).get(recipient, CALLS)

    def value(self, text: str, out: Policy) -> None:
        if self.name:
            super().value(text, out)

    def call(self, out: Policy) -> bool:
        head, _, tail = self.captured.partition(".")
        offered = {tool.name for tool in self.context.tools}
        if head == tail and head in offered and self.captured not in offered:
            self.captured = head
        return super().call(out)
