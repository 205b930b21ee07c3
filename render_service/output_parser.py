"""What makes events of an output's token IDs: built once a model, with a stream for each output.

The derenderer knows these two interfaces; behind them is a native format (`native_parser.py`) or
a parser class of vLLM.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from parsers import ToolCall

if TYPE_CHECKING:
    from parsers import Context, Event, Piece, Result

    from .request_facts import RequestFacts


class OutputStream(Protocol):
    """One output being read."""

    @property
    def called(self) -> bool:
        """Whether a tool call has been emitted, for `finish_reason`."""

    def feed(
        self, ids: Sequence[int], text_ids: Sequence[int], finish_reason: str | None
    ) -> list[Event]:
        """ids: of one chunk. text_ids: those of them that are text, without the stop token.

        finish_reason: given once, with the last chunk.
        """

    def snapshot(self) -> tuple[Any, list[Any] | None]:
        """What a state keeps of it, JSON-able: of the detokenizer, and of the parser."""


class OutputParser(Protocol):
    """Immutable. tool, reasoning: names of its parts, None where there is none."""

    @property
    def backend(self) -> str | None:
        """Whose parsers they are, for people; None for ours."""

    @property
    def reads_request(self) -> bool:
        """Whether a stream reads the chat request itself, which then comes with each chunk."""

    @property
    def quick(self) -> bool:
        """Whether a chunk takes little enough time for the event loop."""

    @property
    def tool(self) -> str | None: ...
    @property
    def reasoning(self) -> str | None: ...

    @property
    def parses(self) -> bool:
        """Whether there is either part; else all output is content."""

    def reasoning_ended(
        self, prompt_token_ids: Sequence[int], template_kwargs: Mapping[str, Any]
    ) -> bool | None:
        """Whether the output of a prompt begins behind the reasoning; None without that part."""

    def check(self, context: Context) -> None:
        """Raises RequestError where it cannot read the outputs of such a request."""

    def needs(self, context: Context) -> Context | None:
        """As much of the context as a stream is resumed with; None: of the whole request."""

    def start(
        self, facts: RequestFacts, prompt_token_ids: Sequence[int] | None
    ) -> OutputStream: ...

    def resume(self, decoder: Any, parser: list[Any] | None, facts: RequestFacts) -> OutputStream:
        """The stream of a snapshot; ValueError for what is none."""

    def live_bytes(self, facts: RequestFacts, state_bytes: int) -> int:
        """Memory of a stream that waits for its next chunk, by the size of its state."""

    def adopt(
        self,
        facts: RequestFacts,
        prompt_token_ids: Sequence[int] | None,
        chunks: Iterable[Sequence[int]],
    ) -> tuple[OutputStream, int]:
        """The stream that vLLM's derenderer has after these chunks, and the tool calls begun in it.

        parsers.PaceError where it cannot go on here exactly.
        """

    def parse(
        self,
        pieces: Sequence[Piece],
        ids: Sequence[int],
        facts: RequestFacts,
        prompt_token_ids: Sequence[int] | None,
        finish_reason: str | None,
    ) -> Result:
        """A whole output. pieces: its text, with special tokens that are markers apart."""


def calls_begun(stream: OutputStream, chunks: Iterable[Sequence[int]]) -> int:
    """Feed a stream chunks that were answered elsewhere; the tool calls that begin in them."""
    events = (event for ids in chunks for event in stream.feed(ids, ids, None))
    return sum(isinstance(event, ToolCall) for event in events)
