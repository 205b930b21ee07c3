"""Token IDs and the chunks that they came in, as one short string.

Numbers have seven bits a byte, low ones first, the eighth bit set in all bytes of one but its
last; then base64. A chunk is its length and its IDs.
"""

from __future__ import annotations

import binascii
from collections.abc import Sequence

NUMBER_BYTES = 5
"""Token IDs have 32 bits at most."""
TOO_LONG = "its history is longer than a sequence may be"


class History:
    """The chunks of an output so far; adding one costs as much as it is long."""

    __slots__ = ("_packed",)

    def __init__(self, packed: bytes = b"") -> None:
        self._packed = bytearray(packed)

    def add(self, ids: Sequence[int]) -> None:
        _append(self._packed, (len(ids), *ids))

    def text(self) -> str:
        return pack_bytes(self._packed)


def pack(ids: Sequence[int]) -> str:
    packed = bytearray()
    _append(packed, ids)
    return pack_bytes(packed)


def pack_bytes(packed: bytes | bytearray) -> str:
    return binascii.b2a_base64(packed, newline=False).decode()


def unpack(text: str, *, most: int, below: int) -> list[int]:
    """The IDs that `pack` was given; ValueError where there are more than `most` of them, or one
    is not below `below`.
    """
    ids = _numbers(unpack_bytes(text), most)
    _check(ids, most, below)
    return ids


def unpack_bytes(text: str) -> bytes:
    return binascii.a2b_base64(text, strict_mode=True)


def chunks(packed: bytes, *, most: int, below: int) -> list[list[int]]:
    """The chunks of a History, none empty; ValueError as `unpack` raises it."""
    numbers, found, at = _numbers(packed, 2 * most), [], 0
    while at < len(numbers):
        length = numbers[at]
        chunk = numbers[at + 1 : at + 1 + length]
        if not length or len(chunk) < length:
            raise ValueError("a chunk of its history has another length than it says")
        found.append(chunk)
        at += 1 + length
    for chunk in found:
        _check(chunk, most, below)
        most -= len(chunk)
    return found


def _append(packed: bytearray, numbers: Sequence[int]) -> None:
    for number in numbers:
        while number > 0x7F:
            packed.append(number & 0x7F | 0x80)
            number >>= 7
        packed.append(number)


def _numbers(packed: bytes, most: int) -> list[int]:
    if len(packed) > NUMBER_BYTES * most:
        raise ValueError(TOO_LONG)
    numbers, number, shift = [], 0, 0
    for byte in packed:
        number |= (byte & 0x7F) << shift
        if byte & 0x80:
            shift += 7
            if shift >= 7 * NUMBER_BYTES:
                raise ValueError("a number of its history is too large")
        else:
            numbers.append(number)
            number = shift = 0
    if shift:
        raise ValueError("its history is cut short")
    return numbers


def _check(ids: Sequence[int], most: int, below: int) -> None:
    if len(ids) > most:
        raise ValueError(TOO_LONG)
    if any(index >= below for index in ids):
        raise ValueError("its history has a token ID that the model does not have")
