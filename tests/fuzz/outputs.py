"""Targets of the parsing library: parser names, snapshots, response templates, patterns."""

from __future__ import annotations

import json
from functools import cache
from itertools import product
from random import Random
from zlib import crc32

import parsers
from parsers import Context, Format, Piece
from parsers.pattern_syntax import parsed
from parsers.patterns import Pattern
from parsers.response_format import TemplateFormat
from parsers.response_template import load_template
from tests.parsers import bits, random_outputs
from tests.parsers.families import response_template as samples
from tests.parsers.support import streamed

from .bodies import outcome
from .target import Target

CHOICES = ("auto", "none", "required", "named")
HELD = 4096
"""Bytes of a snapshot beside what it holds of the text."""
TEMPLATES = (samples.JSON, samples.CODER, samples.NAMED, samples.REST)


def names() -> list[tuple[str | None, str | None]]:
    known = parsers.names()
    alone = [(tool, None) for tool in known["tool"]] + [(None, name) for name in known["reasoning"]]
    both = [(name, name) for name in known["tool"] if name in known["reasoning"]]
    return [*alone, *both, ("hermes", "qwen3")]


@cache
def loaded(tool: str | None, reasoning: str | None) -> Format:
    return bits.load(tool, reasoning, bits.SPECIALS, bits.SPECIAL_IDS)


def head(tool: str | None, reasoning: str | None, choice: str) -> bytes:
    return f"{tool or '-'} {reasoning or '-'} {choice}".encode()


def read_head(line: bytes) -> tuple[Format, Context] | None:
    """None for a line that names no parser."""
    tool, reasoning, choice = (word if word != "-" else None for word in line.decode().split())
    if (tool, reasoning) not in _KNOWN or choice not in CHOICES:
        return None
    context = Context(tools=bits.TOOLS, tool_choice=choice, named_tool="look")
    return loaded(tool, reasoning), context


_KNOWN = frozenset(names())
HEADS = [head(*pair, choice) for pair, choice in product(names(), CHOICES)]


def feed(data: bytes) -> str:
    """The same result whole and in chunks, with a resumed snapshot after each; bounded states."""
    line, _, body = data.partition(b"\n")
    if (found := read_head(line)) is None:
        return "no such parser"
    fmt, context = found
    pieces = pieces_of(body)
    whole = streamed(fmt, context, None, [pieces])
    chunks = random_outputs.cut(Random(crc32(data)), pieces)[:64]
    rest = pieces_after(chunks, pieces)
    again = streamed(fmt, context, None, [*chunks, rest], resumed=True)
    assert again == whole, f"cut: {again!r}, whole: {whole!r}"
    stream = fmt.start(context)
    stream.feed(pieces)
    assert len(json.dumps(stream.snapshot())) < HELD + 6 * len(body)
    thought, said, calls = whole
    return f"{line.decode()} {bool(thought)} {bool(said)} {min(len(calls), 2)}"


def pieces_of(body: bytes) -> list[Piece]:
    return bits.pieces_from(body.decode(errors="replace"), bits.SPECIALS)


def pieces_after(chunks: random_outputs.Chunks, pieces: list[Piece]) -> list[Piece]:
    """What is left of the pieces behind the chunks."""
    gone = sum(len(piece) for part in chunks for piece in part)
    rest: list[Piece] = []
    for piece in pieces:
        size = len(piece)
        if gone >= size:
            gone -= size
        else:
            rest.append(piece[gone:] if gone else piece)
            gone = 0
    return rest


def resume(data: bytes) -> str:
    """A snapshot that a client altered is refused, or harmless."""
    line, _, body = data.partition(b"\n")
    if (found := read_head(line)) is None:
        return "no such parser"
    fmt, context = found
    try:
        state = json.loads(body)
    except (ValueError, RecursionError):
        return "no JSON"
    try:
        stream = fmt.resume(state, context)
    except ValueError as error:
        return outcome(error)
    events = stream.feed(pieces_of(b'x": 1}}</tool_call> <tool_call>{"name": "run"}</think> a'))
    json.dumps(stream.snapshot())
    ended = stream.finish("stop")
    return f"{line.decode()} {len(events) > 0} {len(ended) > 0}"


def read_template(data: bytes) -> str:
    """A response template in the first line, and an output that it reads."""
    line, _, body = data.partition(b"\n")
    try:
        source = json.loads(line)
    except (ValueError, RecursionError):
        return "no JSON"
    try:
        template = load_template(source)
        fmt = TemplateFormat(template, "hf", "hf", None)
    except parsers.ResponseTemplateError as error:
        return outcome(error)
    text = body.decode(errors="replace")
    context = Context(tools=bits.TOOLS)
    whole = streamed(fmt, context, None, [[text]])
    half = [[text[: len(text) // 2]], [text[len(text) // 2 :]]]
    assert streamed(fmt, context, None, half, resumed=True) == whole
    return f"{sorted(template.fields)} {[bool(part) for part in whole]}"


def search(data: bytes) -> str:
    """A pattern in the first line, and a text to find it in."""
    line, _, body = data.decode(errors="replace").partition("\n")
    try:
        pattern = Pattern(parsed(line), line)
    except ValueError as error:
        return outcome(error)
    found = pattern.search(body, final=True)
    return f"{found is not None} {len(pattern.names)} {found and found.end == len(body)}"


def targets() -> dict[str, Target]:
    return {
        "parsers": _parsers(),
        "snapshots": _snapshots(),
        "response-template": Target(
            read_template,
            [json.dumps(each).encode() + b"\n<think>a</think>b" for each in TEMPLATES],
            [b"<tool_call>", b"</tool_call>", b'"name"', b"<fn run>", b"</fn>", b"RUN ", b"x=1;"],
            [json.dumps(each).encode() for each in TEMPLATES],
        ),
        "response-template-source": Target(
            read_template, [json.dumps(each).encode() for each in TEMPLATES]
        ),
        "pattern": Target(
            search,
            [
                rb"\s*<fn (?P<name>[^>]+)>" + b"\n  <fn a>",
                b"(?:a|b)+c?\naabc",
                b"[a-z]{2,3}(?=x)\nabx",
            ],
            [
                rb"\s",
                b"(?P<n>",
                b"(?:",
                b")",
                b"|",
                b"*",
                b"+?",
                b"{2,}",
                b"[^",
                b"]",
                b"(?=",
                b"$",
            ],
        ),
    }


def _parsers() -> Target:
    rng = Random(1)
    seeds, words = [], set[str]()
    for tool, reasoning in names():
        words.update(bits.markup_of(tool, reasoning))
        text = random_outputs.well_formed(rng, tool, reasoning)
        seeds.append(head(tool, reasoning, "auto") + b"\n" + text.encode())
    words.update((*bits.WORDS, *bits.MARKUP, *bits.SPECIALS))
    return Target(feed, seeds, sorted(word.encode() for word in words if word), HEADS)


def _snapshots() -> Target:
    rng = Random(1)
    seeds = []
    for tool, reasoning in names():
        stream = loaded(tool, reasoning).start(Context(tools=bits.TOOLS))
        text = random_outputs.well_formed(rng, tool, reasoning)
        stream.feed(pieces_of(text[: len(text) // 2].encode()))
        state = json.dumps(stream.snapshot()).encode()
        seeds.append(head(tool, reasoning, "auto") + b"\n" + state)
    return Target(resume, seeds, [], HEADS)
