"""The policy of formats whose output is a sequence of messages (Harmony).

Texts stay as they are, white space too; those of one kind are joined by a newline, as vLLM's
whole answers have them.
"""

from __future__ import annotations

from .events import Content, Reasoning
from .policy import Policy

# Bits of `said`: there is text of this kind; a newline is due before more of it.
_THOUGHT, _ANSWER = 1, 2
_DUE = 2  # how many bits further left


class MessagePolicy(Policy):
    __slots__ = ()

    SAID = frozenset(said for said in range(16) if not said >> _DUE & ~said)

    def reasoning(self, text: str) -> None:
        if self._context.include_reasoning and text:
            self._add(Reasoning, self._apart(text, _THOUGHT))

    def content(self, text: str) -> None:
        if text:
            self._add(Content, self._apart(text, _ANSWER))

    def line(self) -> None:
        self.said |= (self.said & (_THOUGHT | _ANSWER)) << _DUE

    def _apart(self, text: str, kind: int) -> str:
        due = self.said & kind << _DUE
        self.said = (self.said | kind) & ~(kind << _DUE)
        return "\n" + text if due else text

    def call(self, name: str) -> None:
        said = self.said
        super().call(name)
        self.said = said
