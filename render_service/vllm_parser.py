"""Outputs read by vLLM's own parser classes, for names that have no native format and for plugins.

Such a parser holds what it knows in ways of its own, so a stream's snapshot is its history: the
chunks of token IDs as they came, which `resume` feeds to a new parser once. What the parser needs
of the prompt goes with it. vLLM's derenderer does the same with every chunk
(`renderers/online_derenderer.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from parsers import Arguments, Call, Content, Reasoning, Result, ToolCall

from .errors import RequestError
from .output_parser import calls_begun
from .protocol.chat import ChatRequest
from .vllm_history import History, chunks, pack, unpack, unpack_bytes
from .vllm_reader import Reader, written

if TYPE_CHECKING:
    from parsers import Context, Event, Piece

    from .detokenizer import Detokenizer, DetokenizerStream
    from .request_facts import RequestFacts
    from .vllm_backend import VllmBackend

# A live stream's memory as measured: its objects, IDs and text of the history, the request.
STREAM_BYTES = 16384
PER_STATE_BYTE = 28
PER_REQUEST_BYTE = 4

Prompt = bool | list[int] | None
"""What a parser is told of the prompt: whether reasoning has ended behind it, or its IDs."""

MAX_REASON = 400
"""Characters of an error's text that is shown."""

FOREIGN = "it does not come from a stream of a parser of vLLM"


class EndedStream:
    """An output that is complete: what may still come is usage."""

    __slots__ = ("called",)

    def __init__(self, called: bool) -> None:
        self.called = called

    def feed(
        self, ids: Sequence[int], text_ids: Sequence[int], finish_reason: str | None
    ) -> list[Event]:
        return []

    def snapshot(self) -> tuple[Any, list[Any] | None]:
        return None, [self.called]


class VllmStream:
    """See `OutputStream`. One that raised has lost its place and must not be used again.

    make: the reader, with the first chunk. seed: the detokenizer's snapshot before the output.
    prompt, history: as in a state.
    """

    __slots__ = ("_decoder", "_ended", "_history", "_make", "_prompt", "_reader", "_seed", "_text")

    def __init__(
        self,
        make: Callable[[], Reader],
        decoder: DetokenizerStream,
        prompt: bool | str | None,
        history: History,
        seed: Any,
    ) -> None:
        self._make = make
        self._reader: Reader | None = None
        self._decoder = decoder
        self._seed = seed
        self._prompt = prompt
        self._history = history
        self._text: list[str] = []
        self._ended = False

    @property
    def called(self) -> bool:
        return self._reader is not None and self._reader.called

    def feed(
        self, ids: Sequence[int], text_ids: Sequence[int], finish_reason: str | None
    ) -> list[Event]:
        if not ids and finish_reason is None:
            return []
        with _as_request_error():
            delta = self._step(ids, text_ids, finish_reason)
            events = list(self._events(delta))
        if ids:
            self._history.add(ids)
        self._ended = finish_reason is not None
        return events

    def replay(self, parts: Sequence[Sequence[int]]) -> None:
        """Chunks that were answered before."""
        with _as_request_error():
            for ids in parts:
                self._step(ids, ids, None)

    def _step(self, ids: Sequence[int], text_ids: Sequence[int], finish_reason: str | None) -> Any:
        if self._reader is None:
            self._reader = self._make()
        text = "".join(self._decoder.feed(text_ids))
        self._text.append(text)
        return self._reader.step(text, list(ids), finish_reason)

    def _events(self, delta: Any) -> Iterator[Event]:
        """delta: vLLM's DeltaMessage."""
        if delta is None:
            return
        if delta.reasoning:
            yield Reasoning(unicode(delta.reasoning))
        if delta.content:
            yield Content(unicode(delta.content))
        for call in delta.tool_calls or ():
            function = call.function
            if function is None:
                continue
            if function.name is not None:
                yield ToolCall(call.index, unicode(function.name), self._written(call.id))
            if function.arguments is not None:
                yield Arguments(call.index, unicode(function.arguments))

    def _written(self, call_id: str | None) -> str:
        self._text = ["".join(self._text)]
        return written(call_id, self._text[0])

    def snapshot(self) -> tuple[Any, list[Any] | None]:
        if self._ended:
            return None, [self.called]
        return self._seed, [self._history.text(), self._prompt]


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
    ) -> ChatRequest:
        """The request with what the parser changes for the engine."""
        fields = msgspec.to_builtins(request)
        with _as_request_error():
            changed = self._vllm.adjusted(fields, prompt_token_ids, template_kwargs)
            known = {name: changed[name] for name in changed if name in fields}
            patch = msgspec.convert({"messages": [], **known}, ChatRequest, strict=False)
        return msgspec.structs.replace(request, **{name: getattr(patch, name) for name in known})

    def reasoning_ended(
        self, prompt_token_ids: Sequence[int], template_kwargs: Mapping[str, Any]
    ) -> bool | None:
        if self.reasoning is None:
            return None
        with _as_request_error():
            return self._vllm.reasoning_ended(prompt_token_ids, template_kwargs)

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
            with _as_request_error():
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
        with _as_request_error():
            reader = self._reader(facts, None)
            fields = reader.parse(text, list(ids), prompt_token_ids)
            calls = [call.function for call in fields.tool_calls]
            return Result(
                _unicode_or_none(fields.reasoning),
                _unicode_or_none(fields.content),
                [Call(unicode(call.name), unicode(call.arguments)) for call in calls],
                tuple(written(call.id, text) for call in fields.tool_calls),
            )


@contextmanager
def _as_request_error() -> Iterator[None]:
    """A parser that cannot read an output fails that request, and no more: RequestError 400.

    vLLM answers a stream so, and a whole output where its parser raised ValueError.
    """
    try:
        yield
    except RequestError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:MAX_REASON]
        raise RequestError(
            f"the configured parser failed: {type(error).__name__}: {reason}"
        ) from error


def unicode(text: str) -> str:
    """Text that JSON can hold: a parser of vLLM may cut a surrogate pair in two."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _unicode_or_none(text: str | None) -> str | None:
    return None if text is None else unicode(text)
