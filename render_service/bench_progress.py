"""What is being measured, on stderr: a line that fills on a terminal, else one line a step."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TextIO

WIDTH = 24


class Progress:
    def __init__(self, out: TextIO) -> None:
        self._out, self._terminal = out, out.isatty()
        self._title, self._begun, self._open = "", 0.0, False

    def step(self, title: str) -> None:
        self.end()
        self._title, self._begun, self._open = title, time.monotonic(), True
        if self._terminal:
            self.share(0.0)
        else:
            self._write(f"{title}\n")

    def share(self, done: float) -> None:
        """done: of this step, from 0 to 1."""
        if self._terminal:
            bar = ("#" * round(done * WIDTH)).ljust(WIDTH, ".")
            seconds = time.monotonic() - self._begun
            self._write(f"\r[{bar}] {seconds:4.0f} s  {self._title}\x1b[K")

    def end(self) -> None:
        if self._open and self._terminal:
            self.share(1.0)
            self._write("\n")
        self._open = False

    def _write(self, text: str) -> None:
        with suppress(OSError):
            self._out.write(text)
            self._out.flush()
