"""Waiting for something to become true, with a bound that only a hanging test reaches."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")


def until(check: Callable[[], Value | None], seconds: float = 30.0) -> Value:
    """What `check` returns as soon as it is true; AssertionError after so many seconds."""
    deadline = time.monotonic() + seconds
    while not (value := check()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)
    return value
