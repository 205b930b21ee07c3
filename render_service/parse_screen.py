"""What `render-service parse` shows: a line an event, then the whole output and what it took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parsers import Arguments, Content, Event, Reasoning, Result, ToolCall

from .demo_screen import CALL, CONTENT, MARKER, REASONING, TITLE, Screen

COLOURS: Mapping[type[Event], str] = {
    Reasoning: REASONING, Content: CONTENT, ToolCall: MARKER, Arguments: CALL,
}  # fmt: skip
NAMES: Mapping[type[Event], str] = {
    Reasoning: "reasoning", Content: "content", ToolCall: "call", Arguments: "arguments",
}  # fmt: skip


def as_json(event: Event) -> dict[str, Any]:
    """{"type": ..., and the event's fields}."""
    fields = event._asdict()
    if fields.get("id") == "":  # the format has none
        del fields["id"]
    return {"type": NAMES[type(event)], **fields}


class EventScreen(Screen):
    def heading(self) -> None:
        self.line(f"{'chunk':>7}  event")

    def event(self, chunk: int, event: Event) -> None:
        """chunk: the number of the one with which it came out."""
        what = NAMES[type(event)]
        if isinstance(event, ToolCall | Arguments):
            what += f" {event.index + 1}"
        self.write(f"{chunk:>7}  {what:<13}", TITLE)
        if isinstance(event, ToolCall):
            text = f"{event.name}  (ID {event.id})" if event.id else event.name
        else:
            text = repr(event.text)
        self.write(text, COLOURS[type(event)])
        self.line()

    def result(self, result: Result, note: str) -> None:
        self.title("the whole output")
        calls = [
            {"index": index, "function": {"name": call.name, "arguments": call.arguments}}
            for index, call in enumerate(result.calls)
        ]
        self.delta({"reasoning": result.reasoning, "content": result.content, "tool_calls": calls})
        self.end()
        self.line(f"\n{note}")
