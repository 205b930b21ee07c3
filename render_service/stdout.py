"""Standard streams that are closed, on a full disk, or a pipe whose reader has gone (`| head`).

None of them is a reason to fail: what cannot be written is lost without a word.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """What is printed after the reader has gone is lost without a word."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def open_if_closed() -> None:
    """A descriptor that is closed at the start would else be that of the next file or socket."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
        if getattr(sys, name) is None:
            file = open(number, "w" if number else "r", encoding="utf-8")  # noqa: SIM115 - stays
            setattr(sys, name, file)


def flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
