"""Inputs from inputs: a few changes of bytes, of JSON values, or parts of two."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import orjson

LONGEST = 8192
"""Bytes of an input. Longer ones find no other faults, and take longer."""
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 2, -1, 0.5, -0.0, 1e300, 2**31, 2**53, 2**63, -(2**63), 10**9),
    *("", "x", " ", "auto", "none", "required", "user", "tool", "\0", "é🎉", "<|im_end|>", "1"),
    *([], {}, [[]], [None], ["x"], [0], {"": {}}, {"type": "object"}, {"type": "text", "text": ""}),
)
BITS = (
    *rb'" \ { } [ ] , : 0 - e \u \ud800 < >'.split(),
    *(b"\n", b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80"),
)


def changed(data: bytes, pool: Sequence[bytes], words: Sequence[bytes], rng: Random) -> bytes:
    """One to four changes. words: what the target's inputs are written with."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        node = _json(data) if rng.random() < 0.5 else None
        if node is None:
            data = _bytes(data, pool, words, rng)
        else:
            data = orjson.dumps(_value(node, _json(rng.choice(pool)), rng))
    return data[:LONGEST]


def _bytes(data: bytes, pool: Sequence[bytes], words: Sequence[bytes], rng: Random) -> bytes:
    at = rng.randint(0, len(data))
    end = min(len(data), at + rng.choice((0, 0, 1, 1, 4, 40)))
    match rng.randrange(6):
        case 0:
            new = rng.choice(BITS)
        case 1 | 2 if words:
            new = rng.choice(words)
        case 3:
            other = rng.choice(pool)
            start = rng.randint(0, len(other))
            new = other[start : start + rng.randint(0, 64)]
        case 4:
            new = data[at:end] * rng.choice((2, 3, 100))
        case _:
            new = rng.randbytes(rng.randint(0, 2))
    return data[:at] + new + data[end:]


def _json(data: bytes) -> Any:
    """The value of the JSON, None for what is none."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return None


def _value(node: Any, other: Any, rng: Random) -> Any:
    """The value with one of those in it replaced, dropped, or said twice."""
    if not isinstance(node, dict | list) or not node or rng.random() < 0.1:
        return _piece(other, rng) if rng.random() < 0.3 else rng.choice(VALUES)
    key: Any = rng.choice(list(node)) if isinstance(node, dict) else rng.randrange(len(node))
    node = node.copy()
    how = rng.randrange(12)
    if how == 0:
        del node[key]
    elif how == 1 and isinstance(node, list):
        node.insert(key, node[key])
    elif how == 1 and isinstance(other, dict):
        node.update(other)
    else:
        node[key] = _value(node[key], other, rng)
    return node


def _piece(node: Any, rng: Random) -> Any:
    while isinstance(node, dict | list) and node and rng.random() < 0.7:
        node = rng.choice(list(node.values()) if isinstance(node, dict) else node)
    return node
