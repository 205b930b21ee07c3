"""What the parser tests share: recorded answers, pieces, requests, and running a stream."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import parsers
from parsers import Context, Event, Format, Piece, Special, Tool
from parsers.format import joined

GOLDEN = Path(__file__).parent.parent / "golden" / "parsers"
FILES = sorted(path.stem for path in GOLDEN.glob("*.jsonl"))

Record = dict[str, Any]
Joined = tuple[str, str, list[tuple[str, str]]]


@cache
def recorded(file: str) -> tuple[Record, tuple[Record, ...]]:
    """The facts about the vocabulary, and the cases, of a golden file."""
    with (GOLDEN / f"{file}.jsonl").open(encoding="utf-8") as lines:
        facts, *cases = map(json.loads, lines)
    for case in cases:
        if case["request"].get("tools"):
            case["request"]["tools"] = facts["tools"]
    return facts, tuple(cases)


@cache
def format_of(file: str) -> Format:
    """The format that a golden file was recorded for."""
    facts, _ = recorded(file)
    texts = facts.get("texts", {})
    return parsers.load(
        facts["tool"],
        facts["reasoning"],
        facts["vocab"],
        facts["special_ids"],
        response_template=facts.get("response_template"),
        decode=lambda ids: "".join(texts[str(token)] for token in ids),
    )


def pieces_of(case: Record, fmt: Format) -> list[Piece]:
    """The case's pieces as the detokenizer makes them: Special where the format asks for it."""
    specials = set(fmt.specials.values())
    return [
        piece if isinstance(piece, str) else Special(piece[0]) if piece[0] in specials else piece[0]
        for piece in case["pieces"]
    ]


def context_of(request: dict[str, Any]) -> Context:
    tools = request.get("tools", ())
    choice = request.get("tool_choice", "auto" if tools else "none")
    named = choice["function"]["name"] if isinstance(choice, dict) else None
    return Context(
        tools=tuple(Tool(t["function"]["name"], t["function"].get("parameters")) for t in tools),
        tool_choice="named" if named else choice,
        named_tool=named,
        parallel_tool_calls=request.get("parallel_tool_calls", True),
        include_reasoning=request.get("include_reasoning", True),
        template_kwargs=request.get("chat_template_kwargs", {}),
    )


def added(events: Iterable[Event]) -> Joined:
    """Reasoning, content and calls that events add up to."""
    reasoning, content, calls = joined(events)
    return reasoning, content, [(call.name, call.arguments) for call in calls]


def streamed(
    fmt: Format,
    context: Context,
    prompt: Sequence[int] | None,
    chunks: Iterable[Sequence[Piece]],
    *,
    resumed: bool = False,
    reason: str | None = "stop",
) -> Joined:
    """Feed the chunks; `resumed`: through a JSON round trip of the snapshot after each, with as
    much of the context as the format needs.
    """
    stream = fmt.start(context, prompt)
    needed = fmt.needs(context)
    events: list[Event] = []
    for chunk in chunks:
        events += stream.feed(chunk)
        if resumed:
            stream = fmt.resume(json.loads(json.dumps(stream.snapshot())), needed)
    return added(events + stream.finish(reason))


def characters(pieces: Iterable[Piece]) -> list[Piece]:
    """The same output in the smallest pieces."""
    return [
        part
        for piece in pieces
        for part in ([piece] if isinstance(piece, Special) else list(piece))
    ]


def whole(case: Record) -> Any:
    """vLLM's whole answer."""
    return case["batch"]


def is_streamed(ours: Any, case: Record) -> bool:
    """Whether vLLM gives this answer for some way of cutting the output."""
    return any(ours == streamed for streamed in case["stream"].values())


def answer(file: str, case: Record) -> Any:
    """Our whole answer, in the recording's shape."""
    fmt, context = format_of(file), context_of(case["request"])
    result = fmt.parse(pieces_of(case, fmt), context, case["prompt_ids"], case["finish_reason"])
    return {
        "reasoning": result.reasoning,
        "content": result.content,
        "calls": [list(call) for call in result.calls],
        "finish_reason": finish_reason(case, bool(result.calls)),
    }


def finish_reason(case: Record, called: bool) -> str:
    """vLLM's rule (`resolve_finish_reason`): tool_calls unless cut short or the tool was named."""
    reason = str(case["finish_reason"])
    named = isinstance(case["request"].get("tool_choice"), dict)
    return "tool_calls" if called and reason == "stop" and not named else reason
