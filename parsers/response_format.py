"""A format that the model brings: its response template, made into regions and a codec.

Markers count as text, and the text of a prompt after the template's anchor is read like the output
that follows it, so that the output begins where the prompt ends. Text stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from .codecs.base import Codec
from .codecs.response_region import PromptDecoder, PromptRegion, ResponseRegion
from .context import Context
from .events import Content, Event, Result
from .format import Format, joined
from .needs import Reads, needed
from .pace import PaceError
from .pieces import Piece, Special
from .policy import Policy
from .regions import BROKEN, DONE, REJECTED, Compiled, Sink, To
from .response_calls import region_codec
from .response_template import CALLS, CONTENT, THINKING, Delimiter, Template, watch
from .snapshot import count, items
from .stream import Stream

BEGIN, BETWEEN, ANSWER = "begin", "between", "answer"
"""Regions beside those that are called as their fields: the very beginning of a message; between
the regions of a template in which all have markers; content that has markers.
"""
TAIL = 256
"""Tokens of a prompt in which its anchor is looked for first."""

Decode = Callable[[Sequence[int]], str]
Endings = tuple[tuple[str, str], ...]


class VerbatimPolicy(Policy):
    """Text stays as it is, white space too. skip: characters that come which are the prompt's."""

    __slots__ = ("skip",)

    def __init__(self, context: Context, hidden: Collection[str] = ()) -> None:
        super().__init__(context, calls_live=False, trims=False, hidden=hidden)
        self.skip = 0

    @property
    def keeps(self) -> bool:
        """Whether calls are read, as they reach the client."""
        return self._keeps

    def _own(self, text: str) -> str:
        own, self.skip = text[self.skip :], max(0, self.skip - len(text))
        return own

    def read(self, count: int, *, as_text: bool) -> None:
        """So many characters were a marker, or are calls, which may be text of the output."""
        if not as_text:
            self.skip = max(0, self.skip - count)
        elif self._keeps:
            self.skip = 0

    def content(self, text: str) -> None:
        self._add(Content, self._own(text) if self.skip else text)

    def reasoning(self, text: str) -> None:
        super().reasoning(self._own(text) if self.skip else text)

    def snapshot(self) -> list[Any]:
        return [self.calls, self.skip]

    def restore(self, saved: object) -> None:
        calls, skip = items(saved, 2)
        self.calls, self.skip = count(calls), count(skip)


class TemplateStream(Stream):
    """endings: by region, see `Template.endings`. trail: the regions between which it went."""

    __slots__ = ("_endings", "_verbatim", "trail")

    def __init__(
        self,
        table: Mapping[str, Compiled],
        codec: Codec | None,
        context: Context,
        endings: Mapping[str, Endings],
        hidden: Collection[str],
    ) -> None:
        self._verbatim = VerbatimPolicy(context, hidden)
        super().__init__(table, BEGIN, codec, context, self._verbatim)
        self._endings = endings
        self.trail: list[tuple[str, str]] = []

    def feed(self, pieces: Iterable[Piece]) -> list[Event]:
        """Special tokens are text like any other."""
        return super().feed([str(piece) for piece in pieces])

    def _follow(self, to: To, spelt: str) -> str:
        self._verbatim.read(len(self._raw + spelt), as_text=to.again)
        self.trail.append((self._region.name, to.region))
        return super()._follow(to, spelt)

    def finish(self, reason: str | None = None) -> list[Event]:
        for begun, rest in self._endings.get(self._region.name, ()):
            if self._held.endswith(begun):
                self._text(rest)
                break
        return super().finish(reason)

    @property
    def open(self) -> str:
        """The region that is being read."""
        return self._region.name

    @property
    def kept(self) -> str:
        """What the output that follows a prompt begins with: a marker or calls left open."""
        decoder = self._decoder
        return decoder.raw + decoder.held if isinstance(decoder, PromptDecoder) else self._held

    def follow(self, prompt: TemplateStream) -> None:
        """Begin where the prompt ends."""
        stray = prompt.open == CONTENT and BETWEEN in self._table
        self.enter(BETWEEN if stray else prompt.open, prompt.kept)
        calls = self._verbatim.keeps and prompt.open == CALLS
        self._verbatim.skip = 0 if calls else len(prompt.kept)


class TemplateFormat(Format):
    """See `Format`. tool, reasoning: the name that was asked for, or None.

    decode: the text of a prompt's tokens, special ones too; without it no prompt is known.
    """

    def __init__(
        self, template: Template, tool: str | None, reasoning: str | None, decode: Decode | None
    ) -> None:
        self.template = template
        self._names = tool, reasoning
        self._decode = decode
        calls = template.fields.get(CALLS)
        self._calls = region_codec(template, calls, read=tool is not None) if calls else None
        self._hidden = frozenset(() if tool else ("tool",))
        self._regions = _table(template, shows_reasoning=reasoning is not None)
        self._endings = {
            ANSWER if name == CONTENT != template.implicit else name: template.endings(field.closes)
            for name, field in template.fields.items()
            if name != CALLS
        }
        self.specials: Mapping[int, Special] = MappingProxyType({})

    @property
    def tool(self) -> str | None:
        return self._names[0]

    @property
    def reasoning(self) -> str | None:
        return self._names[1]

    def needs(self, context: Context) -> Context:
        reads = self._calls.reads if self._calls else Reads.PRESENCE
        return needed(context, reads, ())

    def refusal(self, context: Context) -> str:
        return ""

    def at_vllm_pace(self) -> Format:
        """Raises PaceError: vLLM's pace depends on the template."""
        raise PaceError(self.tool, self.reasoning)

    def _new(self, context: Context, codec: ResponseRegion | None) -> TemplateStream:
        return TemplateStream(self._regions, codec, context, self._endings, self._hidden)

    def start(self, context: Context, prompt_token_ids: Sequence[int] | None = None) -> Stream:
        stream = self._new(context, self._calls)
        begun = self._begun(prompt_token_ids)
        if begun:
            prompt = self._prompt()
            prompt.feed([begun])
            stream.follow(prompt)
        return stream

    def resume(self, state: object, context: Context) -> Stream:
        stream = self._new(context, self._calls)
        stream.restore(state)
        return stream

    def _prompt(self) -> TemplateStream:
        """What reads a prompt."""
        calls = self._calls
        codec = calls and PromptRegion(opener=calls.opener, closer=calls.closer)
        return self._new(Context(), codec)

    def _begun(self, prompt: Sequence[int] | None) -> str:
        """The text of the prompt that belongs to the message."""
        if not prompt or self._decode is None:
            return ""
        anchor = self.template.anchor
        size = TAIL if anchor.literals else len(prompt)
        while True:
            text = self._decode(prompt[-size:])
            end = anchor.last_end(text)
            if end >= 0 or size >= len(prompt):
                return text[max(0, end) :]
            size *= 4

    def begun(self, prompt_token_ids: Sequence[int]) -> tuple[bool, str | None]:
        """Whether the output begins the message, and the field whose marker the prompt has open."""
        begun, prompt = self._begun(prompt_token_ids), self._prompt()
        prompt.feed([begun])
        field = {ANSWER: CONTENT, THINKING: THINKING, CALLS: CALLS}.get(prompt.open)
        return not begun, None if field == self.template.implicit else field

    def reasoning_ended(
        self, prompt_token_ids: Sequence[int], template_kwargs: Mapping[str, Any]
    ) -> bool | None:
        if self.reasoning is None:
            return None
        template, prompt = self.template, self._prompt()
        if template.fields[THINKING].repeats:
            return False
        said = prompt.feed([self._begun(prompt_token_ids)])
        if any(left == THINKING for left, _ in prompt.trail) or prompt.open in (ANSWER, CALLS):
            return True
        if template.implicit == CONTENT == prompt.open and said and isinstance(said[-1], Content):
            return True
        before = len(prompt.trail)
        # What is held back can be no marker before a character that no model writes.
        prompt.feed(["\0"])
        for left, entered in prompt.trail[before:]:
            return left == THINKING or entered != THINKING
        return prompt.open != THINKING and not template_kwargs.get("enable_thinking", True)

    def parse(
        self,
        pieces: Iterable[Piece],
        context: Context,
        prompt_token_ids: Sequence[int] | None = None,
        finish_reason: str | None = None,
    ) -> Result:
        stream = self.start(context, prompt_token_ids)
        reasoning, content, calls = joined(stream.feed(pieces) + stream.finish(finish_reason))
        forced = context.tool_choice in ("required", "named")
        return Result(reasoning or None, content if forced else content or None, calls)


def _table(template: Template, *, shows_reasoning: bool) -> Mapping[str, Compiled]:
    """The regions: one for each field with markers, and those of the text outside them."""
    fields, implicit = template.fields, template.implicit
    outside = BETWEEN if implicit is None else implicit
    regions = {CONTENT: ANSWER, THINKING: THINKING, CALLS: CALLS}
    opens: list[tuple[Delimiter | None, To]] = [
        (fields[name].opens, To(regions[name], again=name == CALLS)) for name in sorted(fields)
    ]
    # Outside all regions a closing marker too many is still one.
    closed = fields if implicit is None else {implicit} & fields.keys()
    opens += [(fields[name].closes, To(outside)) for name in sorted(closed)]
    thought = Sink.REASONING if shows_reasoning else Sink.CONTENT
    sinks = {THINKING: thought, BETWEEN: Sink.GAP}
    table = {
        name: _compiled(name, sinks.get(name, Sink.CONTENT), opens, otherwise=CONTENT)
        for name in {outside, CONTENT}
    }
    table[BEGIN] = _compiled(BEGIN, Sink.START, opens, otherwise=outside, begins=True)
    for name, field in fields.items():
        if name == CALLS:
            ends = {status: To(outside) for status in (DONE, BROKEN, REJECTED)}
            table[CALLS] = _compiled(CALLS, Sink.BODY, (), on=ends)
        elif name != implicit:
            sink = sinks.get(name, Sink.CONTENT)
            closes = [(field.closes, To(outside))]
            table[regions[name]] = _compiled(regions[name], sink, closes)
    return MappingProxyType(table)


def _compiled(
    name: str,
    sink: Sink,
    delimiters: Iterable[tuple[Delimiter | None, To]],
    *,
    on: Mapping[str, To] = MappingProxyType({}),
    otherwise: str = "",
    begins: bool = False,
) -> Compiled:
    scanner, leads = watch(delimiters, begins=begins)
    return Compiled(
        name=name,
        sink=sink,
        texts=MappingProxyType({**leads, **on}),
        specials=MappingProxyType({}),
        scanner=scanner,
        otherwise=otherwise,
        at_end=(),
        in_call=sink is Sink.BODY,
        drops=frozenset(),
    )
