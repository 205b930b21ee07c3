"""Memory that a large request needed, given back to the system.

glibc keeps what is freed between pieces that are still in use: after the tokens of a 64 MiB text
that is 4 GB, for as long as the process lives. Other C libraries are left to themselves.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

LARGE = 1 << 20
"""Bytes of a body from which on it is worth a look at the whole heap, some milliseconds."""


def _trimmer() -> Callable[[int], int] | None:
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError):
        return None
    return trim


_trim = _trimmer()


def give_back() -> None:
    """What is free goes to the system. Other threads may run meanwhile."""
    if _trim is not None:
        _trim(0)
