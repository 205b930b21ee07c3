"""One output being parsed: the loop that runs the four machines. Performs no I/O.

Text goes to the scanner, which finds the markers that are live in the region; the region says
where the text between them goes and what a marker leads to; the codec reads the call; the
policy decides what of it all the client sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .codecs.base import Codec, Decoder
from .context import Context
from .events import Event
from .limits import MAX_HEAD, MAX_SPACE
from .pieces import Piece
from .policy import Policy
from .regions import REJECTED, ROUTED, Compiled, Op, Sink, To
from .snapshot import Malformed, items, text, texts

SLICE = 4096
"""Longer text is read in slices, so that cutting at markers stays linear."""

_GAPS = frozenset((Sink.HOLD, Sink.GAP, Sink.START))
_OPENED = frozenset((Sink.HOLD, Sink.CAPTURE, Sink.BODY))
_UNDECIDED = _OPENED | _GAPS | {Sink.NOTE}


class Stream:
    """Made by `Format.start` or `Format.resume`; feed it, then finish it once."""

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

    @property
    def called(self) -> bool:
        """Whether a tool call has been emitted, for `finish_reason`."""
        return self._policy.called

    def feed(self, pieces: Iterable[Piece]) -> list[Event]:
        for piece in pieces:
            if type(piece) is not str:
                self._special(piece)
            elif len(piece) <= SLICE:
                self._text(piece)
            else:
                for at in range(0, len(piece), SLICE):
                    self._text(piece[at : at + SLICE])
        return self._policy.take()

    def finish(self, reason: str | None = None) -> list[Event]:
        """The output has ended, for whatever reason: what was held back is settled."""
        if self._region.sink in _GAPS:  # a marker cut short, if anything, is no text
            self._raw, self._held = self._raw + self._held, ""
        elif self._held:
            self._release()
        region = self._region
        if region.sink is Sink.BODY:
            decoder = self._call()
            if not decoder.finish(self._policy):
                self._policy.content(self._raw + decoder.raw)
        self._do(region.at_end)
        self._policy.finish()
        return self._policy.take()

    def snapshot(self) -> list[Any]:
        """The state after the last `feed`, JSON-able; see `snapshot.py`."""
        decoder = self._decoder and self._decoder.snapshot()
        return [self._held, [self._region.name, self._raw], decoder, self._policy.snapshot()]

    def restore(self, saved: object) -> None:
        """Take a snapshot's state; raises `Malformed`."""
        held, where, decoder, policy = items(saved, 4)
        name, raw = texts(where, 2)
        region = self._table.get(name)
        if region is None or (decoder is not None and not region.in_call):
            raise Malformed
        self._region, self._raw, self._held = region, raw, text(held)
        if decoder is not None and self._codec is not None:
            self._decoder = self._codec.resume(decoder, self._context)
        self._policy.restore(policy)

    def enter(self, region: str, lead: str) -> None:
        """Begin in this region, with text before the output."""
        self._region = self._table[region]
        self._held = lead
        self.began = region

    # Pieces

    def _text(self, text: str) -> None:
        """Text in which the live markers of the region count."""
        if self._held:
            text, self._held = self._held + text, ""
        while text:
            sink = self._region.sink
            if sink is Sink.BODY:
                text = self._body(text)
            elif sink in _GAPS:
                text = self._gap(text)
            else:
                text = self._run(text)

    def _special(self, piece: str) -> None:
        """One special token: it breaks what looked like a marker, and may be one itself."""
        if self._held:
            self._release()
        if piece in self._region.drops:
            return
        spelt = str(piece)
        to = self._region.specials.get(spelt)
        if to is not None:
            if self._follow(to, spelt):
                self._special(piece)
        elif self._region.sink in _GAPS:
            self._settle()
            self._special(piece)
        else:
            self._plain(spelt)

    def _release(self) -> None:
        """No more text comes to make a marker of what is held back, unless it is one already."""
        held, self._held = self._held, ""
        region = self._region
        found = region.scanner and region.scanner.match(held, final=True)
        if found:
            end, marker = found
            self._plain(self._follow(region.texts[marker], held[:end]) + held[end:])
        else:
            self._plain(held)

    def _plain(self, text: str) -> None:
        """Text that holds no marker."""
        while text:
            region = self._region
            if region.sink is Sink.BODY:
                self._text(text)
                return
            if region.sink in _GAPS:
                self._settle()
            else:
                text = self._sink(text)

    # Text by the sink of its region; each returns what is left of it

    def _run(self, text: str) -> str:
        """Text up to the next marker."""
        region = self._region
        if region.scanner is None:
            return self._sink(text)
        start, end, marker = region.scanner.search(text)
        left = self._sink(text[:start])
        if left:
            return left + text[start:]
        if marker:
            return self._follow(region.texts[marker], text[start:end]) + text[end:]
        self._held = text[start:]
        return ""

    def _gap(self, text: str) -> str:
        """White space is kept; a marker is followed; other text belongs to another region."""
        region = self._region
        rest = text if region.sink is Sink.START else text.lstrip()
        self._raw += text[: len(text) - len(rest)]
        room = len(self._raw) <= MAX_SPACE
        found = region.scanner.match(rest) if rest and room and region.scanner else None
        if found is not None:
            end, marker = found
            if marker:
                return self._follow(region.texts[marker], rest[:end]) + rest[end:]
            self._held = rest
            return ""
        if rest or not room:
            self._settle()
        return rest

    def _body(self, text: str) -> str:
        """The codec reads until its body ends."""
        decoder = self._call()
        ended = decoder.body(text, self._policy)
        if ended is None:
            return ""
        status, rest = ended
        if status == REJECTED:
            self._policy.content(self._raw + decoder.raw)
        self._raw = ""
        self._enter(self._region.texts[status].region, "")
        return rest

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

    # Regions

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
        raw = self._raw
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
