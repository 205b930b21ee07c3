"""What the demo shows: a prompt with its markers, an answer as it comes, a table of costs.

Colours only on a terminal, and never with NO_COLOR in the environment. Text of a model or a
template is shown without control characters, which could drive the terminal.
"""

from __future__ import annotations

import os
import re
from typing import Any, TextIO

from .demo_client import Stage, Turn

MARKER, REASONING, CONTENT, CALL, TITLE = "35", "2", "0", "33", "1;36"
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Screen:
    def __init__(self, out: TextIO) -> None:
        self.out = out
        self.colour = out.isatty() and not os.environ.get("NO_COLOR")
        self.section = ""
        self.newlines = ""  # written only when more of the section follows

    def write(self, text: str, code: str = "") -> None:
        text = CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
        self.out.write(f"\x1b[{code}m{text}\x1b[0m" if self.colour and code and text else text)
        self.out.flush()

    def line(self, text: str = "") -> None:
        self.write(text + "\n")

    def title(self, text: str) -> None:
        self.write(f"\n== {text}\n", TITLE)

    def prompt(self, text: str, markers: set[str]) -> None:
        """The text, its markers highlighted."""
        pattern = "|".join(map(re.escape, sorted(markers, key=len, reverse=True)))
        parts = re.split(f"({pattern})", text) if pattern else [text]
        for place, part in enumerate(parts):
            self.write(part, MARKER if place % 2 else "")
        self.line()

    def delta(self, delta: dict[str, Any]) -> None:
        """What has just been parsed."""
        if text := delta.get("reasoning"):
            self._part("reasoning", text, REASONING)
        if text := delta.get("content"):
            self._part("content", text, CONTENT)
        for part in delta.get("tool_calls") or ():
            function = part.get("function") or {}
            if name := function.get("name"):
                self._part(f"tool call {part['index'] + 1}", f"{name} ", CALL)
            if text := function.get("arguments"):
                self._part(f"tool call {part['index'] + 1}", text, CALL)

    def _part(self, section: str, text: str, code: str) -> None:
        """More text of a section; line breaks at its two ends are not shown."""
        if section != self.section:
            text = text.lstrip("\n")
            if not text:
                return
            self.end()
            self.section = section
            self.write(f"{section:>12} | ", TITLE)
        text = self.newlines + text
        shown = text.rstrip("\n")
        self.newlines = text[len(shown) :]
        self.write(shown.replace("\n", f"\n{'':>12} | "), code)

    def end(self) -> None:
        """Close an answer."""
        if self.section:
            self.line()
        self.section = self.newlines = ""

    def costs(self, turn: Turn) -> None:
        """A line a stage: calls, time, bytes each way."""
        self.line(
            f"{'stage':>12} | {'calls':>6} {'time':>10} {'a call':>10} {'sent':>9} {'got':>9}"
        )
        for name in ("render", "engine", "derender"):
            stage: Stage = getattr(turn, name)
            self.line(
                f"{name:>12} | {stage.calls:>6} {1e3 * stage.seconds:>7.1f} ms "
                f"{1e6 * stage.seconds / max(stage.calls, 1):>7.0f} µs "
                f"{size(stage.sent):>9} {size(stage.received):>9}"
            )
        usage = turn.usage or {}
        self.line(
            f"{'':>12} | {usage.get('prompt_tokens')} prompt tokens, "
            f"{usage.get('completion_tokens')} output tokens, finish_reason {turn.finish_reason}, "
            f"stream_state at most {turn.state} bytes"
        )


def size(count: int) -> str:
    return f"{count} B" if count < 10_000 else f"{count / 1000:.1f} kB"
