"""What the engine wrote for an assistant message: the token IDs behind its prompt.

Given as `token_ids`, or derived from the message: rendered as the newest one, it shows how the
template writes an answer that the generation prompt opens. There the message's own reasoning,
content and arguments stand as the message has them, for templates trim and rewrite. The output
ends with a stop token: the one that the template writes, else the one that the next prompt goes
on with (GLM models stop at the next turn's header), else the model's end token.
"""

from __future__ import annotations

import json
from typing import Any, Literal, NamedTuple

from .common_prefix import common_prefix
from .errors import RequestError
from .messages import conversation
from .prefix_prompts import Message, Prompt, Prompts, calls_of

Source = Literal["given", "template", "estimated"]


class Output(NamedTuple):
    """source: `estimated` where the template does not write the newest answer as it begins it, or
    leaves a part of the message out; that part then stands where it would, without markers."""

    ids: list[int]
    source: Source


class Turn(NamedTuple):
    """answer: the assistant message's index. until: where the messages of the next prompt end.

    output: what the engine wrote behind the prompt. following: the next prompt.
    """

    answer: int
    until: int
    prompt: Prompt
    output: Output
    following: Prompt

    @property
    def cached(self) -> list[int]:
        return [*self.prompt.ids, *self.output.ids]


class _Text(NamedTuple):
    """end: where the last part of the message that was found ends. whole: all were found."""

    text: str
    end: int
    whole: bool


def output_of(prompts: Prompts, index: int, prompt: Prompt, following: Prompt) -> Output:
    """The output for message `index`. following: the prompt of the next turn."""
    message = prompts.messages[index]
    if message.get("token_ids") is not None:
        return Output(message["token_ids"], "given")
    tail, exact = _tail(prompts, index, prompt)
    written = _own_words(tail, message)
    text, ended = _ended(written, prompts, bool(calls_of(message)))
    ids = _continued(prompts, prompt, text)
    if not ended:
        ids += _stop_token(prompts, [*prompt.ids, *ids], following)
    return Output(ids, "template" if exact and written.whole else "estimated")


def parts_of(message: Message) -> tuple[str, str]:
    """Reasoning and content, as text."""
    reasoning = message.get("reasoning")
    content = conversation([message], content_format="string")[0]["content"]
    return reasoning if isinstance(reasoning, str) else "", content or ""


def _tail(prompts: Prompts, index: int, prompt: Prompt) -> tuple[str, bool]:
    """What the template writes behind the prompt, and whether it keeps all of the prompt."""
    messages = prompts.messages
    try:
        whole = prompts.render(messages[: index + 1], opening=False)
    except RequestError:
        return "", False
    if whole.text.startswith(prompt.text):
        return whole.text[len(prompt.text) :], True
    shared = common_prefix(whole.ids, prompt.ids)
    kept = len(prompts.text(whole.ids[:shared]))
    if kept < prompts.opening(messages[:index], prompt):
        return "", False  # more than the opening differs: what is the answer's cannot be told
    return whole.text[kept:], False


def _own_words(tail: str, message: Message) -> _Text:
    text, at, missing = tail, 0, ""
    for part in filter(str.strip, parts_of(message)):
        if (found := text.find(part, at)) >= 0:
            at = found + len(part)
        elif (found := text.find(part.strip(), at)) >= 0:
            text, at = _spaced(text, found, part)
        else:
            text, at, missing = text[:at] + part + text[at:], at + len(part), part
    for function in (call["function"] for call in calls_of(message)):
        name, arguments = function["name"], function["arguments"]
        if text.find(name, at) >= 0:
            text, at = _with_arguments(text, at, arguments)
        else:
            missing = f"{name}{arguments}"
            text, at = text[:at] + missing + text[at:], at + len(missing)
    return _Text(text, at, not missing)


def _spaced(text: str, at: int, part: str) -> tuple[str, int]:
    """The text with the part's own white space around its core, which is at `at`; the core's end.

    White space that the template writes there itself is the part's as far as they agree.
    """
    core = part.strip()
    lead, _, trail = part.partition(core)
    before, after = text[:at], text[at + len(core) :]
    head, rest = before.rstrip(), after.lstrip()
    space, more = before[len(head) :], after[: len(after) - len(rest)]
    if not space.endswith(lead):
        space = lead if lead.endswith(space) else space + lead
    if not more.startswith(trail):
        more = trail if trail.startswith(more) else trail + more
    return head + space + core + more + rest, len(head + space + core + trail)


def _with_arguments(text: str, at: int, arguments: str) -> tuple[str, int]:
    """The text with a call's arguments as the message spells them, and their end.

    Formats that do not write arguments as JSON stay as they are.
    """
    found = _find_object(text, at, arguments)
    if found is None:
        return text, at
    start, end = found
    arguments = arguments.strip()
    return text[:start] + arguments + text[end:], start + len(arguments)


def _find_object(text: str, at: int, arguments: str) -> tuple[int, int] | None:
    """Where an equal JSON object is, however it is spaced."""
    decoder = json.JSONDecoder()
    try:
        wanted: Any = json.loads(arguments)
    except (ValueError, RecursionError):
        return None
    while isinstance(wanted, dict) and (at := text.find("{", at)) >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            value, end = None, 0
        if value == wanted:
            return at, end
        at += 1
    return None


def _ended(written: _Text, prompts: Prompts, called: bool) -> tuple[str, bool]:
    """Cut behind the stop token; where there is none, without what closes the turn."""
    text, end, _ = written
    found = [(at, stop) for stop in prompts.stops.values() if (at := text.find(stop, end)) >= 0]
    if found:
        at, stop = min(found)
        return text[: at + len(stop)], True
    return text[: max(end, len(text.rstrip()) if called else 0)], False


def _continued(prompts: Prompts, prompt: Prompt, text: str) -> list[int]:
    """The IDs of a text behind a prompt whose last tokens do not change any more."""
    whole, length = prompts.encode(prompt.text + text), len(prompt.ids)
    return whole[length:] if whole[:length] == prompt.ids else prompts.encode(text)


def _stop_token(prompts: Prompts, cached: list[int], following: Prompt) -> list[int]:
    length = len(cached)
    ahead = following.ids[length : length + 1]
    if following.ids[:length] == cached and ahead and ahead[0] in prompts.stops:
        return ahead
    primary = prompts.model.generation.eos_token_id
    return [] if primary is None else [primary]
