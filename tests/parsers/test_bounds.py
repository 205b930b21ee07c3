"""Property 3 against outputs without end: wherever in a call they begin, the state stays small.

A state is at most 1 KiB beside the one value that cannot be streamed, and what passes a bound
goes out by the text alone, however it is cut.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from random import Random

import pytest

import parsers
from parsers import Context, Event, Format, Piece, Special
from parsers.codecs.base import Decoder
from parsers.codecs.dsml import DsmlDecoder
from parsers.codecs.elements import ElementsDecoder
from parsers.codecs.json_object import ARGUMENTS, VALUE, ObjectDecoder
from parsers.codecs.loose_object import LooseDecoder
from parsers.codecs.pythonic import PythonicDecoder
from parsers.codecs.response_region import INSIDE, StreamedDecoder, WholeDecoder
from parsers.codecs.response_tags import TagsDecoder
from parsers.codecs.tagged_parameters import TaggedDecoder
from parsers.codecs.xtml import XtmlDecoder
from parsers.registry import TOOL_FORMATS

from .bits import (
    SPECIAL_IDS,
    SPECIALS,
    TOOLS,
    load,
    markup_of,
    pieces_from,
    seen,
    think_tags,
    write_call,
)
from .support import added

BOUND = 1024
LONG = 900
CHUNK = 90
SAMPLE = 60
"""Of the places and fillers of each name; `python -m tests.long.parser_bounds` takes all."""

CONTEXTS = (
    Context(tools=TOOLS, tool_choice="auto"),
    Context(tools=TOOLS, tool_choice="required"),
    Context(tools=TOOLS, tool_choice="named", named_tool="look"),
)
# Beside the markup of each name.
FILLERS = (
    "n", " ", "\n", "7", "-", '"', "'", "\\", "\\u00e9", "\\ud83d", "{", "[", "(", '{"a":', '"a": ',
    '"a": 1, ', "a=", "a: ", "[{", "<", "</", "&#1", "`", "]", "}", '{"arguments": ', ", ", "=",
)  # fmt: skip
_PLACES = re.compile(r"\w+|\s+|[^\w\s]+")


def value_held(decoder: Decoder | None) -> list[str]:
    """The text of the value that cannot be streamed: this says all that may be held whole."""
    match decoder:
        case ObjectDecoder():  # arguments before the name
            waits = decoder.name is None and decoder.role == ARGUMENTS and decoder.phase == VALUE
            place = (decoder.begins, len(decoder.raw)) if waits else decoder.early
            return [decoder.raw[slice(*place)]]
        case TaggedDecoder():  # has a type, which the end tells
            return [] if decoder.streams else [decoder.held]
        case DsmlDecoder():
            return [decoder.wrapped, "" if decoder.streams else decoder.held]
        case XtmlDecoder():
            return [] if decoder.streams else [decoder.held]
        case LooseDecoder():
            return [decoder.kept]
        case ElementsDecoder():  # a name that repeats makes a list
            return [decoder.text]
        case WholeDecoder():  # only its end says what it means
            return [decoder.text]
        case TagsDecoder():
            return value_held(decoder.tagged)
        case StreamedDecoder() if decoder.phase == INSIDE:
            return value_held(decoder.content)
        case PythonicDecoder() if decoder.reader:  # the first item says what the bracket is
            return decoder.reader.held
    return []


def size_of(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode())


def check(fmt: Format, context: Context, pieces: list[Piece]) -> int:
    """Fed in chunks, each resumed, and as a whole: the largest state without its value."""
    stream = fmt.start(context, None)
    events: list[Event] = []
    largest = 0
    for piece in pieces:
        for part in [piece] if isinstance(piece, Special) else _parts(piece):
            events += stream.feed([part])
            state = stream.snapshot()
            size = size_of(state) - sum(map(size_of, value_held(stream._decoder)))
            assert size <= BOUND, json.dumps(state)[:3000]
            largest = max(largest, size)
            stream = fmt.resume(state, context)
    whole = fmt.start(context, None)
    assert added(events + stream.finish()) == added(whole.feed(pieces) + whole.finish())
    return largest


def _parts(text: str) -> Iterator[str]:
    return (text[at : at + CHUNK] for at in range(0, len(text), CHUNK))


def endless(tool: str | None, reasoning: str | None, fmt: Format) -> Iterator[list[Piece]]:
    """Each beginning of an output with each filler behind it."""
    vocab = seen(fmt, SPECIALS)
    opens, closes = think_tags(reasoning) if reasoning else ("", "")
    call = write_call(tool, "look", {"text": "a", "days": 7, "where": {"b": [1]}}) if tool else ""
    text = f"{opens}a{closes}\n{call}\n"
    markup = markup_of(tool, reasoning)
    fillers = dict.fromkeys((*FILLERS, *markup, *(m[: len(m) // 2] for m in markup)))
    for place in [0, *(found.end() for found in _PLACES.finditer(text))]:
        start = pieces_from(text[:place], vocab)
        for filler in filter(None, fillers):
            yield start + pieces_from(filler * (LONG // len(filler)), vocab)


def sampled(outputs: Iterator[list[Piece]]) -> list[list[Piece]]:
    every = list(outputs)
    return Random(1).sample(every, min(SAMPLE, len(every)))


def contexts_of(tool: str | None) -> tuple[Context, ...]:
    """One for each way that the name's calls are read."""
    form = TOOL_FORMATS.get(tool or "")
    return CONTEXTS[: 1 + len(form.forced if form else ())]


@pytest.mark.parametrize("tool", parsers.names()["tool"])
def test_calls_without_end(tool: str) -> None:
    fmt = load(tool, None, SPECIALS, SPECIAL_IDS)
    for context in contexts_of(tool):
        for pieces in sampled(endless(tool, None, fmt)):
            check(fmt, context, pieces)


@pytest.mark.parametrize("reasoning", parsers.names()["reasoning"])
def test_reasoning_without_end(reasoning: str) -> None:
    fmt = load(None, reasoning, SPECIALS, SPECIAL_IDS)
    for pieces in sampled(endless(None, reasoning, fmt)):
        check(fmt, CONTEXTS[0], pieces)
