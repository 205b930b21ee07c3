"""The region machine as data: what text means in a region, and what a marker does there.

A region says where its text goes (its sink) and what each live marker leads to. Text that may
turn out not to open a call is kept (`raw`) until that is known: in GAP, HOLD, CAPTURE and BODY.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from types import MappingProxyType
from typing import NamedTuple

from .scanner import Scanner, literal


class Sink(Enum):
    """Where the text of a region goes."""

    REASONING = auto()
    CONTENT = auto()
    GAP = auto()
    """Only white space belongs here and means nothing; other text moves to `otherwise`."""
    HOLD = auto()
    """A gap after a marker that is text again where no call follows."""
    START = auto()
    """No text belongs here, not even white space: a marker counts only at the very beginning."""
    NOTE = auto()
    """Text before a marker that says what follows: nothing then, else text of `otherwise`."""
    CAPTURE = auto()
    """A name, kept by the codec until a marker ends it."""
    VALUE = auto()
    """A value, which the codec streams until a marker ends it."""
    BODY = auto()
    """All of it is the codec's, which knows itself where its body ends."""


class Op(Enum):
    """What happens on the way to another region."""

    RESTORE = auto()
    """The raw text is what `otherwise` makes of text."""
    CALL = auto()
    """The captured text is the name of a call, which begins."""
    KEY = auto()
    """The captured text is the name of a parameter."""
    PART = auto()
    """A part of the output ends, or begins: a message, a section; see the format's policy."""
    VALUE_END = auto()
    CALL_END = auto()


class To(NamedTuple):
    """Where a marker leads.

    again: the marker is read once more in the new region, as text where it means nothing there.
    token: it counts only as the vocabulary's token where the vocabulary has one.
    """

    region: str
    do: tuple[Op, ...] = ()
    again: bool = False
    token: bool = False


def token(region: str, *do: Op, again: bool = False) -> To:
    """A marker that counts only as the vocabulary's token where the vocabulary has one."""
    return To(region, do, again, True)


# How a BODY can end, beside the markers in a region's table.
DONE = "\0done"
BROKEN = "\0broken"
REJECTED = "\0rejected"
STATUSES = frozenset((DONE, BROKEN, REJECTED))
"""The body is complete; is no more what the codec reads, after the call began, or before."""
ROUTED = "\0routed"
"""A region to go to: the one to which the status leads that the codec makes of the captured text
(`Decoder.route`); where it makes none, the text belongs to `otherwise`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """otherwise: where text leads that does not belong here.

    at_end: what happens where the output ends here.
    """

    sink: Sink
    on: Mapping[str, To] = field(default_factory=dict)
    otherwise: str = ""
    at_end: tuple[Op, ...] = ()
    in_call: bool = False


class Compiled(NamedTuple):
    """A region made ready for one vocabulary and one kind of request."""

    name: str
    sink: Sink
    texts: Mapping[str, To]  # markers that text may spell, as the scanner names them
    specials: Mapping[str, To]  # markers by their text, for pieces that are one token
    scanner: Scanner | None
    otherwise: str
    at_end: tuple[Op, ...]
    in_call: bool
    drops: frozenset[str]  # special tokens that mean nothing and vanish


def compiled(
    name: str, region: Region, vocab: Mapping[str, int], drops: frozenset[str]
) -> Compiled:
    statuses = {m: to for m, to in region.on.items() if m.startswith("\0")}
    markers = {m: to for m, to in region.on.items() if m not in statuses}
    spelt = {m: to for m, to in markers.items() if not (to.token and literal(m) in vocab)}
    texts = spelt | statuses
    return Compiled(
        name,
        region.sink,
        MappingProxyType(texts),
        MappingProxyType({literal(m): to for m, to in markers.items()}),
        Scanner(spelt) if spelt else None,
        region.otherwise,
        region.at_end,
        region.in_call,
        drops - {literal(m) for m in markers},
    )
