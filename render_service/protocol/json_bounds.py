"""Bounds on a JSON body: how deep it nests, how much it holds for its size, how large its integers.

An empty array is three bytes of JSON and ninety of memory, and its reader may call itself once a
level. What may be too much is counted without reading, in time that grows as the body does; depth
is looked at afterwards where the reader bounds itself, since most of a body is text.
"""

from __future__ import annotations

import gc
import re
from array import array
from itertools import accumulate
from typing import Any

from ..errors import RequestError, schema_error

MAX_NESTING = 128
"""Objects and arrays within each other; keeps every recursive reader far from Python's limit."""

FREE_CONTAINERS, BYTES_A_CONTAINER = 100_000, 24
"""Objects and arrays that any body may hold, and bytes that it has for each one more. Logprobs,
the smallest objects of which honest bodies hold many, have twice as many bytes."""

LONGEST_INTEGER = 308
"""Digits of an integer that every reader of the answer takes: the largest double has one more."""

LARGE = 64 * 1024

_NOT_STRUCTURE = bytes(c for c in range(256) if c not in b'[]{}"')
_QUOTED = re.compile(rb'"[^"]*"')
_BRACKETS = bytes.maketrans(b"{}", b"[]")
_STEPS = bytes.maketrans(b"[]", b"\x01\xff")  # +1 and -1 as signed bytes
_EASY_LEVELS = 8
_CONTAINERS = (dict, list)
# A longer integer shows three digits in a row of every 103rd byte: little to look at.
_SAMPLE, _DIGITS = (LONGEST_INTEGER + 1) // 3, re.compile(rb"[0-9]{3}")
_LONG = b"0" * (LONGEST_INTEGER + 1)
_LONG_INTEGER = re.compile(rb"(?<![0.e])0{%d,}(?![0.e])" % (LONGEST_INTEGER + 1))
# Digits as 0; what else numbers are made of, and quotes, stay; a number of fewer digits, and of an
# exponent of two at most, is in range.
_SHAPE = bytes(
    48 if c in b"0123456789" else 101 if c in b"eE" else c if c in b'."' else 32 for c in range(256)
)
_IN_RANGE, _EXPONENT = b"0" * (LONGEST_INTEGER - 98), b"e000"


def check_bounds(raw: bytes) -> None:
    """Raises RequestError (400). What is not JSON is left to the reader to name."""
    if raw.count(b"[") + raw.count(b"{") <= MAX_NESTING:
        return
    structure = brackets(raw)
    if too_many(structure.count(b"["), len(raw)):
        raise _too_many_containers()
    if _depth_exceeds(structure, MAX_NESTING):
        raise too_deep()


def check_size(raw: bytes) -> None:
    """The bound on objects and arrays alone. Raises RequestError (400)."""
    # A container is two bytes at least, so that a shorter body cannot hold too many.
    size = len(raw)
    if size <= 2 * FREE_CONTAINERS or not too_many(raw.count(b"[") + raw.count(b"{"), size):
        return
    if too_many(brackets(raw).count(b"["), size):
        raise _too_many_containers()


def check_nesting(raw: bytes, value: Any, levels: int = MAX_NESTING) -> None:
    """The bound on depth alone, of a value read from `raw` by a reader with a bound of its own.

    levels: that it may have. Raises RequestError (400).
    """
    if _may_nest(raw, levels) and nests(value, levels):
        raise too_deep()


def holds_long_integers(raw: bytes) -> bool:
    """Whether an integer of more than LONGEST_INTEGER digits is in the JSON, outside of texts.

    In an answer that gives it back it would be no number to many readers, as 1e999 is none.
    """
    if _DIGITS.search(raw[::_SAMPLE]) is None or _LONG not in raw.translate(_SHAPE, b"+-"):
        return False
    shape = _escaped(raw).translate(_SHAPE, b"+-")
    return _LONG_INTEGER.search(_QUOTED.sub(b"", shape)) is not None


def may_be_out_of_range(raw: bytes) -> bool:
    """Whether a number in the JSON may be one that a double cannot hold; texts may look like it."""
    shape = raw.translate(_SHAPE, b"+-")
    return _IN_RANGE in shape or _EXPONENT in shape


def too_long() -> RequestError:
    """A body that holds such an integer."""
    return schema_error(
        f"The request body holds an integer of more than {LONGEST_INTEGER} digits.", "body"
    )


def too_deep() -> RequestError:
    """A body that nests too deep."""
    return schema_error(
        f"The request body nests objects and arrays deeper than {MAX_NESTING} levels.", "body"
    )


def _too_many_containers() -> RequestError:
    return schema_error("The request body holds too many objects and arrays.", "body")


def too_many(containers: int, size: int) -> bool:
    """size: of the JSON that holds them, in bytes."""
    return containers > FREE_CONTAINERS + size // BYTES_A_CONTAINER


def _may_nest(raw: bytes, levels: int) -> bool:
    """Whether so many are opened, in strings or not. `find` is ten times faster than `count`."""
    opened = 0
    for bracket in (b"[", b"{"):
        at = raw.find(bracket)
        while at >= 0:
            opened += 1
            if opened > levels:
                return True
            at = raw.find(bracket, at + 1)
    return False


def nests(value: Any, levels: int) -> bool:
    """Whether it does, deeper. Level by level: a reader that calls itself has to be bounded."""
    level = [value] if type(value) in _CONTAINERS else []
    for _ in range(levels):
        inside = (one.values() if type(one) is dict else one for one in level)
        level = [value for values in inside for value in values if type(value) in _CONTAINERS]
        if not level:
            return False
    return True


def brackets(raw: bytes) -> bytes:
    """`[` and `]` for what opens and closes objects and arrays, outside of strings."""
    structure = _escaped(raw).translate(None, _NOT_STRUCTURE).replace(b'""', b"")
    return _QUOTED.sub(b"", structure).translate(_BRACKETS)


def _escaped(raw: bytes) -> bytes:
    """Without what is escaped, so that each quote is one that begins or ends a text."""
    return raw.replace(b"\\\\", b"").replace(b'\\"', b"")


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


class no_collection:  # named as contextlib names such
    """While much JSON is read, Python would look for garbage among what was read, again and
    again: most of the time that reading takes, and no other thread runs meanwhile.

    size: of the JSON, in bytes.
    """

    __slots__ = ("_off",)

    def __init__(self, size: int) -> None:
        self._off = size >= LARGE and gc.isenabled()

    def __enter__(self) -> None:
        if self._off:
            gc.disable()

    def __exit__(self, *raised: object) -> None:
        if self._off:
            gc.enable()
