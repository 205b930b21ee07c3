"""Bounds on a JSON body before it is read: how deep it nests, and how much it holds for its size.

An empty array is three bytes of JSON and ninety of memory, and its reader may call itself once a
level. What counts is counted without reading, in time that grows as the body does.
"""

from __future__ import annotations

import gc
import re
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate

from ..errors import schema_error

MAX_NESTING = 128
"""Objects and arrays within each other; keeps every recursive reader far from Python's limit."""

FREE_CONTAINERS, BYTES_A_CONTAINER = 100_000, 24
"""Objects and arrays that any body may hold, and bytes that it has for each one more. Logprobs,
the smallest objects of which honest bodies hold many, have twice as many bytes."""

LARGE = 64 * 1024

_NOT_STRUCTURE = bytes(c for c in range(256) if c not in b'[]{}"')
_QUOTED = re.compile(rb'"[^"]*"')
_BRACKETS = bytes.maketrans(b"{}", b"[]")
_STEPS = bytes.maketrans(b"[]", b"\x01\xff")  # +1 and -1 as signed bytes
_EASY_LEVELS = 8


def check_bounds(raw: bytes) -> None:
    """Raises RequestError (400). What is not JSON is left to the reader to name."""
    if raw.count(b"[") + raw.count(b"{") <= MAX_NESTING:
        return
    escaped = raw.replace(b"\\\\", b"").replace(b'\\"', b"")
    structure = escaped.translate(None, _NOT_STRUCTURE).replace(b'""', b"")
    brackets = _QUOTED.sub(b"", structure).translate(_BRACKETS)
    if brackets.count(b"[") > FREE_CONTAINERS + len(raw) // BYTES_A_CONTAINER:
        raise schema_error("The request body holds too many objects and arrays.", "body")
    if _depth_exceeds(brackets, MAX_NESTING):
        raise schema_error(
            f"The request body nests objects and arrays deeper than {MAX_NESTING} levels.", "body"
        )


def _depth_exceeds(brackets: bytes, limit: int) -> bool:
    for _ in range(_EASY_LEVELS):  # each pass takes away the innermost level, of most bodies all
        rest = brackets.replace(b"[]", b"")
        if len(rest) == len(brackets):
            break
        brackets, limit = rest, limit - 1
    depth = 0
    for at in range(0, len(brackets), LARGE):  # in slices, so that other threads have their turn
        steps = array("b", brackets[at : at + LARGE].translate(_STEPS))
        if max(accumulate(steps, initial=depth)) > limit:
            return True
        depth += sum(steps)
    return False


@contextmanager
def no_collection(raw: bytes) -> Iterator[None]:
    """While a large body is read, Python would look for garbage among what was read, again and
    again: most of the time that reading takes, and no other thread runs meanwhile.
    """
    if len(raw) < LARGE or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
