"""Why a prompt leaves the cached sequence.

A cause is named only where the texts show it: reasoning that is not there any more, content that
is not there as it was. Else it is `unknown`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .errors import RequestError
from .prefix_output import Turn, parts_of
from .prefix_prompts import Message, Prompts, calls_of

CAUSES = {
    "reasoning_dropped": "the template leaves the reasoning out",
    "reasoning_changed": "the reasoning, or what encloses it, is written otherwise",
    "content_changed": "the content, or white space around it, is trimmed or written otherwise",
    "tool_call_changed": "the tool call is written anew, not as the model wrote it",
    "end_of_turn": "the token that ended the output is missing, or another one",
    "opening_changed": "older answers are opened otherwise than the newest",
    "tools_changed": "the tools are written elsewhere or otherwise",
    "system_changed": "the system message is written elsewhere or otherwise",
    "tools_and_system_changed": "tools and system message are written elsewhere or otherwise",
    "message_edited": "the message does not say what the output says",
    "retokenized": "the same text has other token IDs",
    "unknown": "unknown",
}
SYSTEM = ("system", "developer")


class Passage(NamedTuple):
    """An assistant message in the cached text and in that of the next prompt.

    place: up to where both are the same. opened: the length of the generation prompt in it.
    given: the output's real tokens are known.
    """

    message: Message
    cached: str
    following: str
    place: int
    opened: int
    given: bool


def cause_in(passage: Passage, stops: Mapping[int, str]) -> str:
    """stops: tokens that end an output."""
    message, cached, following, place, opened, given = passage
    if given and parts_of(message)[1].strip() not in cached:
        return "message_edited"
    stop = next((text for text in stops.values() if cached.endswith(text)), "")
    end = len(cached) - len(stop)
    parts = list(_parts(message, cached[:end], following))
    if parts and parts[0].cause == "reasoning_dropped" and place <= parts[0].end:
        return "reasoning_dropped"
    if place < opened:
        return "opening_changed"
    for number, part in enumerate(parts):
        if place < part.start and part.kept:
            return "unknown" if number else "opening_changed"
        if place < part.end or (place == part.end and _spaced_at(place, cached, following)):
            return part.cause
    return "end_of_turn" if stop and place >= end else "unknown"


class _Part(NamedTuple):
    """Where a part of a message is in the text; kept: the next prompt has it as it was."""

    cause: str
    start: int
    end: int
    kept: bool


def _parts(message: Message, cached: str, following: str) -> Iterator[_Part]:
    """Those that can be found, in order."""
    at = 0
    reasoning, content = parts_of(message)
    for name, text in (("reasoning", reasoning.strip()), ("content", content)):
        start = cached.find(text, at)
        if not text or start < 0:
            continue
        at = start + len(text)
        kept = text in following
        dropped = name == "reasoning" and not kept
        yield _Part("reasoning_dropped" if dropped else f"{name}_changed", start, at, kept)
    calls = calls_of(message)
    start = cached.find(calls[0]["function"]["name"], at) if calls else -1
    if start >= 0:
        brace = cached.rfind("{", at, start)  # of a call that is one JSON object
        start = brace if brace >= 0 else start
        yield _Part("tool_call_changed", start, len(cached), cached[start:] in following)


def _spaced_at(place: int, *texts: str) -> bool:
    return any(text[place : place + 1].isspace() for text in texts)


def cause_among(prompts: Prompts, turn: Turn) -> str:
    """For a break in what no model wrote: that without which the next prompt would keep it."""
    system = _system_moves(prompts, turn)
    tried = (
        ("tools_changed", prompts.has_tools, False),
        ("system_changed", False, system),
        ("tools_and_system_changed", prompts.has_tools and system, system),
    )
    for cause, no_tools, no_system in tried:
        if (no_tools or no_system) and _keeps(prompts, turn, no_tools, no_system):
            return cause
    return "unknown"


def _system_moves(prompts: Prompts, turn: Turn) -> bool:
    """Whether a system message is at another place in the next prompt."""
    texts = [
        parts_of(message)[1].strip()
        for message in prompts.messages[: turn.until]
        if message["role"] in SYSTEM
    ]
    old, new = turn.prompt.text, turn.following.text
    return any(old.find(text) != new.find(text) for text in texts)


def _keeps(prompts: Prompts, turn: Turn, no_tools: bool, no_system: bool) -> bool:
    """Whether the prompt without these begins the next one without them."""

    def render(until: int, opening: bool) -> str:
        messages = prompts.messages[:until]
        if no_system:
            messages = [message for message in messages if message["role"] not in SYSTEM]
        return prompts.render(messages, opening=opening, tools=not no_tools).text

    try:
        return render(turn.until, True).startswith(render(turn.answer, False))
    except RequestError:
        return False
