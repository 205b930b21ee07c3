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
    """A call has begun. index counts the calls of this output from 0.

    id: what the model wrote as the call's ID, "" where its format has none.
    """

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody needs here
    name: str
    id: str = ""


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
    """A whole output. None where vLLM's answer has null.

    ids: the IDs that the model wrote, one a call; none where its format has none.
    """

    reasoning: str | None
    content: str | None
    calls: list[Call]
    ids: tuple[str, ...] = ()
