"""Commands that print much, into a pipe that may be closed early (`| head`)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """What is printed after the reader has gone is lost without a word."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
