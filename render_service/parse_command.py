"""`render-service parse ... < output.txt`: what a parser makes of a saved output, as it comes.

Each chunk goes through resume, feed and snapshot, as the service does with a stream.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from parsers import Context, Event, Result, Tool, ToolCall
from parsers.format import joined

from .command_parser import CommandParser
from .option_types import integer, json_object
from .parse_input import Names, Source, from_model, from_text
from .parse_screen import EventScreen, as_json
from .stdout import reader_may_leave
from .usage_error import UsageError, read_given

_ANY = (Tool("any", None),)
"""What a request offers where none is told: a tool, so that calls are read."""
_CHOICES = ("none", "auto", "required")

EPILOG = """\
Without --model a token is a character, or a marker that is one token for models of this format.
Colours only on a terminal, and not where NO_COLOR is set."""


def add_arguments(parser: CommandParser) -> None:
    parser.usage = f"{parser.prog} [flags] < OUTPUT"
    parser.epilog = EPILOG
    add = parser.add_argument
    add("--tool-call-parser", metavar="NAME", default=None, help="See `render-service parsers`.")
    add("--reasoning-parser", metavar="NAME", default=None, help="At least one of both.")
    add(
        "--model",
        default=None,
        help="Folder or hub ID: read as this model's tokens. hf and beam need it.",
    )
    add(
        "--tools",
        metavar="FILE",
        default=None,
        help="JSON list of the request's tools, or the request. Default: a tool without schema.",
    )
    add(
        "--tool-choice",
        metavar="CHOICE",
        default="auto",
        help="none, auto, required or the name of a tool. Default: auto.",
    )
    add(
        "--template-kwargs",
        metavar="JSON",
        default="{}",
        help='The request\'s template arguments, as {"enable_thinking": false}.',
    )
    add(
        "--prompt",
        metavar="FILE|TEXT",
        default=None,
        help="The rendered prompt. Without it, reasoning is taken to be open.",
    )
    add("--chunk", metavar="N", default="1", help="Tokens a chunk. Default: 1.")
    add("--json", action="store_true", default=False, help="Print JSON instead of text.")
    parser.add_json_flags(["--template-kwargs"])


def run(args: argparse.Namespace) -> int:
    """Raises UsageError."""
    names = Names(args.tool_call_parser or None, args.reasoning_parser or None)
    if not any(names):
        raise UsageError("--tool-call-parser or --reasoning-parser is needed")
    context = _context(args)
    size = _read(integer(1), "--chunk", args.chunk)
    prompt = None if args.prompt is None else _prompt(args.prompt)
    text = _utf8("the output", sys.stdin.buffer.read())
    if not text:
        raise UsageError("no output came on standard input (render-service parse ... < OUTPUT)")
    if args.model is None:
        source = from_text(names, text, prompt, size)
    else:
        source = from_model(args.model, names, text, prompt, size)
    with reader_may_leave():
        (_print_json if args.json else _show)(source, context)
    return 0


def _events(source: Source, context: Context) -> Iterator[tuple[int, Event | None, int]]:
    """The number of the chunk, an event or None for the chunk itself, the size of the state."""
    stream = source.format.start(context, source.prompt)
    at = 0
    for at, chunk in enumerate(source.chunks, 1):
        for event in stream.feed(chunk):
            yield at, event, 0
        state = stream.snapshot()
        yield at, None, len(json.dumps(state, ensure_ascii=False).encode())
        stream = source.format.resume(state, context)
    for event in stream.finish("stop"):
        yield at, event, 0


def _result(events: list[Event]) -> Result:
    reasoning, content, calls = joined(events)
    return Result(reasoning or None, content or None, calls)


def _show(source: Source, context: Context) -> None:
    screen = EventScreen(sys.stdout)
    screen.heading()
    events: list[Event] = []
    chunks = state = 0
    for chunks, event, size in _events(source, context):
        state = max(state, size)
        if event is not None:
            events.append(event)
            screen.event(chunks, event)
    screen.result(_result(events), f"{chunks} chunks of {source.unit}, state at most {state} bytes")


def _print_json(source: Source, context: Context) -> None:
    found: list[Event] = []
    shown: list[dict[str, Any]] = []
    for chunk, event, _ in _events(source, context):
        if event is not None:
            found.append(event)
            shown.append({"chunk": chunk, **as_json(event)})
    result = _result(found)
    ids = [event.id for event in found if isinstance(event, ToolCall)]
    whole = {
        "reasoning": result.reasoning,
        "content": result.content,
        "calls": [
            call._asdict() | ({"id": given} if given else {})
            for call, given in zip(result.calls, ids, strict=True)
        ],
    }
    print(json.dumps({"events": shown, "result": whole}, ensure_ascii=False, indent=2))


# Arguments


def _context(args: argparse.Namespace) -> Context:
    tools = _ANY if args.tools is None else _tools(args.tools)
    named = None if args.tool_choice in _CHOICES else args.tool_choice
    return Context(
        tools=tools,
        tool_choice=args.tool_choice if named is None else "named",
        named_tool=named,
        template_kwargs=_read(json_object, "--template-kwargs", args.template_kwargs),
    )


def _read(reader: Any, flag: str, word: str) -> Any:
    try:
        return reader(word)
    except ValueError as error:
        raise UsageError(f"{flag}: {error}") from None


def _tools(path: str) -> tuple[Tool, ...]:
    try:
        value = json.loads(_utf8(path, read_given(path)))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--tools: {path} is not JSON: {error}") from None
    if isinstance(value, dict):
        value = value.get("tools")
    try:
        functions = [tool.get("function", tool) for tool in value]
        return tuple(Tool(str(f["name"]), f.get("parameters")) for f in functions)
    except (AttributeError, KeyError, TypeError):
        raise UsageError(f"--tools: {path} holds no list of tools with names") from None


def _prompt(word: str) -> str:
    """The file's text where there is one of this name, else the word."""
    try:
        is_file = Path(word).is_file()
    except (OSError, ValueError):  # too long for a name, or with a NUL
        is_file = False
    return _utf8(word, read_given(word)) if is_file else word


def _utf8(what: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{what} is not UTF-8 text: {error}") from None
