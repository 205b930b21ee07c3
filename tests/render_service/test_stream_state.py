from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from render_service import stream_state
from render_service.errors import RequestError
from render_service.stream_state import MAX_BYTES, VERSION, StreamState
from tests.parsers.support import FILES, context_of, format_of, pieces_of, recorded


def test_a_state_comes_back_as_it_was() -> None:
    state = StreamState(v=VERSION, d=[195], p=[1, "held", [2]], r=True, l=[1, 2, 3, 4], o=7, n=9)
    assert stream_state.decode(stream_state.encode(state), "chat") == state


def test_what_is_at_its_default_is_not_sent() -> None:
    assert json.loads(stream_state.encode(StreamState(v=VERSION))) == {"v": VERSION}


@pytest.mark.parametrize(
    "state",
    [
        {},
        [],
        "x",
        {"v": VERSION + 1},
        {"v": "1"},
        {"v": VERSION, "n": -1},
        {"v": VERSION, "o": -1},
        {"v": VERSION, "l": [1, 2, 3, 4, 5]},
        {"v": VERSION, "l": ["a"]},
        {"v": VERSION, "l": [-1]},
        {"v": VERSION, "l": [2**31]},
        {"v": VERSION, "n": 10**30},
        {"v": VERSION, "o": 10**30},
        {"v": VERSION, "k": "completion"},
        {"v": VERSION, "k": "other"},
        {"v": VERSION, "r": 3},
        {"v": VERSION, "p": {}},
        {"prev_tokens": [], "prefix_offset": 0, "output_token_ids": []},
    ],
)
def test_a_state_that_we_did_not_write_is_refused_with_advice(state: Any) -> None:
    with pytest.raises(RequestError, match=r"invalid stream_state: .* unchanged") as refused:
        stream_state.decode(json.dumps(state).encode(), "chat")
    assert refused.value.status == 400
    assert refused.value.param == "stream_state"


def test_a_state_beyond_any_honest_size_is_not_even_read() -> None:
    with pytest.raises(RequestError, match=f"more than the {MAX_BYTES}"):
        stream_state.decode(b"[" * (MAX_BYTES + 1), "chat")


FULL = StreamState(
    v=VERSION,
    d=[2**17] * 3,
    r=True,
    i=127,
    l=[2**17] * 4,
    o=2**20,
    n=2**20,
    c="x" * 64,
    f="0123456789ab",
    q="0123456789ab",
    m="0123456789abcdef01234567",
)


@pytest.mark.parametrize("file", FILES)
def test_states_of_every_parser_stay_within_a_kibibyte(file: str) -> None:
    """With all else that a state may hold, but a value that cannot be streamed."""
    fmt = format_of(file)
    cases = sorted(recorded(file)[1], key=lambda case: len(case["pieces"]))[-6:]
    for case in cases:
        stream = fmt.start(context_of(case["request"]), case["prompt_ids"])
        for piece in pieces_of(case, fmt):
            stream.feed([piece])
            state = msgspec.structs.replace(FULL, p=stream.snapshot())
            assert len(stream_state.encode(state)) <= 1024, case["name"]
