"""A stream that goes at vLLM's pace: each `feed` is one chunk, cut where the engine cut it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .codecs.base import Decoder
from .codecs.json_object import WAITING, ObjectDecoder
from .codecs.tagged_parameters import TaggedDecoder
from .events import Event
from .json_stream import JsonStream, escape
from .paced_policy import PacedPolicy
from .pieces import Piece, Special
from .regions import Op, Sink
from .stream import Stream


class PacedStream(Stream):
    """keeps_pace: whether it stays there; else all that vLLM has still to send comes first with
    the next chunk.
    """

    __slots__ = ("keeps_pace",)

    _policy: PacedPolicy

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.keeps_pace = True

    def feed(self, pieces: Iterable[Piece]) -> list[Event]:
        policy = self._policy
        owed = policy.release() if policy.paced and not self.keeps_pace else []
        fed = list(pieces)
        super().feed(fed)
        name, pending = self._unwritten()
        if name is not None and policy.knows_names:
            policy.announce(name)
        if self._raw or self._decoder is None:
            policy.tagged()
        return owed + policy.take_chunk(pending, braced=self._decoder is None and not _marked(fed))

    def _do(self, ops: tuple[Op, ...]) -> bool:
        for op in ops:
            if op is Op.VALUE_END:
                self._policy.value_ends()
            elif op in (Op.KEY, Op.CALL, Op.CALL_END):
                self._policy.value_followed()
            if not super()._do((op,)):
                return False
            if op is Op.KEY and self._policy.settles and _waits(self._decoder):
                self._policy.value_waits()
        return True

    def _unwritten(self) -> tuple[str | None, str]:
        """What vLLM knows of a call already: its name before it begins, and of its arguments a
        number or an escape that may go on, or text that only looks like a marker.
        """
        decoder = self._decoder
        if isinstance(decoder, ObjectDecoder) and decoder.stage == WAITING:
            return decoder.name, ""
        if isinstance(decoder, TaggedDecoder):
            told = self._held if decoder.streams and self._region.sink is Sink.VALUE else ""
            return None, escape(told[: len(told) - self._policy.overlap(told)])
        reader = getattr(decoder, "reader", None)
        return None, reader.pending if isinstance(reader, JsonStream) else ""


def _marked(pieces: list[Piece]) -> bool:
    """Whether a token has come since the last brace."""
    for piece in reversed(pieces):
        if isinstance(piece, Special) or "}" in piece:
            return isinstance(piece, Special)
    return False


def _waits(decoder: Decoder | None) -> bool:
    """Whether a text value is sent whole: that of a parameter which the tool does not have."""
    if not isinstance(decoder, TaggedDecoder) or not decoder.streams:
        return False
    known = decoder.context.properties(decoder.name)
    return bool(known) and decoder.parameter not in known


def is_paced(saved: object) -> bool:
    """Whether a snapshot is of such a stream."""
    match saved:
        case [_, _, _, [list(), *_]]:
            return True
    return False
