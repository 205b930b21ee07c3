from __future__ import annotations

import gc
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from render_service.errors import RequestError
from render_service.protocol import json_bounds
from render_service.protocol.decode import decode_object
from render_service.protocol.json_bounds import (
    BYTES_A_CONTAINER,
    FREE_CONTAINERS,
    LARGE,
    LONGEST_INTEGER,
    MAX_NESTING,
    check_bounds,
    holds_long_integers,
    may_be_out_of_range,
    no_collection,
)


def nested(depth: int) -> bytes:
    return b'{"a":' * (depth - 1) + b"[]" + b"}" * (depth - 1)


@pytest.mark.parametrize("after", [b"[]" * 200, b"]" * 200, b"[[],[]]," * (LARGE // 5)])
def test_nesting_exactly(after: bytes) -> None:
    check_bounds(nested(MAX_NESTING) + after)
    with pytest.raises(RequestError, match="nests"):
        check_bounds(nested(MAX_NESTING + 1) + after)


@pytest.mark.parametrize("start", [0, 1, 57, 102, 103, 104, 5000])
@pytest.mark.parametrize("sign", ["", "-"])
def test_integers_of_any_length(start: int, sign: str) -> None:
    def body(digits: str) -> bytes:
        return f'{{"a": [{" " * start}0.5, "{digits}", {{"b": {digits}}}]}}'.encode()

    decode_object(body(sign + "9" * LONGEST_INTEGER))
    for digits in ("1" + "0" * LONGEST_INTEGER, "9" * 4300):
        with pytest.raises(RequestError, match=r"more than 308 digits|numbers out of range"):
            decode_object(body(sign + digits))


@pytest.mark.parametrize(
    ("raw", "refused"),
    [
        (b'{"a": %b, "a": 2}', True),
        (b'{"a\\"": "\\\\", "b": [1, -%b]}', True),
        (b'{"a": "%b"}', False),
        (b'{"a": "\\"%b"}', False),
        (b'{"a": 0.%b, "b": 5e-%b}', False),
        (b'{"a": %be-200}', False),
        (b'{"a": 1e+%b, "b": 1E+0%b}', False),
    ],
)
def test_integers_are_told_from_what_looks_like_them(raw: bytes, refused: bool) -> None:
    whole = raw.replace(b"%b", b"9" * 309)
    assert holds_long_integers(whole) is refused
    assert may_be_out_of_range(whole)
    if refused:
        with pytest.raises(RequestError):
            decode_object(whole)


def test_token_ids_are_not_taken_for_long_integers() -> None:
    raw = b"[%b]" % b",".join(b"%d" % (i * 7919 % 151_000) for i in range(50_000))
    assert not holds_long_integers(raw)
    assert not may_be_out_of_range(raw)


def test_nesting_behind_a_long_body() -> None:
    long = b"[" + b'{"a": [1, {}]},' * (LARGE // 4)
    check_bounds(long + nested(MAX_NESTING - 1))
    with pytest.raises(RequestError, match="nests"):
        check_bounds(long + nested(MAX_NESTING))


@pytest.mark.parametrize("text", [b"[" * 500, b'\\"[' * 300, b"\\\\", b'\\\\\\"' + b"{" * 300])
def test_brackets_in_strings_do_not_nest(text: bytes) -> None:
    raw = b'{"a": "' + text + b'", "b": [' + b"[]," * 200 + b"1]}"
    assert "a" in decode_object(raw)


def test_a_string_does_not_hide_nesting() -> None:
    with pytest.raises(RequestError, match="nests"):
        check_bounds(b'["]",' * 300 + b"1" + b"]" * 300)


def depth_of(value: Any) -> int:
    if isinstance(value, (dict, list)):
        inner = value.values() if isinstance(value, dict) else value
        return 1 + max(map(depth_of, inner), default=0)
    return 0


VALUES = st.recursive(
    st.text('[]{}"\\a', max_size=5),
    lambda inner: st.lists(inner) | st.dictionaries(st.text('[]{}"\\', max_size=3), inner),
    max_leaves=30,
)


@settings(max_examples=100, deadline=None)
@given(VALUES)
def test_the_depth_is_that_of_the_value(value: Any) -> None:
    for _ in range(10):
        value = [value, value] if depth_of(value) < 3 else [value]
    raw, depth = json.dumps(value).encode(), depth_of(value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_bounds, "MAX_NESTING", depth)
        check_bounds(raw)
        patch.setattr(json_bounds, "MAX_NESTING", depth - 1)
        with pytest.raises(RequestError, match="nests"):
            check_bounds(raw)


def test_many_small_containers_are_refused() -> None:
    """A body may hold some of any size, and more if it is long enough for honest ones."""
    few = b"[" + b"[]," * (FREE_CONTAINERS - 1) + b"1]"
    check_bounds(few)
    honest = b'{"token_id":5,"logprob":-1.5,"rank":1},'
    assert len(honest) > BYTES_A_CONTAINER
    check_bounds(b"[" + honest * (3 * FREE_CONTAINERS) + b"1]")
    with pytest.raises(RequestError, match="too many objects and arrays") as refused:
        check_bounds(b"[" + b"[]," * (2 * FREE_CONTAINERS) + b"1]")
    assert (refused.value.status, refused.value.type) == (400, "Bad Request")
    check_bounds(b'{"prompt": "' + b"[]" * (2 * FREE_CONTAINERS) + b'"}')


def test_garbage_is_collected_again_afterwards() -> None:
    with no_collection(LARGE):
        assert not gc.isenabled()
        with no_collection(LARGE):
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    with no_collection(1):
        assert gc.isenabled()
    with pytest.raises(RequestError):
        decode_object(b"{" * LARGE)
    assert gc.isenabled()
