"""Snapshots come back through clients: every value is checked before it is used.

A snapshot is `[scanner, [region, raw], codec, policy]`, JSON-able and short: the text that the
scanner holds back, the region with the text that is content again should the markup before it
turn out not to open a call, the codec's own list or None, and the policy's counters.
"""

from __future__ import annotations

from typing import Any


class Malformed(ValueError):
    """The saved state is none that this format makes."""

    def __init__(self) -> None:
        super().__init__("malformed parser state")


def items(saved: object, count: int) -> list[Any]:
    """The saved list, which has `count` items."""
    if not isinstance(saved, list) or len(saved) != count:
        raise Malformed
    return saved


def text(saved: object) -> str:
    if not isinstance(saved, str):
        raise Malformed
    return saved


def texts(saved: object, count: int) -> list[str]:
    """The saved list, which has `count` strings."""
    for item in items(saved, count):
        if not isinstance(item, str):
            raise Malformed
    return saved  # type: ignore[return-value]  # by now it is


def count(saved: object) -> int:
    """A saved counter: a whole number from 0."""
    if type(saved) is not int or saved < 0:
        raise Malformed
    return saved
