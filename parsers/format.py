"""A format: how a model writes reasoning and calls, made ready for its vocabulary.

`Format` joins a `ReasoningFormat` and a `ToolFormat` (`parts.py`) into the tables of the region
machine, once a process.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from .codecs.json_object import JsonObject
from .context import Context
from .events import Arguments, Call, Content, Event, Reasoning, Result, ToolCall
from .needs import Reads, needed
from .pace import PaceError, Paces, paces_of
from .paced_policy import PacedPolicy
from .paced_stream import PacedStream
from .parts import CONTENT, ReasoningFormat, ToolFormat
from .pieces import Piece, Special
from .policy import Policy
from .regions import Compiled, Region, Sink, compiled
from .scanner import literal
from .stream import Stream

_NO_DROPS: frozenset[str] = frozenset()


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
        always = reasoning is not None and reasoning.always
        self._unseen = self._hidden - ({"reasoning"} if always else set())
        self._tool = tool
        self._reasoning = reasoning
        self._vocab = dict(vocab)
        self._marks = reasoning.marks(vocab) if reasoning else {}
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
        self._options = {name: self._policy_options(form) for name, form in self._forms.items()}
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
        table, options = self._tables[reasons, called], self._options[called]
        codec = tool.codec if tool else None
        if self._paces is not None:
            paced = PacedPolicy(context, *self._paces, self._markers, **options)
            return PacedStream(table, CONTENT, codec, context, paced)
        policy = (tool.policy if tool else Policy)(context, **options)
        return Stream(table, CONTENT, codec, context, policy)

    def at_vllm_pace(self) -> Format:
        """The format that gives vLLM's streamed answer, chunk by chunk (`PacedStream`).

        Raises PaceError for names of which vLLM's pace is not known.
        """
        paces = paces_of(self.tool, self.reasoning)
        if self._hidden or self._parted:
            raise PaceError(self.tool, self.reasoning)
        return Format(self._tool, self._reasoning, self._vocab, self._special_ids, paces=paces)

    def _policy_options(self, tool: ToolFormat | None) -> dict[str, Any]:
        """See `Policy`."""
        reasoning = self._reasoning
        return {
            "calls_live": tool is not None,
            "trims": tool is not None and tool.trims,
            "trims_reasoning": reasoning is not None and reasoning.trims,
            "rewrites": reasoning.rewrites if reasoning else None,
            "hidden": self._unseen,
        }

    def _called(self, context: Context) -> str:
        """How the request has calls read: a key of `_forms`."""
        choice, told = context.tool_choice, context.template_kwargs
        if not context.keeps_calls:
            if self._unasked:
                return "auto"
            if not (self._drops or self._parted):
                return ""
        elif choice != "auto" and choice in self._forms:
            return choice
        for name, value in self._tool.dialects if self._tool else ():
            if told.get(name) == value:
                return f"{name}={value}"
        return "auto"

    def _start_region(self, context: Context, prompt: Sequence[int] | None) -> tuple[str, str]:
        """Where the output begins, and what is put before it."""
        reasoning = self._reasoning
        if reasoning is None or not (reasoning.opened or reasoning.runs(context.template_kwargs)):
            return CONTENT, ""
        return reasoning.begins(context, prompt, self._marks)

    def reasoning_ended(
        self, prompt_token_ids: Sequence[int], template_kwargs: Mapping[str, Any]
    ) -> bool | None:
        """Whether the output begins behind the reasoning (vLLM's `is_reasoning_end` of a prompt).

        None without a reasoning format.
        """
        reasoning = self._reasoning
        if reasoning is None or "reasoning" in self._hidden:
            return None
        if reasoning.left_open(prompt_token_ids, self._marks):
            return False
        if not reasoning.runs(template_kwargs):
            return True
        return reasoning.closed(prompt_token_ids, self._marks)

    def needs(self, context: Context) -> Context:
        """As much of the context as a stream of this format is resumed with."""
        forms = [form for form in self._forms.values() if form is not None]
        reads = max((form.codec.reads for form in forms), default=Reads.PRESENCE)
        told = {name for name, _ in self._tool.dialects} if self._tool else set()
        return needed(context, reads, told | (self._reasoning.told if self._reasoning else set()))

    def refusal(self, context: Context) -> str:
        """Why a request with these template arguments cannot be read, for the client; else ""."""
        tool = self._tool if context.keeps_calls else None
        parts = [part for part in (self._reasoning, tool) if part]
        for name, values in (item for part in parts for item in part.allows.items()):
            given = context.template_kwargs.get(name, values[0])
            if given not in values:
                return f"Unsupported {name} {given!r}. Supported values: {', '.join(values)}."
        return ""

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
        kept_empty = begun and reasoning is not None and reasoning.keeps_empty
        shown = context.include_reasoning and "reasoning" not in self._unseen
        told = thought if shown and (thought or kept_empty) else None
        return Result(told, content, calls, ids if any(ids) else ())


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
