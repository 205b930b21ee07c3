"""What comes out: one event type for each thing that happens."""

from __future__ import annotations

from typing import NamedTuple


class Reasoning(NamedTuple):
    """More text of the model's reasoning."""

    text: str


class Content(NamedTuple):
    """More text of the answer."""

    text: str


class ToolCall(NamedTuple):
    """A call has begun. index counts the calls of this output from 0."""

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody needs here
    name: str


class Arguments(NamedTuple):
    """More JSON text of the arguments of call `index`."""

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody needs here
    text: str


Event = Reasoning | Content | ToolCall | Arguments


class Call(NamedTuple):
    """A whole call. arguments: JSON text, or a prefix of it where the output was cut short."""

    name: str
    arguments: str


class Result(NamedTuple):
    """A whole output. None where vLLM's answer has null."""

    reasoning: str | None
    content: str | None
    calls: list[Call]
