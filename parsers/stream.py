"""One output being parsed: the loop that runs the four machines. Performs no I/O.

Text goes to the scanner, which finds the markers that are live in the region; the region says
where the text between them goes and what a marker leads to; the codec reads the call; the
policy decides what of it all the client sees.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .events import Event
from .limits import MAX_SPACE
from .pieces import Piece
from .region_machine import GAPS, RegionMachine
from .regions import REJECTED, Sink
from .snapshot import Malformed, items

SLICE = 4096
"""Longer text is read in slices, so that cutting at markers stays linear."""


class Stream(RegionMachine):
    """Made by `Format.start` or `Format.resume`; feed it, then finish it once."""

    __slots__ = ()

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
        if self._region.sink in GAPS:  # a marker cut short, if anything, is no text
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
        name, raw = items(where, 2)
        region = self._table.get(name) if isinstance(name, str) else None
        if region is None or not (isinstance(held, str) and isinstance(raw, str)):
            raise Malformed
        if decoder is not None and not region.in_call:
            raise Malformed
        self._region, self._raw, self._held = region, raw, held
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
            elif sink in GAPS:
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
        elif self._region.sink in GAPS:
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
            if region.sink in GAPS:
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
