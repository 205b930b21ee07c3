"""The policy of a stream that goes at vLLM's pace: when it lets out what the client sees.

Each `feed` is one chunk, as it came. What is held back at its end stays the last run of events,
not yet flushed; what goes out sooner than the codec writes it is counted, and left out then.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from .context import Context
from .events import Arguments, Content, Event, Reasoning, ToolCall
from .pace import Announces, Pace, ReasoningPace, Sends
from .policy import Policy
from .snapshot import Malformed, count, items, text, texts

_KINDS: dict[str, type[Event]] = {"r": Reasoning, "c": Content, "a": Arguments}
_LATE = (Announces.FOLLOWED, Announces.GIVEN)
_LETTERS = {kind: letter for letter, kind in _KINDS.items()}


class PacedPolicy(Policy):
    """pace, thinks: of the two parts, None where there is none. markers: of the whole format.

    paced: the stream still goes at vLLM's pace. One that was taken over from vLLM does not,
    but what it says stays vLLM's streamed answer.
    """

    __slots__ = (
        "_after", "_ahead", "_called", "_counts", "_due", "_early", "_ended", "_late", "_markers",
        "_pace", "_thinks", "paced",
    )  # fmt: skip

    def __init__(
        self,
        context: Context,
        pace: Pace | None,
        thinks: ReasoningPace | None,
        markers: Collection[str],
        **options: Any,
    ) -> None:
        """options: those of `Policy`."""
        super().__init__(context, **options)
        self._pace = pace
        self._thinks = thinks
        self._markers = {*markers, *(pace.more if pace else ())}
        self.paced = True
        self._ahead = ""  # arguments that went out before they were written
        self._early = False  # the name of the call that begins next is out
        self._due: str | None = None  # the end of a value that waits for what follows it
        self._late: ToolCall | None = None  # a name that waits for what follows it
        self._ended = False
        # Where the request forbids its tools, vLLM's engine passes over calls.
        self._counts = context.keeps_calls or not context.tools
        self._called = False  # this chunk has had something of a call
        self._after = ""  # words behind it, which wait for the next chunk

    # What the stream tells

    def content(self, text: str) -> None:
        if self._early:  # the head of a call whose name is out: vLLM's stream says no more of it
            self._early = False
            return
        pace = self._pace
        if self.paced and self._called and self._calls_live and pace and pace.marks:
            self._after += text
            return
        text, self._after = self._after + text, ""
        if not self._calls_live or pace is None or (self.calls and pace.blanks):
            super().content(text)
        elif pace.blanks or self.said or not text.isspace():
            self._add(Content, self.spaces + text)
            self.said, self.spaces = 1, ""
        else:
            self.spaces += text

    def call(self, name: str) -> None:
        self._called = self._counts
        if self._early:
            self._early = False
            return
        self.value_followed()
        self.followed()
        said = self.said
        super().call(name)
        if self._pace is not None and not self._pace.blanks:
            self.said = said
        self._ahead = ""
        if self.paced and self._pace is not None and self._pace.announces in _LATE:
            self._late = self._taken_back()

    def _taken_back(self) -> ToolCall | None:
        """The name that was just put out, if the client is to see it."""
        if self._events and isinstance(self._events[-1], ToolCall):
            call = self._events.pop()
            assert isinstance(call, ToolCall)
            return call
        return None

    def announce(self, name: str) -> None:
        """The name of the call that is being read is known."""
        if not self._early:
            self.call(name)
            self._early = True

    def arguments(self, text: str) -> None:
        self._called = self._counts
        text = self._unsent(text)
        if self._due is None:
            super().arguments(text)
        else:
            self._due += text

    def _unsent(self, text: str) -> str:
        """What of the text did not go out before it was written."""
        ahead = self._ahead
        if ahead.startswith(text):
            self._ahead = ahead[len(text) :]
            return ""
        self._ahead = ""
        # What JSON does not know, NaN and infinities, is written as null.
        return text.removeprefix(ahead if text.startswith(ahead) else "null")

    @property
    def settles(self) -> bool:
        pace = self._pace
        return self.paced and pace is not None and pace.sends is Sends.SETTLED

    def value_ends(self) -> None:
        """What the codec writes now waits for what follows."""
        self._ahead = ""
        if self.settles:
            self._due = self._due or ""

    def value_waits(self) -> None:
        """So does all of a value whose opening quote the codec has just written."""
        run = "".join(self._parts)
        self._parts, self._due = [run[:-1]], run[-1:]

    def value_followed(self) -> None:
        due, self._due = self._due, None
        if due:
            super().arguments(due)

    def _add(self, kind: type[Event], text: str) -> None:
        self.followed()
        super()._add(kind, text)

    def followed(self) -> None:
        """There is text behind the last tag."""
        if self._late is not None:
            self._flush()
            self._events.append(self._late)
            self._late = None

    def tagged(self) -> None:
        """There is text behind the tag of a name, or the call is over."""
        if self._pace is not None and self._pace.announces is Announces.FOLLOWED:
            self.followed()

    # Ends of chunks

    def take(self) -> list[Event]:
        """Nothing yet: `take_chunk` has what is still missing here."""
        return super().take() if self._ended else []

    def take_chunk(self, pending: str, *, braced: bool) -> list[Event]:
        """The events of a chunk. pending: what the codec has read of arguments and not written.

        braced: arguments that end here are whole, and no token has followed them.
        """
        if not self.paced:
            return super().take()
        if not self._called:
            self._catch_up()
        self._called = False
        self._go_ahead(pending)
        if self.calls and not self.said:
            self.spaces = self.spaces if self._pace and self._pace.blanks else ""
        kind, run = self._kind, "".join(self._parts)
        kept = self._kept_back(run, braced)
        self._parts = [run[: len(run) - kept]] if kept < len(run) else []
        if not self._parts:
            self._kind = None
        events = super().take()
        if kept:
            self._kind, self._parts = kind, [run[len(run) - kept :]]
        return events

    def _go_ahead(self, pending: str) -> None:
        more = pending[len(self._ahead) :]
        if more and self.calls and self._kept():
            super().arguments(more)
            self._ahead = pending

    def overlap(self, text: str) -> int:
        """How much of the text's end may become a marker."""
        return _overlap(text, self._markers)

    def _kept_back(self, run: str, braced: bool) -> int:
        """How many characters at the end of the last run stay here."""
        pace = self._pace
        if self._kind is Reasoning:
            marked = self._thinks is not None and self._thinks.marks
            kept = _overlap(run, self._markers) if marked else 0
            if kept and self._trims_reasoning:
                kept = len(run) - len(run[: len(run) - kept].rstrip())
            return kept
        if pace is None:
            return 0
        if self._kind is Content or not pace.ends:
            kept = _overlap(run, self._markers) if pace.marks and self._calls_live else 0
        else:
            kept = _overlap(run, pace.ends)
        if braced and self._kind is Arguments and pace.sends is Sends.BRACED and run.endswith("}"):
            return 1
        if self._kind is Arguments and pace.sends is Sends.WRITTEN:
            kept = len(run) - len(run[: len(run) - kept].rstrip())
        return kept

    def release(self) -> list[Event]:
        """No longer at vLLM's pace: what is held back for it comes out."""
        self.paced = False
        self._let_go()
        return super().take()

    @property
    def knows_names(self) -> bool:
        pace = self._pace
        return self.paced and pace is not None and pace.announces is Announces.KNOWN

    def _let_go(self) -> None:
        self.value_followed()
        self.followed()
        self._catch_up()

    def _catch_up(self) -> None:
        self._called = False
        if self._after:
            self.content("")

    def finish(self) -> None:
        self._ended = True
        self._let_go()
        super().finish()

    # Snapshots

    def snapshot(self) -> list[Any]:
        letter = _LETTERS[self._kind] if self._kind is not None else ""
        late = self._late and [self._late.index, self._late.name, self._late.id]
        return [
            super().snapshot(),
            [letter, "".join(self._parts), self._ahead, self._after, self._due, late],
            [int(self._early), int(self.paced)],
        ]

    def restore(self, saved: object) -> None:
        """Take a snapshot's state; raises `Malformed`."""
        inner, held, counters = items(saved, 3)
        super().restore(inner)
        letter, run, ahead, after, due, late = items(held, 6)
        self._parts, self._due = [text(run)] if run else [], None if due is None else text(due)
        self._kind = _KINDS.get(text(letter)) if run else None
        if run and self._kind is None:
            raise Malformed
        if late is not None:
            index, *words = items(late, 3)
            self._late = ToolCall(count(index), *texts(words, 2))
        self._ahead, self._after = text(ahead), text(after)
        early, paced = (count(number) for number in items(counters, 2))
        self._early, self.paced = bool(early), bool(paced)
        self._index = max(self.calls - 1, 0)


def _overlap(text: str, markers: Collection[str]) -> int:
    """The length of the longest end of the text that a marker goes on from."""
    longest = min(max(map(len, markers), default=1) - 1, len(text))
    for length in range(longest, 0, -1):
        end = text[-length:]
        if any(marker.startswith(end) and len(marker) > length for marker in markers):
            return length
    return 0
