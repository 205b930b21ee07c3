"""One streamed output through a parser of vLLM: its deltas as our events, its history kept."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from parsers import Arguments, Content, Reasoning, ToolCall

from .errors import RequestError
from .vllm_history import History
from .vllm_reader import Reader, written

if TYPE_CHECKING:
    from parsers import Event

    from .detokenizer import DetokenizerStream

logger = logging.getLogger("render_service")

MAX_REASON = 400
"""Characters of an error's text that is shown."""


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
        with as_request_error():
            delta = self._step(ids, text_ids, finish_reason)
            events = list(self._events(delta))
        if ids:
            self._history.add(ids)
        self._ended = finish_reason is not None
        return events

    def replay(self, parts: Sequence[Sequence[int]]) -> None:
        """Chunks that were answered before."""
        with as_request_error():
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


@contextmanager
def as_request_error() -> Iterator[None]:
    """A parser that cannot read an output fails that request, and no more: RequestError 400.

    vLLM answers a stream so, and a whole output where its parser raised ValueError.
    """
    try:
        yield
    except RequestError:
        raise
    except Exception as error:
        logger.debug("A parser of vLLM failed", exc_info=error)
        reason = unicode(" ".join(str(error).split())[:MAX_REASON])
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
