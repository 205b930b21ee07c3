"""Tagged parameters as nodes: each of a name with a value of its schema, or any.

Where a value may end because the next parameter opens, each but the last ends with that opener, and
the tag of the next one begins behind it. Source: vLLM 0.33.0's `_xml_arguments_format`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .beam_values import ANY_TEXT, any_text, text_choices, value_format
from .tag_nodes import Node, const, many, one_of, optional, regex, sequence, tag

_SEPARATOR = regex(r"\n?")
"""Between parameters; more white space, and a model that missed an opener would never end."""


class Tagging(NamedTuple):
    """The text of a parameter: `begins` NAME `middles` VALUE `ends`, of each one of these texts.

    key: the pattern of a name. follows: what ends a value and opens the next parameter. closers:
    what ends a call. as_json: values are JSON. read: the arguments of a call's text.
    """

    begins: list[str]
    key: str
    middles: list[str]
    ends: list[str]
    follows: list[str]
    closers: list[str]
    as_json: bool
    read: Callable[[str], Any]

    @property
    def excluded(self) -> list[str]:
        """What text must not have."""
        if not self.follows:
            return self.closers
        return self.closers + self.follows + self.ends

    def read_back(self, text: str) -> Any:
        """None where it is not read, or ends the call."""
        if any(closer in text for closer in self.closers):
            return None
        try:
            return self.read(text)
        except ValueError:
            return None


Choices = dict[tuple[str, str], dict[tuple[str, ...], list[str]]]
"""By opener and middle: texts to choose from, by the ends that leave them as they are."""


@dataclass(frozen=True, slots=True)
class Parameters:
    tagging: Tagging

    def free(self) -> Node:
        """Parameters of any name and value."""
        more = many(self._any(last=False))
        if not self.tagging.follows:
            return more
        return self._opened(sequence(more, self._any(last=True)), may_lack=True)

    def declared(
        self, parameters: dict[str, Any], names: Sequence[str], required: Sequence[str]
    ) -> Node | None:
        """Those of a schema, in its order or sorted; None where one cannot be held.

        ValueError for a name that cannot be written.
        """
        if not names:
            return const("")
        more, final = {}, {}
        for key in names:
            schema = parameters["properties"].get(key, True)
            pair = self._pair(key, schema, parameters)
            if pair is None:
                return None
            more[key], final[key] = pair
        needed = frozenset(required)
        orders = [tuple(names)]
        if sorted(names) != list(names):
            orders.append(tuple(sorted(names)))
        ways = [self._ordered(keys, needed, more, final) for keys in orders]
        return self._opened(one_of(ways), may_lack=not required)

    def _pair(self, key: str, schema: Any, parameters: dict[str, Any]) -> tuple[Node, Node] | None:
        """The parameter before another one, and as the last."""
        spelling, ends = self.tagging, self.tagging.closers
        value = value_format(
            schema, parameters, ends + spelling.follows + spelling.ends, as_json=spelling.as_json
        )
        if value is None:
            return None
        self._check_name(key)
        choices = None
        if value["type"] in ("const_string", "or") and (given := text_choices(schema)):
            choices = self._choices(key, given)
            if choices is None:
                return None
        if value == ANY_TEXT:
            value = any_text(spelling.excluded)
        joined, ending = (
            self._separated(self._tags(key, value, choices, last=last)) for last in (False, True)
        )
        return joined, ending

    def _check_name(self, key: str) -> None:
        spelling = self.tagging
        written = (
            begin + key + middle + "0" + end
            for begin in spelling.begins
            for middle in spelling.middles
            for end in spelling.ends
        )
        if not re.fullmatch(spelling.key, key) or any(
            list(spelling.read_back(text) or ()) != [key] for text in written
        ):
            raise ValueError(f"parameter name {key!r} cannot be encoded in tool calls")

    def _choices(self, key: str, choices: Sequence[str]) -> Choices | None:
        """None where one is not read as it is, because of white space that may frame a value."""
        spelling, found, fitting = self.tagging, {}, set[str]()
        for begin in spelling.begins:
            for middle in spelling.middles:
                groups: dict[tuple[str, ...], list[str]] = {}
                for choice in choices:
                    start = begin + key + middle + choice
                    fits = tuple(
                        end
                        for end in spelling.ends
                        if spelling.read_back(start + end) == {key: choice}
                    )
                    if fits:
                        groups.setdefault(fits, []).append(choice)
                        fitting.add(choice)
                found[begin, middle] = groups
        return found if fitting == set(choices) else None

    def _tags(self, key: str, value: Node, choices: Choices | None, *, last: bool) -> list[Node]:
        spelling = self.tagging
        if choices is None:
            return [
                self._tag(start + key + middle, value, spelling.ends, last=last)
                for start in self._starts
                for middle in spelling.middles
            ]
        starts = dict(zip(spelling.begins, self._starts, strict=False))
        return [
            self._tag(starts[begin] + key + middle, _one_text(group), fits, last=last)
            for (begin, middle), groups in choices.items()
            for fits, group in groups.items()
        ]

    @property
    def _starts(self) -> list[str]:
        return [""] if self.tagging.follows else self.tagging.begins

    def _tag(self, begin: str, value: Node, ends: Iterable[str], *, last: bool) -> Node:
        spelling = self.tagging
        if spelling.follows and not last:
            opener = spelling.begins[0]
            between = (end + blank + opener for end in ends for blank in ("", "\n"))
            ends = (*between, *spelling.follows)
        return tag(begin, value, tuple(ends))

    def _any(self, *, last: bool) -> Node:
        spelling = self.tagging
        name, text = regex(spelling.key), any_text(spelling.excluded)
        content = sequence(name, _one_text(spelling.middles), text)
        return self._separated(
            [self._tag(start, content, spelling.ends, last=last) for start in self._starts]
        )

    def _separated(self, tags: Sequence[Node]) -> Node:
        return one_of(tags) if self.tagging.follows else sequence(_SEPARATOR, one_of(tags))

    def _opened(self, body: Node, *, may_lack: bool) -> Node:
        """Behind the opener of the first parameter."""
        if not self.tagging.follows:
            return body
        body = sequence(_SEPARATOR, _one_text(self.tagging.begins), body)
        return optional(body) if may_lack else body

    def _ordered(
        self,
        keys: tuple[str, ...],
        required: frozenset[str],
        more: dict[str, Node],
        final: dict[str, Node],
    ) -> Node:
        before = [more[key] if key in required else optional(more[key]) for key in keys]
        if not self.tagging.follows:
            return sequence(*before)

        def last_in(start: int, stop: int) -> Node:
            """Parameters that end with one of these; by halves, so that the node stays small."""
            if stop - start == 1:
                return final[keys[start]]
            half = (start + stop) // 2
            return one_of(
                [last_in(start, half), sequence(*before[start:half], last_in(half, stop))]
            )

        first = max((at for at, key in enumerate(keys) if key in required), default=0)
        return sequence(*before[:first], last_in(first, len(keys)))


def _one_text(texts: Sequence[str]) -> Node:
    return one_of([const(text) for text in texts])
