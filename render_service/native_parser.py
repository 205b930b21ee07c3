"""Outputs read by a format of `parsers`, or without one taken as content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import parsers
from parsers import Content, Result
from parsers.paced_stream import PacedStream, is_paced

from .errors import RequestError
from .output_parser import calls_begun

if TYPE_CHECKING:
    from parsers import Event, Piece

    from .detokenizer import Detokenizer, DetokenizerStream
    from .request_facts import RequestFacts

# A live stream's memory: its objects, and what its state holds as text.
STREAM_BYTES = 4096
PER_STATE_BYTE = 4


class NativeStream:
    """See `OutputStream`."""

    __slots__ = ("_decoder", "_parser")

    def __init__(self, decoder: DetokenizerStream, parser: parsers.Stream | None) -> None:
        self._decoder = decoder
        self._parser = parser

    @property
    def called(self) -> bool:
        return self._parser is not None and self._parser.called

    def feed(
        self, ids: Sequence[int], text_ids: Sequence[int], finish_reason: str | None
    ) -> list[Event]:
        pieces, parser = self._decoder.feed(text_ids), self._parser
        if parser is None:
            text = "".join(pieces)
            return [Content(text)] if text else []
        events = parser.feed(pieces)
        if finish_reason is not None:
            events += parser.finish(finish_reason)
        return events

    def keeps_pace(self, keeps: bool) -> None:
        """Whether a stream at vLLM's pace stays there with the next chunk."""
        if isinstance(self._parser, PacedStream):
            self._parser.keeps_pace = keeps

    def snapshot(self) -> tuple[Any, list[Any] | None]:
        parser = self._parser
        return self._decoder.snapshot(), None if parser is None else parser.snapshot()


class NativeParser:
    """See `OutputParser`. format: None where neither parser is configured.

    keeps_pace: streams go at vLLM's pace, so that it can go on with them.
    """

    backend = None
    reads_request = False
    quick = True

    def __init__(
        self,
        detokenizer: Detokenizer,
        format: parsers.Format | None,
        *,
        keeps_pace: bool = False,
    ) -> None:
        self._detokenizer = detokenizer
        self._format = format
        self._keeps_pace = keeps_pace
        if keeps_pace and format is not None:
            self._at_vllm_pace  # noqa: B018 - raises PaceError at once
        self.parses = format is not None
        self.tool = None if format is None else format.tool
        self.reasoning = None if format is None else format.reasoning

    def reasoning_ended(
        self, prompt_token_ids: Sequence[int], template_kwargs: Mapping[str, Any]
    ) -> bool | None:
        if self._format is None:
            return None
        return self._format.reasoning_ended(prompt_token_ids, template_kwargs)

    def check(self, context: parsers.Context) -> None:
        if self._format is not None and (refusal := self._format.refusal(context)):
            raise RequestError(refusal)

    def needs(self, context: parsers.Context) -> parsers.Context:
        return parsers.Context() if self._format is None else self._format.needs(context)

    @cached_property
    def _at_vllm_pace(self) -> parsers.Format:
        assert self._format is not None
        return self._format.at_vllm_pace()

    def start(self, facts: RequestFacts, prompt_token_ids: Sequence[int] | None) -> NativeStream:
        format = self._format
        if format is not None and self._keeps_pace:
            format = self._at_vllm_pace
        return self._started(format, facts, prompt_token_ids)

    def live_bytes(self, facts: RequestFacts, state_bytes: int) -> int:
        return STREAM_BYTES + PER_STATE_BYTE * state_bytes

    def adopt(
        self,
        facts: RequestFacts,
        prompt_token_ids: Sequence[int] | None,
        chunks: Iterable[Sequence[int]],
    ) -> tuple[NativeStream, int]:
        stream = self._started(self._at_vllm_pace, facts, prompt_token_ids)
        calls = calls_begun(stream, chunks)
        stream.keeps_pace(self._keeps_pace)
        return stream, calls

    def _started(
        self,
        format: parsers.Format | None,
        facts: RequestFacts,
        prompt_token_ids: Sequence[int] | None,
    ) -> NativeStream:
        decoder = self._detokenizer.start(
            prompt_token_ids,
            skip_special_tokens=self._skips(facts),
            spaces_between_special_tokens=facts.spaces_between_special_tokens,
            pieces=self.parses,
        )
        if format is None:
            return NativeStream(decoder, None)
        return NativeStream(decoder, format.start(facts.context, prompt_token_ids))

    def resume(self, decoder: Any, parser: list[Any] | None, facts: RequestFacts) -> NativeStream:
        if (parser is None) is self.parses:
            there = ("with", "none") if parser is not None else ("without", "one")
            raise ValueError(f"it comes from a server {there[0]} a parser, this one has {there[1]}")
        text = self._detokenizer.resume(
            decoder,
            skip_special_tokens=self._skips(facts),
            spaces_between_special_tokens=facts.spaces_between_special_tokens,
            pieces=self.parses,
        )
        if self._format is None:
            return NativeStream(text, None)
        format = self._at_vllm_pace if is_paced(parser) else self._format
        stream = NativeStream(text, format.resume(parser, facts.context))
        stream.keeps_pace(self._keeps_pace)
        return stream

    def _skips(self, facts: RequestFacts) -> bool:
        """A parser must see the special tokens."""
        return not self.parses and facts.skip_special_tokens

    def parse(
        self,
        pieces: Sequence[Piece],
        ids: Sequence[int],
        facts: RequestFacts,
        prompt_token_ids: Sequence[int] | None,
        finish_reason: str | None,
    ) -> Result:
        if self._format is None:
            return Result(None, "".join(pieces), [])
        return self._format.parse(pieces, facts.context, prompt_token_ids, finish_reason)
