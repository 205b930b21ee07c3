"""What the request wants of what was parsed; the same for all formats.

Reasoning may be hidden, calls may be unwanted (`tool_choice` none) or limited to the first
(`parallel_tool_calls` false), and white space alone before a call is not content. So white
space is held back until something follows: it is content before more text, and nothing before
a call or at the end of an output that called.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from .context import Context
from .events import Arguments, Content, Event, Reasoning, ToolCall
from .limits import MAX_SPACE, trailing
from .snapshot import Malformed, count, items, text
from .spelt_newlines import SpeltNewlines

_NONE: Mapping[type[Event], SpeltNewlines] = MappingProxyType({})


class Policy:
    """Collects events; adjacent ones of one kind become one.

    trims: white space around content is dropped in an output that calls, as vLLM's
    engine-based parsers do; else white space counts by the text between two calls.
    trims_reasoning: white space at the end of all reasoning is dropped.
    rewrites: what the text of reasoning and of content passes through, each by itself.
    hidden: "reasoning" or "tool" where no client sees it, whatever the request says.
    """

    __slots__ = (
        "_calls_live", "_events", "_id", "_ignores", "_index", "_keeps", "_kind", "_parallel",
        "_parts", "_rewriters", "_shows_thoughts", "_trims", "_trims_reasoning", "calls", "said",
        "spaces", "thought",
    )  # fmt: skip

    SAID = frozenset(range(3))

    def __init__(
        self,
        context: Context,
        *,
        calls_live: bool,
        trims: bool,
        trims_reasoning: bool = False,
        rewrites: type[SpeltNewlines] | None = None,
        hidden: Collection[str] = (),
    ) -> None:
        shown = "tool" not in hidden
        self._shows_thoughts = context.include_reasoning and "reasoning" not in hidden
        self._keeps = shown and context.keeps_calls  # calls reach the client
        self._ignores = shown and bool(context.tools) and not self._keeps
        self._parallel = context.parallel_tool_calls
        self._calls_live = calls_live
        self._trims = trims
        self._trims_reasoning = trims_reasoning
        self._events: list[Event] = []
        self._kind: type[Event] | None = None
        self._id = ""
        self._index = 0
        self._parts: list[str] = []
        self._rewriters: Mapping[type[Event], SpeltNewlines] = _NONE
        if rewrites:
            self._rewriters = {Reasoning: rewrites(), Content: rewrites()}
        self.calls = 0  # calls begun, kept or not
        self.said = 0  # 0: no text yet, 1: text, 2: and a run of white space that was let go
        self.spaces = ""  # white space held back
        self.thought = ""  # white space of the reasoning held back

    @property
    def called(self) -> bool:
        """Whether a call has reached the client."""
        return self.calls > 0 and self._keeps

    def take(self) -> list[Event]:
        """The events since the last take."""
        self._flush()
        events, self._events = self._events, []
        return events

    def reasoning(self, text: str) -> None:
        if not self._shows_thoughts:
            return
        if self._trims_reasoning:
            text = self.thought + text
            core = trailing(text)
            text, self.thought = text[:core], text[core:]
        if text:
            self._add(Reasoning, text)

    def content(self, text: str) -> None:
        if not self._calls_live or (self.said == 1 and not self._trims):
            self._add(Content, text)
            return
        core = text.rstrip()
        if not core:
            self._space(text)
            return
        if self.spaces:
            self._add(Content, self.spaces)
            self.spaces = ""
        self.said = 1
        if not self._trims:
            self._add(Content, text)
            return
        self._add(Content, core)
        if len(core) < len(text):
            self._space(text[len(core) :])

    def _space(self, text: str) -> None:
        if self.said == 2:
            self._add(Content, text)
            return
        self.spaces += text
        if len(self.spaces) > MAX_SPACE:
            self._add(Content, self.spaces)
            self.spaces, self.said = "", 2

    def part(self) -> None:
        """A part of the output ends, or begins."""

    def identify(self, written: str) -> None:
        """The model wrote an ID for the call that begins next."""
        self._id = written

    def call(self, name: str) -> None:
        """A call begins."""
        written, self._id = self._id, ""
        if self._ignores:
            return
        self._settle()
        self.calls += 1
        if self._trims and self.said:
            self.said = 1  # the spaces may still turn out to stand between two words
        else:
            self.said, self.spaces = 0, ""
        if self._kept():
            self._flush()
            # Half of a surrogate pair, which JSON can spell, could not be sent as UTF-8.
            sendable = name.encode(errors="replace").decode()
            self._events.append(ToolCall(self.calls - 1, sendable, written))

    def arguments(self, text: str) -> None:
        """JSON text of the call that was begun last."""
        if text and self.calls and self._kept():
            self._index = self.calls - 1
            self._add(Arguments, text)

    def _kept(self) -> bool:
        """Whether the client sees the call that was begun last."""
        return self._keeps and (self._parallel or self.calls == 1)

    def finish(self) -> None:
        """The output ends: white space that no call followed is content."""
        if self.spaces and not self.calls:
            self._add(Content, self.spaces)
        self.spaces = ""
        self._settle()

    def _add(self, kind: type[Event], text: str) -> None:
        if self._rewriters and kind is not Arguments:
            self._settle(kind)
            text = self._rewriters[kind].feed(text)
        if text:
            self._collect(kind, text)

    def _settle(self, but: type[Event] | None = None) -> None:
        """What rewriters hold back comes out, since another kind of event follows."""
        for kind, rewriter in self._rewriters.items():
            if kind is not but and (text := rewriter.feed("", final=True)):
                self._collect(kind, text)

    def _collect(self, kind: type[Event], text: str) -> None:
        if kind is not self._kind:
            if self._kind is not None:
                self._flush()
            self._kind = kind
        self._parts.append(text)

    def _flush(self) -> None:
        kind, self._kind = self._kind, None
        if kind is None:
            return
        joined = "".join(self._parts)
        self._parts = []
        if kind is Arguments:
            self._events.append(Arguments(self._index, joined))
        elif kind is Content:
            self._events.append(Content(joined))
        else:
            self._events.append(Reasoning(joined))

    def snapshot(self) -> list[Any]:
        counters = [self.calls, self.said, self.spaces]
        if self._rewriters:
            return [*counters, self.thought, *(r.snapshot() for r in self._rewriters.values())]
        return [*counters, self.thought] if self.thought else counters

    def restore(self, saved: object) -> None:
        """Take a snapshot's counters; raises `Malformed`."""
        more = 3 if self._rewriters else isinstance(saved, list) and len(saved) == 4
        calls, said, spaces, *thought = items(saved, 3 + more)
        if count(said) not in self.SAID:
            raise Malformed
        self.calls, self.said, self.spaces = count(calls), said, text(spaces)
        if thought:
            self.thought = text(thought[0])
            for rewriter, state in zip(self._rewriters.values(), thought[1:], strict=True):
                rewriter.restore(state)
