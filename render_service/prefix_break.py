"""Where a prompt leaves the sequence that an engine has cached, and in which message."""

from __future__ import annotations

from typing import NamedTuple

from .common_prefix import common_prefix
from .prefix_cause import Passage, cause_among, cause_in
from .prefix_output import Turn
from .prefix_prompts import Prompts

WINDOW = 12  # tokens shown of each side


class Side(NamedTuple):
    text: str
    ids: list[int]


class Break(NamedTuple):
    """position: tokens that are the same. message: index of the one that the break lies in.

    before: the last of the same tokens. cached, following: what comes then on either side.
    """

    position: int
    message: int
    role: str
    cause: str
    before: Side
    cached: Side
    following: Side


def find_break(prompts: Prompts, turn: Turn) -> Break | None:
    """None where the cached tokens are a prefix of the next prompt."""
    cached, following = turn.cached, turn.following.ids
    position = common_prefix(cached, following)
    if position == len(cached):
        return None
    text = prompts.text(cached)
    place = common_prefix(text, turn.following.text)
    ends = (len(prompts.text(ids[: position + 1])) for ids in (cached, following))
    retokenized = place >= max(ends)
    if retokenized:
        place = len(prompts.text(cached[:position]))
    index, start = _message_at(prompts, turn, place)
    if retokenized:
        cause = "retokenized"
    elif prompts.messages[index]["role"] == "assistant":
        cause = cause_in(_passage(prompts, turn, text, index, start, place), prompts.stops)
    else:
        cause = cause_among(prompts, turn)
    window = slice(position, position + WINDOW)
    sides = (cached[max(0, position - WINDOW) : position], cached[window], following[window])
    before, now, then = (Side(prompts.text(ids), ids) for ids in sides)
    return Break(position, index, prompts.messages[index]["role"], cause, before, now, then)


def _message_at(prompts: Prompts, turn: Turn, place: int) -> tuple[int, int]:
    """The message that a place of the cached text lies in, and where it begins."""
    messages = prompts.messages[: turn.answer]
    opening = prompts.opening(messages, turn.prompt)
    if place >= opening:
        return turn.answer, opening
    found = turn.answer - 1
    for index in reversed(range(len(messages))):
        end = prompts.end(messages, index, turn.prompt.text)
        if end is None:
            continue
        if end <= place:
            return found, end
        found = index
    return found, 0


def _passage(
    prompts: Prompts, turn: Turn, text: str, index: int, start: int, place: int
) -> Passage:
    newest = index == turn.answer
    before, until = prompts.messages[: turn.answer], prompts.messages[: turn.until]
    end = None if newest else prompts.end(before, index, turn.prompt.text)
    return Passage(
        message=prompts.messages[index],
        cached=text[start:end],
        following=turn.following.text[start : prompts.end(until, index, turn.following.text)],
        place=place - start,
        opened=len(turn.prompt.text) - start if newest else 0,
        given=newest and turn.output.source == "given",
    )
