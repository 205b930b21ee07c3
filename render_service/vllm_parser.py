"""Outputs read by vLLM's own parser classes, for names that have no native format and for plugins.

Such a parser holds what it knows in ways of its own, so a stream's snapshot is its history: the
chunks of token IDs as they came, which `resume` feeds to a new parser once. What the parser needs
of the prompt goes with it. vLLM's derenderer does the same with every chunk
(`renderers/online_derenderer.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from parsers import Call, Result

from .output_parser import calls_begun
from .protocol.chat import ChatRequest
from .vllm_history import History, chunks, pack, unpack, unpack_bytes
from .vllm_reader import Reader, written
from .vllm_stream import EndedStream, VllmStream, as_request_error, unicode

if TYPE_CHECKING:
    from parsers import Context, Piece

    from .detokenizer import Detokenizer
    from .request_facts import RequestFacts
    from .vllm_backend import VllmBackend

# A live stream's memory as measured: its objects, IDs and text of the history, the request.
STREAM_BYTES = 16384
PER_STATE_BYTE = 28
PER_REQUEST_BYTE = 4

Prompt = bool | list[int] | None
"""What a parser is told of the prompt: whether reasoning has ended behind it, or its IDs."""

FOREIGN = "it does not come from a stream of a parser of vLLM"


class VllmParser:
    """See `OutputParser`. detokenizer: without markers, as vLLM's parsers read text.

    max_tokens, vocab_size: of a sequence, and of the model; a state is held to them.
    """

    reads_request = True
    quick = False

    def __init__(
        self, backend: VllmBackend, detokenizer: Detokenizer, *, max_tokens: int, vocab_size: int
    ) -> None:
        self._vllm = backend
        self.backend = f"vLLM {backend.version}"
        self._detokenizer = detokenizer
        self._max_tokens = max_tokens
        self._vocab_size = vocab_size
        self.parses = True
        self.tool = backend.tool
        self.reasoning = backend.reasoning

    def adjusted(
        self,
        request: ChatRequest,
        prompt_token_ids: Sequence[int],
        template_kwargs: Mapping[str, Any],
    ) -> tuple[ChatRequest, bool]:
        """The request with what the parser changes for the engine, and whether the constraint holds
        the whole output, thoughts included.
        """
        fields = msgspec.to_builtins(request)
        with as_request_error():
            changed, whole = self._vllm.adjusted(fields, prompt_token_ids, template_kwargs)
            known = {name: changed[name] for name in changed if name in fields}
            patch = msgspec.convert({"messages": [], **known}, ChatRequest, strict=False)
        known = {name: getattr(patch, name) for name in known}
        return msgspec.structs.replace(request, **known), whole

    def reasoning_ended(
        self, prompt_token_ids: Sequence[int], template_kwargs: Mapping[str, Any]
    ) -> bool | None:
        if self.reasoning is None:
            return None
        with as_request_error():
            return self._vllm.reasoning_ended(prompt_token_ids, template_kwargs)

    def check(self, context: Context) -> None:
        """vLLM's classes do so themselves."""

    def needs(self, context: Context) -> Context | None:
        return None

    def start(self, facts: RequestFacts, prompt_token_ids: Sequence[int] | None) -> VllmStream:
        decoder = self._detokenizer.start(
            prompt_token_ids,
            skip_special_tokens=False,
            spaces_between_special_tokens=facts.spaces_between_special_tokens,
        )
        prompt: Prompt = None if prompt_token_ids is None else list(prompt_token_ids)
        if isinstance(prompt, list) and not self._vllm.reads_prompt:
            with as_request_error():
                prompt = self._vllm.reasoning_ended(prompt, facts.context.template_kwargs)
        carried = pack(prompt) if isinstance(prompt, list) else prompt
        make = partial(self._reader, facts, prompt)
        return VllmStream(make, decoder, carried, History(), decoder.snapshot())

    def _reader(self, facts: RequestFacts, prompt: Prompt) -> Reader:
        reader = self._vllm.reader(facts.request, facts.context.template_kwargs)
        reader.continues(prompt)
        return reader

    def resume(
        self, decoder: Any, parser: list[Any] | None, facts: RequestFacts
    ) -> VllmStream | EndedStream:
        match parser:
            case [bool(called)]:
                return EndedStream(called)
            case [str(history), (None | bool() | str()) as carried]:
                return self._resumed(decoder, history, carried, facts)
        raise ValueError(FOREIGN)

    def live_bytes(self, facts: RequestFacts, state_bytes: int) -> int:
        own = PER_STATE_BYTE * state_bytes + PER_REQUEST_BYTE * len(facts.request)
        return STREAM_BYTES + own

    def adopt(
        self,
        facts: RequestFacts,
        prompt_token_ids: Sequence[int] | None,
        chunks: Iterable[Sequence[int]],
    ) -> tuple[VllmStream, int]:
        stream = self.start(facts, prompt_token_ids)
        return stream, calls_begun(stream, chunks)

    def _resumed(
        self, seed: Any, history: str, carried: bool | str | None, facts: RequestFacts
    ) -> VllmStream:
        bounds = {"most": self._max_tokens, "below": self._vocab_size}
        packed = unpack_bytes(history)
        parts = chunks(packed, **bounds)
        prompt = unpack(carried, **bounds) if isinstance(carried, str) else carried
        if isinstance(prompt, list) is not self._vllm.reads_prompt and prompt is not None:
            raise ValueError(FOREIGN)
        decoder = self._detokenizer.resume(
            seed,
            skip_special_tokens=False,
            spaces_between_special_tokens=facts.spaces_between_special_tokens,
        )
        make = partial(self._reader, facts, prompt)
        stream = VllmStream(make, decoder, carried, History(packed), seed)
        stream.replay(parts)
        return stream

    def parse(
        self,
        pieces: Sequence[Piece],
        ids: Sequence[int],
        facts: RequestFacts,
        prompt_token_ids: Sequence[int] | None,
        finish_reason: str | None,
    ) -> Result:
        text = "".join(pieces)
        with as_request_error():
            reader = self._reader(facts, None)
            fields = reader.parse(text, list(ids), prompt_token_ids)
            calls = [call.function for call in fields.tool_calls]
            return Result(
                _unicode_or_none(fields.reasoning),
                _unicode_or_none(fields.content),
                [Call(unicode(call.name), unicode(call.arguments)) for call in calls],
                tuple(written(call.id, text) for call in fields.tool_calls),
            )


def _unicode_or_none(text: str | None) -> str | None:
    return None if text is None else unicode(text)
