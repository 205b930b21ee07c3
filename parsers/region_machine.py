"""The region machine: what text means in a region, and what a marker does there (`regions.py`).

`Stream` drives it: it finds the markers, and reads again what turned out to be text.
"""

from __future__ import annotations

from collections.abc import Mapping

from .codecs.base import Codec, Decoder
from .context import Context
from .limits import MAX_HEAD, MAX_SPACE
from .policy import Policy
from .regions import ROUTED, Compiled, Op, Sink, To

GAPS = (Sink.HOLD, Sink.GAP, Sink.START)  # `in` compares by identity; a set would hash in Python
_OPENED = frozenset((Sink.HOLD, Sink.CAPTURE, Sink.BODY))
_UNDECIDED = _OPENED.union(GAPS, {Sink.NOTE})


class RegionMachine:
    """Where an output is, and the call being read there."""

    __slots__ = (
        "_codec", "_context", "_decoder", "_held", "_policy", "_raw", "_region", "_table", "began",
    )  # fmt: skip

    def __init__(
        self,
        table: Mapping[str, Compiled],
        region: str,
        codec: Codec | None,
        context: Context,
        policy: Policy,
    ) -> None:
        self._table = table
        self._region = table[region]
        self.began = region
        """The region that the output began in."""
        self._codec = codec
        self._context = context
        self._policy = policy
        self._decoder: Decoder | None = None
        self._held = ""  # text that may become a marker
        self._raw = ""  # text that is text again should it not open a call

    def _plain(self, text: str) -> None:
        """Text that holds no marker."""
        raise NotImplementedError

    def _sink(self, text: str) -> str:
        """Text goes where the region says; what has no room there is left."""
        sink = self._region.sink
        if not text:
            return text
        if sink is Sink.CONTENT:
            self._policy.content(text)
        elif sink is Sink.REASONING:
            self._policy.reasoning(text)
        elif sink is Sink.VALUE:
            self._call().value(text, self._policy)
        else:
            is_note = sink is Sink.NOTE
            taken = MAX_HEAD - len(self._raw) if is_note else self._call().capture(text)
            self._raw += text[:taken]
            if taken < len(text):
                self._settle()
                return text[taken:]
        return ""

    def _follow(self, to: To, spelt: str) -> str:
        """Go where a marker leads; its text where it is to be read again there."""
        begun = self._do(to.do)
        if begun and to.region == ROUTED:
            status = self._call().route(self._policy)
            if status:
                self._raw = ""
                self._enter(self._region.texts[status].region, "")
                return ""
            begun = False
        if not begun:
            self._raw += spelt
            self._settle()
            return ""
        if to.do:
            self._raw = ""
        self._enter(to.region, "" if to.again else spelt)
        return spelt if to.again else ""

    def _enter(self, name: str, spelt: str) -> None:
        """A new region. Undecided ones keep the raw text with the marker that opened them."""
        region = self._table[name]
        if region.sink in _OPENED:
            if self._region.sink is Sink.REASONING:
                spelt = ""  # the end of reasoning is no text, wherever it leads
            if region.sink is Sink.HOLD and self._region.sink is Sink.HOLD:
                self._let_go()
            self._raw = (self._raw if self._region.sink in _UNDECIDED else "") + spelt
        else:
            self._raw = ""
        self._region = region
        if not region.in_call:
            self._decoder = None

    def _let_go(self) -> None:
        """One opening marker after another: the older ones are text once they are many."""
        if len(self._raw) > MAX_SPACE:
            self._settle()

    def _settle(self) -> None:
        """What was kept is text after all, of the region that such text belongs to."""
        raw, self._raw = self._raw, ""
        self._enter(self._region.otherwise, "")
        self._plain(raw)

    def _do(self, ops: tuple[Op, ...]) -> bool:
        """Run the steps of a transition; False where there is no call to begin."""
        for op in ops:
            if op is Op.RESTORE:
                self._settle()
                continue
            if op is Op.PART:
                self._policy.part()
                continue
            decoder = self._call()
            if op is Op.CALL:
                if not decoder.call(self._policy):
                    return False
            elif op is Op.KEY:
                decoder.key(self._policy)
            elif op is Op.VALUE_END:
                decoder.value_end(self._policy)
            else:
                decoder.call_end(self._policy)
                self._decoder = None
        return True

    def _call(self) -> Decoder:
        """The call being read."""
        if self._decoder is None:
            assert self._codec is not None  # a table with call regions has a codec
            self._decoder = self._codec.start(self._context)
        return self._decoder
