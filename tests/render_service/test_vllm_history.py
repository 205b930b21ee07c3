"""A history is short, comes back as it was, and holds what is made by hand to its bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from render_service.vllm_history import History, chunks, pack, pack_bytes, unpack, unpack_bytes

BOUNDS = {"most": 1000, "below": 2**31}
IDS = st.integers(0, 2**31 - 1)


@given(st.lists(st.lists(IDS, min_size=1, max_size=9), max_size=9), st.data())
def test_chunks_come_back(parts: list[list[int]], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(parts)))
    history = History()
    for part in parts[:at]:
        history.add(part)
    history = History(unpack_bytes(history.text()))
    for part in parts[at:]:
        history.add(part)
    assert chunks(unpack_bytes(history.text()), **BOUNDS) == parts


@given(st.lists(IDS, max_size=50))
def test_ids_come_back(ids: list[int]) -> None:
    assert unpack(pack(ids), **BOUNDS) == ids


def test_it_is_short() -> None:
    history = History()
    for token in range(150_000, 150_100):
        history.add([token])
    assert len(history.text()) <= 100 * 4 * 4 / 3 + 4


@pytest.mark.parametrize(
    ("packed", "why"),
    [
        (bytes([3, 1, 2]), "another length"),
        (bytes([0]), "another length"),
        (bytes([1, 0x80]), "cut short"),
        (bytes([1, *[0xFF] * 5, 1]), "too large"),
        (bytes([1, 100]), "does not have"),
        (bytes([3, 1, 2, 3, 3, 1, 2, 3]), "longer"),
        (bytes(51), "longer"),  # seen before any of it is read
    ],
)
def test_one_made_by_hand_is_refused(packed: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        chunks(unpack_bytes(pack_bytes(packed)), most=5, below=100)


@pytest.mark.parametrize("text", ["x", "ÄÄÄÄ", "A A="])
def test_what_is_no_base64_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the words are Python's
        unpack(text, **BOUNDS)
