"""The whole output of a model as its response template has it, as a structural tag.

Rule: reasoning, then calls or an answer. Calls to other functions than the tools' are possible
where the model may answer, with any arguments, so that it can be told that there is none. An output
may end without the last closing text, as a stop token takes its place. Source: vLLM 0.33.0's
`parser/response_template_grammar.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from parsers.response_template import Field, Template

from .beam_arguments import Arguments
from .beam_patterns import (
    Anchors,
    call_opener,
    closers,
    escaped,
    not_empty,
    openers,
    other_names,
    spelt,
    split_group,
)
from .beam_values import ANY_TEXT
from .call_tags import HeldTool
from .tag_nodes import Node, const, many, one_of, optional, regex, sequence, tag

_NO_PARAMETERS: dict[str, Any] = {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What an output may be.

    tools: that may be called, with what they are held to. many: whether there may be several calls.
    answers: whether it may be an answer. answer: its field, where it has one. content: what it
    holds, None for text.
    """

    tools: Sequence[HeldTool] = ()
    many: bool = True
    answers: bool = True
    answer: Field | None = None
    content: Node | None = None


@dataclass(frozen=True, slots=True)
class Calls:
    """opener: of each call, a pattern before the name, of the name, and behind it.

    calls: by pattern of the name, the arguments.
    """

    opener: tuple[str, str, str]
    ends: list[str]
    calls: list[tuple[str, Node]]
    repeats: bool

    def nodes(self, anchors: Anchors) -> list[Node]:
        closer = [_one_text(self.ends)] if self.ends else []
        found = [self._call(anchors)]
        if self.repeats:
            again = self._call(None)
            found.append(many(sequence(*closer, again) if closer else again))
        return [*found, *map(optional, closer)]

    def _call(self, anchors: Anchors) -> Node:
        return one_of(
            [
                sequence(regex(call_opener(self.opener, name, anchors)), arguments)
                for name, arguments in self.calls
            ]
        )


def anchors_of(template: Template) -> list[str]:
    """What the assistant's message begins after, none where that is no text."""
    return spelt(template.anchor) or []


def whole_output(
    wanted: Wanted, calls: Field | None, thinking: Field | None, anchors: Anchors, *, thinks: bool
) -> Node | None:
    """None where the template's patterns spell no grammar.

    anchors: None where the output does not begin the message. thinks: a message begins with
    reasoning, which is not empty. ValueError for a name that cannot be written.
    """
    found = None
    if wanted.tools or not wanted.answers:
        found = None if calls is None else _calls(wanted, calls)
        if found is None:
            return None
    rest = _output(wanted, found, None)
    if rest is None:
        return None
    thought = None
    if thinking is not None:
        thought = _thought(thinking, anchors, not_blank=thinks)
        if thought is None:
            return None
    if anchors is None:
        return sequence(*([optional(thought)] if thought else []), *rest)
    if thought and thinks:
        return sequence(thought, *rest)
    start = _output(wanted, found, anchors)
    if start is None:
        return None
    return one_of([*([sequence(thought, *rest)] if thought else []), sequence(*start)])


def rest_of_answer(answer: Field) -> Node | None:
    """Of an answer that the prompt has begun."""
    ends = closers(answer)
    return None if ends is None else sequence(*_answer(ends, None))


def _output(wanted: Wanted, calls: Calls | None, anchors: Anchors) -> list[Node] | None:
    found = calls.nodes(anchors) if calls else []
    if not wanted.answers:
        return found
    if wanted.answer is None:
        return None
    opens, ends = openers(wanted.answer, anchors), closers(wanted.answer)
    if not opens or ends is None:
        return None
    reply = sequence(_one_text(opens), *_answer(ends, wanted.content))
    return [one_of([sequence(*found), reply]) if calls else reply]


def _answer(ends: list[str], content: Node | None) -> list[Node]:
    """Text does not close it early, so that no call follows that is not held."""
    text = content or {**ANY_TEXT, "excludes": ends}
    return [text, optional(_one_text(ends))] if ends else [text]


def _thought(thinking: Field, anchors: Anchors, *, not_blank: bool) -> Node | None:
    opens, ends = openers(thinking, anchors), closers(thinking)
    if not opens or not ends:
        return None
    text = sequence(regex(not_empty(ends)), ANY_TEXT) if not_blank else ANY_TEXT
    return one_of([tag(opener, text, tuple(ends)) for opener in opens])


def _calls(wanted: Wanted, field: Field) -> Calls | None:
    opener = _named_opener(field) if wanted.tools else None
    ends = closers(field)
    if opener is None or ends is None:
        return None
    written = Arguments(field)
    held: list[tuple[str, Node]] = []
    loose: list[tuple[str, Node]] = []
    every: list[tuple[str, Node]] = []
    for tool in wanted.tools:
        found = _arguments(written, tool)
        if found is None:
            return None
        arguments, is_held = found
        every.append((tool.name, arguments))
        (held if is_held else loose).append(every[-1])
    for name, _ in every:
        if not re.fullmatch(opener[1], name):
            raise ValueError(f"tool name {name!r} cannot be encoded in tool calls")
    calls = [(escaped(name), arguments) for name, arguments in every]
    if wanted.answers:
        others = other_names(opener[1], [name for name, _ in held])
        free = written.of({}, strict=False)
        if others is not None and free is not None:
            calls = [(escaped(name), arguments) for name, arguments in held]
            calls.append((f"(?:{others})", free))
    return Calls(opener, ends, calls, wanted.many and field.repeats)


def _arguments(written: Arguments, tool: HeldTool) -> tuple[Node, bool] | None:
    """And whether they are held to the schema, as they are where they can; a strict tool's must."""
    found = None
    try:
        found = written.of(tool.parameters or _NO_PARAMETERS, strict=True)
    except ValueError:
        if tool.strict:
            raise
    if found is not None or tool.strict:
        return None if found is None else (found, True)
    free = written.of(tool.parameters or _NO_PARAMETERS, strict=False)
    return None if free is None else (free, False)


def _named_opener(field: Field) -> tuple[str, str, str] | None:
    """Where the opener names the function, and the content is its arguments."""
    function = field.transform.get("function") if isinstance(field.transform, dict) else None
    named = (
        field.opens is not None
        and "name" in field.opens.pattern.names
        and not field.each
        and isinstance(function, dict)
        and function.get("name") == "{name}"
        and function.get("arguments") == "{content}"
    )
    return split_group(field.opens.pattern.source, "name") if named and field.opens else None


def _one_text(texts: Sequence[str]) -> Node:
    return one_of([const(text) for text in texts])
