"""A region of calls as a response template describes it: from its opening to its closing marker.

The opening marker is the first of the body, since a name may be in it. What is between them is
read by a codec of its own where it is JSON as it stands; else it waits for its end, as only then
is it known what it means, and it is content if it is no call. Where the request wants no calls all
of the region is content.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..context import Context
from ..events import Call
from ..needs import Reads
from ..patterns import Pattern
from ..policy import Policy
from ..regions import BROKEN, DONE, REJECTED
from ..response_values import PLACEHOLDER
from ..scanner import Scanner
from ..snapshot import Malformed, items, text
from .base import Codec, Decoder

OPENING, INSIDE, AFTER, STRAY = "^", "i", "a", "s"
"""The opening marker comes; the calls; the closing marker; the same, and there was other text."""

Groups = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseRegion(Codec):
    """closer: None where only the end of the output closes it. endings: see `Template.endings`."""

    decoder: ClassVar[type[RegionDecoder]]

    opener: Pattern
    closer: Scanner | None
    endings: tuple[tuple[str, str], ...] = ()

    def start(self, context: Context) -> Decoder:
        return (self.decoder if context.keeps_calls else TextDecoder)(self, context)

    def resume(self, saved: object, context: Context) -> Decoder:
        decoder = self.start(context)
        assert isinstance(decoder, RegionDecoder)
        decoder.take(saved)
        return decoder


class RegionDecoder(Decoder):
    """`opened` is the opening marker, until the call begins; `held` may be a part of a marker."""

    __slots__ = ("codec", "context", "groups", "held", "opened", "phase")

    def __init__(self, codec: Any, context: Context) -> None:
        self.codec = codec
        self.context = context
        self.phase = OPENING
        self.groups: Groups = {}
        self.raw = self.held = self.opened = ""

    def body(self, text: str, out: Policy) -> tuple[str, str] | None:
        text, self.held = self.held + text, ""
        if self.phase == OPENING:
            text = self._opens(text, out, final=False)
            if self.phase == OPENING:
                return (REJECTED, text) if text else None
        if self.phase == INSIDE:
            ended = self.inside(text, out)
            if ended is None or ended[0] != BROKEN:
                return ended
            self.phase, text = AFTER, ended[1]
        return self._after(text, out)

    def _opens(self, text: str, out: Policy, *, final: bool) -> str:
        """What follows the opening marker; text where there is none, which no format makes."""
        opener: Pattern = self.codec.opener
        found = opener.search(text, final=final, begins=True, anchored=True)
        if found is None:
            return text
        if found.end is None:
            self.held = text
            return ""
        self.phase, self.opened, self.groups = INSIDE, text[: found.end], found.groups
        self.begin(out)
        return text[found.end :]

    def begin(self, out: Policy) -> None:
        """The opening marker is whole."""

    def inside(self, text: str, out: Policy) -> tuple[str, str] | None:
        """Text between the markers. None: more is wanted; BROKEN: the closing marker is due."""
        raise NotImplementedError

    def ended(self, out: Policy) -> bool:
        """The output ends between the markers; False where it was no call, which `raw` then is."""
        raise NotImplementedError

    def upto_closer(self, text: str) -> tuple[str, str, str]:
        """Text before the closing marker, the marker or "", and what is left."""
        if self.codec.closer is None:
            return text, "", ""
        start, end, marker = self.codec.closer.search(text)
        if not marker:
            self.held = text[start:]
            return text[:start], "", ""
        return text[:start], text[start:end], text[end:]

    def _after(self, text: str, out: Policy) -> tuple[str, str] | None:
        before, marker, rest = self.upto_closer(text)
        self.stray(before, out)
        return (DONE, rest) if marker else None

    def stray(self, text: str, out: Policy) -> None:
        """Text beside calls; white space before it means nothing."""
        if self.phase != STRAY:
            text = text.lstrip()
            if text and self.phase == AFTER:
                self.phase = STRAY
        out.content(text)

    def finish(self, out: Policy) -> bool:
        ended: tuple[str, str] | None = None
        if self.phase == OPENING:
            text, self.held = self.held, ""
            text = self._opens(text, out, final=True)
            ended = (REJECTED, text) if self.phase == OPENING else self.body(text, out)
        begun = (rest for begun, rest in self.codec.endings if self.held.endswith(begun))
        if ended is None and (rest := next(begun, "")):
            ended = self.body(rest, out)
        if ended is None:
            return self.phase in (AFTER, STRAY) or self.ended(out)
        if ended[0] == REJECTED:
            self.raw += ended[1]
        else:
            out.content(ended[1])
        return ended[0] != REJECTED

    def snapshot(self) -> list[Any]:
        return [self.phase, self.held, self.opened, self.inner()]

    def take(self, saved: object) -> None:
        """Take a snapshot's state; raises `Malformed`."""
        phase, held, opened, inner = items(saved, 4)
        if phase not in (OPENING, INSIDE, AFTER, STRAY):
            raise Malformed
        self.phase, self.held, self.opened = phase, text(held), text(opened)
        if self.opened:
            opener: Pattern = self.codec.opener
            found = opener.search(self.opened, final=True, begins=True, anchored=True)
            self.groups = found.groups if found else {}
        self.restore(inner)

    def inner(self) -> Any:
        """What is between the markers so far, JSON-able; `restore` takes it back."""
        return None

    def restore(self, saved: Any) -> None:
        """Raises `Malformed`."""


class TextDecoder(RegionDecoder):
    """All of it is content."""

    __slots__ = ()

    def begin(self, out: Policy) -> None:
        out.content(self.opened)

    def inside(self, text: str, out: Policy) -> tuple[str, str] | None:
        before, marker, rest = self.upto_closer(text)
        out.content(before + marker)
        return (DONE, rest) if marker else None

    def ended(self, out: Policy) -> bool:
        out.content(self.held)
        return True


class PromptDecoder(RegionDecoder):
    """Calls of a prompt: all of the text is kept, as the output may go on with it."""

    __slots__ = ()

    def inside(self, text: str, out: Policy) -> tuple[str, str] | None:
        before, marker, rest = self.upto_closer(text)
        self.raw = (self.raw or self.opened) + before
        return (DONE, rest) if marker else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRegion(ResponseRegion):
    decoder = PromptDecoder

    def start(self, context: Context) -> Decoder:
        return PromptDecoder(self, context)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRegion(ResponseRegion):
    """Of a model whose calls nobody asks for."""

    decoder = TextDecoder

    def start(self, context: Context) -> Decoder:
        return TextDecoder(self, context)


class WholeDecoder(RegionDecoder):
    """All of it waits for the closing marker."""

    __slots__ = ("text",)

    def __init__(self, codec: WholeRegion, context: Context) -> None:
        super().__init__(codec, context)
        self.text = ""

    def inside(self, text: str, out: Policy) -> tuple[str, str] | None:
        before, marker, rest = self.upto_closer(text)
        self.text += before
        if not marker:
            return None
        return (DONE if self._called(marker, out) else REJECTED), rest

    def _called(self, marker: str, out: Policy) -> bool:
        """Make the calls, if the text is any."""
        calls = self.codec.read(self.text, self.groups, self.context)
        for name, arguments in calls:
            out.call(name)
            out.arguments(arguments)
        self.raw = self.opened + self.text + marker
        return bool(calls)

    def ended(self, out: Policy) -> bool:
        self.text += self.held
        return self._called("", out)

    def inner(self) -> str:
        return self.text

    def restore(self, saved: Any) -> None:
        self.text = text(saved)


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeRegion(ResponseRegion):
    """read: the calls that the text is, none where it is none."""

    decoder = WholeDecoder
    reads = Reads.TYPES

    read: Callable[[str, Groups, Context], list[Call]]


class StreamedDecoder(RegionDecoder):
    """Another codec reads what is between the markers, and knows where that ends."""

    __slots__ = ("content",)

    content: Decoder  # once the opening marker is whole

    def _told(self) -> Context:
        """The request with the tool that the opening marker names, until the call has begun."""
        if not self.opened:
            return self.context
        return replace(self.context, named_tool=named(self.codec.name, self.groups))

    def begin(self, out: Policy) -> None:
        self.content = self.codec.content.start(self._told())

    def inside(self, text: str, out: Policy) -> tuple[str, str] | None:
        ended = self.content.body(text, out)
        if ended is None or ended[0] != REJECTED:
            if text and not self.content.raw:
                self.opened = ""
            return ended and (BROKEN, ended[1])
        self.raw = self.opened + self.content.raw
        return ended

    def ended(self, out: Policy) -> bool:
        called = self.content.finish(out)
        self.raw = self.opened + self.content.raw
        return called

    def inner(self) -> Any:
        return self.content.snapshot() if self.phase == INSIDE else None

    def restore(self, saved: Any) -> None:
        if self.phase == INSIDE:
            self.content = self.codec.content.resume(saved, self._told())


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamedRegion(ResponseRegion):
    """name: see `named`; `content` reads a call of the tool that the context names."""

    decoder = StreamedDecoder

    content: Codec
    name: str = ""


def named(name: str, groups: Groups) -> str:
    """A name, or where it is "{GROUP}", what the group of the opening marker has."""
    return groups.get(name[1:-1], "") if PLACEHOLDER.fullmatch(name) else name
