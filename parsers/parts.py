"""The values of one model family: how it writes reasoning, and how it writes calls (`formats/`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .codecs.base import Codec
from .context import Context
from .policy import Policy
from .regions import Region, To
from .spelt_newlines import SpeltNewlines

CONTENT = "content"
"""The region that every format has: the answer."""


class Marks(NamedTuple):
    """What a chat template has, all of it, and what it lacks."""

    has: tuple[str, ...]
    lacks: tuple[str, ...]

    def fit(self, template: str) -> bool:
        return all(mark in template for mark in self.has) and not any(
            mark in template for mark in self.lacks
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningFormat:
    """Regions of reasoning. It begins in `start`, or in `ended` where the prompt closed it.

    content: markers that it also reads in the answer.
    opens, closes, boundaries: special tokens of the prompt, looked for from its end; reasoning
    is over where one of `closes` comes first. The first of `closes` must be a token; without
    any, reasoning is over after every prompt (what may follow is then all in `ended`).
    opened: where one of `opens` came first, the region in which reasoning begins then. With it
    the switches only say whether there is reasoning to come after other prompts.
    switches: template arguments of which one that is true turns reasoning on; `unless_told`
    holds where the request gives none. off: argument values that turn it off in any case.
    stays: its markers are read even where it is off; the output then begins in the answer.
    required: markers without a token of which the vocabulary is refused.
    suffix: see `suffix.py`.
    drops: special tokens that are no markers vanish, as in vLLM's engine-based parsers.
    keeps_empty: a whole output's reasoning without text is "" and not null.
    trims: white space at the end of all reasoning is dropped.
    always: it is shown also where only the calls of its syntax are asked for.
    variants: what is read instead where the vocabulary has a token.
    lead: what the answer begins with where the prompt left reasoning open.
    starts: regions where it begins instead by a template argument: (name, value, region).
    rewrites: what its text passes through, and that of the answer.
    allows: the only values that a template argument may have, if it is given.
    unswitched: the chat template of models that always reason, whatever the switches say.
    """

    name: str
    regions: Mapping[str, Region]
    start: str
    ended: str = CONTENT
    content: Mapping[str, To] = field(default_factory=dict)
    opens: tuple[str, ...] = ()
    closes: tuple[str, ...] = ()
    boundaries: tuple[str, ...] = ()
    opened: Mapping[str, str] = field(default_factory=dict)
    switches: tuple[str, ...] = ()
    unless_told: bool = True
    off: tuple[tuple[str, str], ...] = ()
    stays: bool = False
    required: tuple[str, ...] = ()
    suffix: str = ""
    drops: bool = False
    keeps_empty: bool = False
    trims: bool = False
    always: bool = False
    variants: Mapping[str, ReasoningFormat] = field(default_factory=dict)
    lead: str = ""
    starts: tuple[tuple[str, str, str], ...] = ()
    rewrites: type[SpeltNewlines] | None = None
    allows: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unswitched: Marks | None = None

    @property
    def told(self) -> set[str]:
        """The template arguments that it looks at."""
        return {*self.switches, *(name for name, _ in self.off), *(s[0] for s in self.starts)}

    def runs(self, told: Mapping[str, Any]) -> bool:
        """Whether the request has the model reason. told: template arguments."""
        for name, value in self.off:
            if told.get(name) == value:
                return False
        given = False
        for name in self.switches:
            if name in told:
                if told[name]:
                    return True
                given = True
        return self.unless_told and not given

    def read(self, context: Context) -> bool:
        """Whether its markers count."""
        return self.stays or self.runs(context.template_kwargs)

    def marks(self, vocab: Mapping[str, int]) -> Mapping[int, str]:
        """The special tokens of a prompt that say how it leaves reasoning."""
        texts = self.opens + self.boundaries + self.closes
        return {vocab[text]: text for text in texts if text in vocab}

    def closed(self, prompt: Sequence[int] | None, marks: Mapping[int, str]) -> bool:
        """Whether the prompt leaves reasoning closed."""
        if not self.closes:
            return True
        if prompt is None or self.closes[0] not in marks.values():
            return False
        return _newest(prompt, marks) in self.closes

    def left_open(self, prompt: Sequence[int], marks: Mapping[int, str]) -> bool:
        """Whether the prompt leaves reasoning in a region of its own."""
        return bool(self.opened) and _newest(prompt, marks) in self.opened

    def begins(
        self, context: Context, prompt: Sequence[int] | None, marks: Mapping[int, str]
    ) -> tuple[str, str]:
        """The region that the output begins in, and what is put before it."""
        if self.closed(prompt, marks):
            return self.ended, ""
        told = context.template_kwargs
        starts = [region for name, value, region in self.starts if told.get(name) == value]
        newest = _newest(prompt, marks) if prompt and self.opened else ""
        return self.opened.get(newest, next(iter(starts), self.start)), self.lead


def _newest(prompt: Sequence[int], marks: Mapping[int, str]) -> str:
    """The last one in the prompt, "" where there is none."""
    for token in reversed(prompt):
        if token in marks:
            return marks[token]
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFormat:
    """Regions of calls, and the codec of their bodies.

    content: the markers that open calls in the answer.
    beside_reasoning: more of them beside a reasoning format that `drops`.
    text: special tokens that are text even where `drops` makes others vanish.
    required: markers without a token of which the vocabulary is refused.
    suffix: see `suffix.py`.
    drops: special tokens that are no markers vanish, and calls are read even where the request
    wants none, as in vLLM's engine-based parsers; not beside reasoning that does not drop.
    trims: see `Policy`.
    forced: what is read instead where `tool_choice` is "required" or "named".
    unasked: calls are read even where the request wants none.
    dialects: what is read instead where a template argument has a value, by both.
    policy: another one than `Policy` where all of the output is in parts (`part_policies.py`);
    calls are then read even where the request wants none.
    variants: what is read instead where the vocabulary has a token.
    allows: the only values that a template argument may have, if it is given.
    """

    name: str
    codec: Codec
    regions: Mapping[str, Region]
    content: Mapping[str, To]
    beside_reasoning: Mapping[str, To] = field(default_factory=dict)
    text: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    suffix: str = ""
    drops: bool = False
    trims: bool = False
    forced: Mapping[str, ToolFormat] = field(default_factory=dict)
    unasked: bool = False
    dialects: Mapping[tuple[str, str], ToolFormat] = field(default_factory=dict)
    policy: type[Policy] = Policy
    variants: Mapping[str, ToolFormat] = field(default_factory=dict)
    allows: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
