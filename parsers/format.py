"""A format: how one model family writes reasoning and calls, made ready for one vocabulary.

`ToolFormat` and `ReasoningFormat` are the values in `formats/`; `Format` joins one of each into
the tables of the region machine, once a process.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from .codecs.base import Codec
from .codecs.json_object import JsonObject
from .context import Context
from .events import Arguments, Call, Content, Event, Reasoning, Result, ToolCall
from .needs import Reads, needed
from .pace import PaceError, Paces, paces_of
from .paced_policy import PacedPolicy
from .paced_stream import PacedStream
from .pieces import Piece, Special
from .policy import Policy
from .regions import Compiled, Region, Sink, To, compiled
from .scanner import literal
from .spelt_newlines import SpeltNewlines
from .stream import Stream

CONTENT = "content"
"""The region that every format has: the answer."""

_NO_DROPS: frozenset[str] = frozenset()


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

    @property
    def told(self) -> set[str]:
        """The template arguments that it looks at."""
        return {*self.switches, *(name for name, _ in self.off), *(s[0] for s in self.starts)}

    def runs(self, context: Context) -> bool:
        """Whether the request has the model reason."""
        told = context.template_kwargs
        given = [bool(told[name]) for name in self.switches if name in told]
        return any(given or [self.unless_told]) and not any(
            told.get(name) == value for name, value in self.off
        )

    def read(self, context: Context) -> bool:
        """Whether its markers count."""
        return self.stays or self.runs(context)

    def closed(self, prompt: Sequence[int] | None, vocab: Mapping[str, int]) -> bool:
        """Whether the prompt leaves reasoning closed."""
        if not self.closes:
            return True
        if prompt is None or self.closes[0] not in vocab:
            return False
        return self._newest(prompt, vocab) in self.closes

    def _newest(self, prompt: Sequence[int], vocab: Mapping[str, int]) -> str:
        """The token of the prompt that says how it leaves reasoning, "" where none does."""
        known = {
            vocab[text]: text
            for text in self.opens + self.boundaries + self.closes
            if text in vocab
        }
        return next((known[token] for token in reversed(prompt) if token in known), "")

    def left_open(self, prompt: Sequence[int], vocab: Mapping[str, int]) -> bool:
        """Whether the prompt leaves reasoning in a region of its own."""
        return bool(self.opened) and self._newest(prompt, vocab) in self.opened

    def begins(
        self, context: Context, prompt: Sequence[int] | None, vocab: Mapping[str, int]
    ) -> tuple[str, str]:
        """The region that the output begins in, and what is put before it."""
        if self.closed(prompt, vocab):
            return self.ended, ""
        told = context.template_kwargs
        starts = [region for name, value, region in self.starts if told.get(name) == value]
        newest = self._newest(prompt, vocab) if prompt and self.opened else ""
        return self.opened.get(newest, next(iter(starts), self.start)), self.lead


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


def _as_written(tool: ToolFormat) -> ToolFormat:
    """The format, with arguments spelt as the model wrote them: so vLLM streams them."""
    codec = tool.codec
    if isinstance(codec, JsonObject):
        codec = replace(codec, verbatim=True)
    return replace(
        tool,
        codec=codec,
        forced={key: _as_written(form) for key, form in tool.forced.items()},
        dialects={key: _as_written(form) for key, form in tool.dialects.items()},
    )


class Format:
    """Immutable; `load` in `registry.py` makes it. Either part may be absent, or `hidden`: read,
    because the other cannot be read without it, and not shown ("tool", "reasoning").
    """

    def __init__(
        self,
        tool: ToolFormat | None,
        reasoning: ReasoningFormat | None,
        vocab: Mapping[str, int],
        special_ids: Collection[int],
        hidden: Collection[str] = (),
        paces: Paces | None = None,
    ) -> None:
        self._special_ids = special_ids
        self._paces = paces
        self._hidden = frozenset(hidden)
        self._tool = tool
        self._reasoning = reasoning
        self._vocab = dict(vocab)
        self._drops = tool is not None and tool.drops and (reasoning is None or reasoning.drops)
        self._parted = tool is not None and tool.policy is not Policy
        known = frozenset(text for text, token in vocab.items() if token in special_ids)
        self._unasked = tool is not None and tool.unasked
        if paces is not None and tool is not None:
            tool = _as_written(tool)
        forced = tool.forced if tool else {}
        dialects = tool.dialects if tool else {}
        spoken = {"=".join(told): form for told, form in dialects.items()}
        self._forms: Mapping[str, ToolFormat | None] = {
            "": None, "auto": tool, **forced, **spoken
        }  # fmt: skip
        self._tables = {
            (reasons, called): self._table(reasoning if reasons else None, form, known)
            for reasons in (False, True)
            for called, form in self._forms.items()
        }
        regions = [region for table in self._tables.values() for region in table.values()]
        self._markers = frozenset(
            literal(text)
            for region in regions
            for text in (*region.texts, *region.specials)
            if not text.startswith("\0")
        )
        meant = {text for region in regions for text in (*region.specials, *region.drops)}
        self.specials: Mapping[int, Special] = MappingProxyType(
            {self._vocab[text]: Special(text) for text in meant if text in self._vocab}
        )
        """The IDs that must come as `Special` pieces."""

    @property
    def tool(self) -> str | None:
        return self._tool.name if self._tool and "tool" not in self._hidden else None

    @property
    def reasoning(self) -> str | None:
        shown = self._reasoning and "reasoning" not in self._hidden
        return self._reasoning.name if self._reasoning and shown else None

    def _table(
        self, reasoning: ReasoningFormat | None, tool: ToolFormat | None, known: frozenset[str]
    ) -> Mapping[str, Compiled]:
        """The regions of both parts; `known` are the vocabulary's special tokens."""
        everywhere = known if reasoning and reasoning.drops else _NO_DROPS
        in_answer, in_calls = everywhere, everywhere
        markers = dict(reasoning.content) if reasoning else {}
        if tool:
            markers |= tool.beside_reasoning if self._reasoning and self._drops else {}
            markers |= tool.content
            own = known.difference(tool.text) if tool.drops else _NO_DROPS
            in_answer, in_calls = everywhere | (own if self._drops else _NO_DROPS), everywhere | own
        parts = [
            (reasoning.regions if reasoning else {}, everywhere),
            ({CONTENT: Region(sink=Sink.CONTENT, on=markers)}, in_answer),
            (tool.regions if tool else {}, in_calls),
        ]
        table = {
            name: compiled(name, region, self._vocab, drops)
            for regions, drops in parts
            for name, region in regions.items()
        }
        # A marker of the format, and what one is spelt with, is never dropped, whatever the region.
        markup = frozenset(text for region in table.values() for text in region.specials)
        kept = {text for text in known if any(text in marker for marker in markup)}
        return {n: region._replace(drops=region.drops - kept) for n, region in table.items()}

    def _fresh(self, context: Context) -> Stream:
        """A stream in the answer."""
        reasoning, called = self._reasoning, self._called(context)
        reasons = reasoning is not None and reasoning.read(context)
        tool = self._forms[called]
        options: dict[str, Any] = {
            "calls_live": tool is not None,
            "trims": tool is not None and tool.trims,
            "trims_reasoning": reasoning is not None and reasoning.trims,
            "rewrites": reasoning.rewrites if reasoning else None,
        }
        shown, table = self._shown(context), self._tables[reasons, called]
        codec = tool.codec if tool else None
        if self._paces is not None:
            paced = PacedPolicy(shown, *self._paces, self._markers, **options)
            return PacedStream(table, CONTENT, codec, context, paced)
        policy = (tool.policy if tool else Policy)(shown, **options)
        return Stream(table, CONTENT, codec, context, policy)

    def at_vllm_pace(self) -> Format:
        """The format that gives vLLM's streamed answer, chunk by chunk (`PacedStream`).

        Raises PaceError for names of which vLLM's pace is not known.
        """
        paces = paces_of(self.tool, self.reasoning)
        if self._hidden or self._parted:
            raise PaceError(self.tool, self.reasoning)
        return Format(self._tool, self._reasoning, self._vocab, self._special_ids, paces=paces)

    def _shown(self, context: Context) -> Context:
        """The request, as far as it is about what is not hidden."""
        if "reasoning" in self._hidden and not (self._reasoning and self._reasoning.always):
            context = replace(context, include_reasoning=False)
        if "tool" in self._hidden:
            context = replace(context, tools=(), tool_choice="none")
        return context

    def _called(self, context: Context) -> str:
        """How the request has calls read: a key of `_forms`."""
        if self._unasked and not context.keeps_calls:
            return "auto"
        if not (context.keeps_calls or self._drops or self._parted):
            return ""
        if context.tool_choice in ("required", "named") and context.tool_choice in self._forms:
            return context.tool_choice
        told = context.template_kwargs
        dialects = self._tool.dialects if self._tool else ()
        return next(
            (f"{name}={value}" for name, value in dialects if told.get(name) == value), "auto"
        )

    def _start_region(self, context: Context, prompt: Sequence[int] | None) -> tuple[str, str]:
        """Where the output begins, and what is put before it."""
        reasoning = self._reasoning
        if reasoning is None or not (reasoning.opened or reasoning.runs(context)):
            return CONTENT, ""
        return reasoning.begins(context, prompt, self._vocab)

    def reasoning_ended(
        self, prompt_token_ids: Sequence[int], template_kwargs: Mapping[str, Any]
    ) -> bool | None:
        """Whether the output begins behind the reasoning (vLLM's `is_reasoning_end` of a prompt).

        None without a reasoning format.
        """
        reasoning = self._reasoning
        if reasoning is None or "reasoning" in self._hidden:
            return None
        if reasoning.left_open(prompt_token_ids, self._vocab):
            return False
        context = Context(template_kwargs=template_kwargs)
        return not reasoning.runs(context) or reasoning.closed(prompt_token_ids, self._vocab)

    def needs(self, context: Context) -> Context:
        """As much of the context as a stream of this format is resumed with."""
        forms = [form for form in self._forms.values() if form is not None]
        reads = max((form.codec.reads for form in forms), default=Reads.PRESENCE)
        told = {name for name, _ in self._tool.dialects} if self._tool else set()
        return needed(context, reads, told | (self._reasoning.told if self._reasoning else set()))

    def start(self, context: Context, prompt_token_ids: Sequence[int] | None = None) -> Stream:
        """One output. Without the prompt's IDs, reasoning is taken to be open."""
        stream = self._fresh(context)
        stream.enter(*self._start_region(context, prompt_token_ids))
        return stream

    def resume(self, state: object, context: Context) -> Stream:
        """The stream of a snapshot, under the same context; ValueError on a malformed state."""
        stream = self._fresh(context)
        stream.restore(state)
        return stream

    def parse(
        self,
        pieces: Iterable[Piece],
        context: Context,
        prompt_token_ids: Sequence[int] | None = None,
        finish_reason: str | None = None,
    ) -> Result:
        """A whole output: what `feed` and `finish` give, and where that is nothing, null or "" as
        in vLLM's whole answers. Those also trim content at both ends where streaming can at one.
        """
        stream = self.start(context, prompt_token_ids)
        events = stream.feed(pieces) + stream.finish(finish_reason)
        thought, said, calls = joined(events)
        ids = tuple(event.id for event in events if isinstance(event, ToolCall))
        reasoning, tool = self._reasoning, self._forms[self._called(context)]
        ran = reasoning is not None and reasoning.read(context)
        begun = reasoning is not None and stream.began == reasoning.start
        content: str | None = said.lstrip() if calls and tool and tool.trims else said
        if context.tool_choice in ("required", "named"):
            kept = calls or said.strip() or self._unasked or self._parted
            content = content if kept else ""
        elif not content and (ran or calls or self._drops or self._unasked):
            content = None
        if not self._shown(context).include_reasoning or not (
            thought or (begun and reasoning and reasoning.keeps_empty)
        ):
            return Result(None, content, calls, ids if any(ids) else ())
        return Result(thought, content, calls, ids if any(ids) else ())


def joined(events: Iterable[Event]) -> tuple[str, str, list[Call]]:
    """The reasoning, the content and the calls that events add up to."""
    reasoning: list[str] = []
    content: list[str] = []
    calls: dict[int, list[str]] = {}
    for event in events:
        match event:
            case Reasoning(text):
                reasoning.append(text)
            case Content(text):
                content.append(text)
            case ToolCall(index, name):
                calls[index] = [name]
            case Arguments(index, text):
                calls[index].append(text)
    whole = [Call(name, "".join(parts)) for name, *parts in calls.values()]
    return "".join(reasoning), "".join(content), whole
