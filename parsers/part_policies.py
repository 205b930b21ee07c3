"""Policies of formats whose whole output is in parts: messages or sections.

All parts count, whatever the request wants, and a call changes nothing about the texts around it.
"""

from __future__ import annotations

from .events import Content, Event, Reasoning
from .limits import trailing
from .policy import Policy
from .snapshot import Malformed

# Bits of `said`: there is text of this kind; a newline is due before more of it.
_THOUGHT, _ANSWER = 1, 2
_DUE = 2  # how many bits further left


class MessagePolicy(Policy):
    """Texts stay as they are, white space too; those of one kind are joined by a newline, as
    vLLM's whole answers have them (Harmony).
    """

    __slots__ = ()

    SAID = frozenset(said for said in range(16) if not said >> _DUE & ~said)

    def reasoning(self, text: str) -> None:
        if self._shows_thoughts and text:
            self._add(Reasoning, self._apart(text, _THOUGHT))

    def content(self, text: str) -> None:
        if text:
            self._add(Content, self._apart(text, _ANSWER))

    def part(self) -> None:
        self.said |= (self.said & (_THOUGHT | _ANSWER)) << _DUE

    def _apart(self, text: str, kind: int) -> str:
        due = self.said & kind << _DUE
        self.said = (self.said | kind) & ~(kind << _DUE)
        return "\n" + text if due else text

    def call(self, name: str) -> None:
        said = self.said
        super().call(name)
        self.said = said


class ThoughtPolicy(Policy):
    """Messages of reasoning are joined by a newline (Muse Glimmer)."""

    __slots__ = ()

    # `thought`: "." where there is reasoning, a newline where one is due before more of it.

    def reasoning(self, text: str) -> None:
        if self._shows_thoughts and text:
            self._add(Reasoning, "\n" + text if self.thought == "\n" else text)
            self.thought = "."

    def part(self) -> None:
        self.thought = self.thought and "\n"

    def restore(self, saved: object) -> None:
        super().restore(saved)
        if self.thought not in ("", ".", "\n"):
            raise Malformed


class SectionPolicy(Policy):
    """White space at the end of each section is dropped, and at the beginning of reasoning that
    a marker opened, also of what follows such reasoning without text (Cohere).
    """

    __slots__ = ()

    # `said`: 1 where a section has begun, 2 where it is reasoning with white space alone.

    def reasoning(self, text: str) -> None:
        if self.said:
            text, self.said = text.lstrip(), 2
        if self._shows_thoughts:
            self._add_section(Reasoning, text)
        elif text.strip():
            self.said = 0

    def content(self, text: str) -> None:
        self._add_section(Content, text.lstrip() if self.said == 2 else text)

    def _add_section(self, kind: type[Event], text: str) -> None:
        text = self.spaces + text
        core = trailing(text)
        self.spaces = text[core:]
        if core:
            self.said = 0
            self._add(kind, text[:core])

    def part(self) -> None:
        self.said, self.spaces = max(self.said, 1), ""

    def finish(self) -> None:
        self.spaces = ""
