"""Bodies to typed values: leniency, error params, hostile JSON."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Meta, Struct

from render_service.errors import RequestError
from render_service.protocol import decode as d
from render_service.protocol.derender import chat_decoder

from .json_values import values


class Inner(Struct):
    kind: Literal["a", "b"]


class Body(Struct):
    count: int | None = None
    ratio: float = 1.0
    flag: bool = False
    bias: dict[str, float] | None = None
    mode: Literal["x", "y"] | None = None
    items: list[Inner] | None = None
    seed: Annotated[int, Meta(ge=-5, le=5)] | None = None
    stop: str | Annotated[list[str], Meta(max_length=2)] | None = None
    choice: Literal["none"] | Inner | None = None
    nested: dict[str, dict[str, int]] | None = None
    counts: dict[str, Annotated[int, Meta(ge=0)]] | None = None


DECODER = msgspec.json.Decoder(Body, strict=False)


def refused(data: dict[str, Any]) -> RequestError:
    with pytest.raises(RequestError) as caught:
        d.convert(data, Body)
    assert (caught.value.status, caught.value.type) == (400, "Bad Request")
    return caught.value


@pytest.mark.parametrize(
    ("data", "field", "value"),
    [
        ({"count": "5"}, "count", 5),
        ({"count": 5.0}, "count", 5),
        ({"count": True}, "count", 1),
        ({"ratio": 2}, "ratio", 2.0),
        ({"ratio": False}, "ratio", 0.0),
        ({"flag": "yes"}, "flag", True),
        ({"flag": "OFF"}, "flag", False),
        ({"flag": 1}, "flag", True),
        ({"flag": 1.0}, "flag", True),
        ({"count": " 1_000.0"}, "count", 1000),
        ({"ratio": "\u20031e1"}, "ratio", 10.0),
        ({"bias": {"k": True, "l": "1_0"}}, "bias", {"k": 1.0, "l": 10.0}),
        ({"nested": {"a": {"b": "+7"}}}, "nested", {"a": {"b": 7}}),
        ({"seed": "-005"}, "seed", -5),
        ({"stop": "1"}, "stop", "1"),
        ({"count": None}, "count", None),
        ({"unknown": 1}, "count", None),
    ],
)
def test_reads_leniently(data: dict[str, Any], field: str, value: Any) -> None:
    found = getattr(d.convert(data, Body), field)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("data", "param", "words"),
    [
        ({"count": "x"}, "body.count", "`count` must be an integer, not a string."),
        ({"count": 1.5}, "body.count", "not a fractional number"),
        ({"flag": "maybe"}, "body.flag", "must be true or false"),
        ({"items": [{"kind": "a"}, {"kind": "c"}]}, "body.items.1.kind", '"a", "b"'),
        ({"items": [{}]}, "body.items.0.kind", "is required"),
        ({"items": [5]}, "body.items.0", "must be an object, not an integer"),
        ({"bias": {"1": 2, "k": "x"}}, "body.bias.k", "`bias.k` must be a number"),
        ({"nested": {"a": {"b": "null"}}}, "body.nested.a.b", "not a string"),
        ({"nested": {"a": {"b": "x"}}}, "body.nested.a.b", "must be an integer"),
        ({"counts": {"a": 1, "b": -1}}, "body.counts", "must be an integer >= 0"),
        ({"mode": "z"}, "body.mode", 'Allowed values: "x", "y"'),
        ({"mode": 5}, "body.mode", "not an integer"),
        ({"seed": 6}, "body.seed", "`seed` must be an integer <= 5"),
        ({"stop": ["a"] * 3}, "body.stop", "an array of length <= 2"),
        ({"stop": [1]}, "body.stop", "`stop.0` must be a string"),
        ({"stop": 5}, "body.stop", "a string or an array"),
        ({"choice": {"kind": "z"}}, "body.choice", '"a", "b"'),
        ({"choice": 5}, "body.choice", 'Allowed values: "none"'),
        ({"flag": None}, "body.flag", "not null"),
        ({"flag": "null"}, "body.flag", "not a string"),
        ({"flag": 2.0}, "body.flag", "not a fractional number"),
        ({"count": "null"}, "body.count", "not a string"),
        ({"count": "1e3"}, "body.count", "not a string"),
        ({"count": "1" * 5000}, "body.count", "not a string"),
        ({"count": 2.0**63}, "body.count", "not a fractional number"),
        ({"ratio": "٣"}, "body.ratio", "not a string"),
        ({"ratio": " 1_0"}, "body.ratio", "not a string"),
        ({"bias": "null"}, "body.bias", "not a string"),
        ({"items": "null"}, "body.items", "not a string"),
    ],
)
def test_says_what_is_wrong(data: dict[str, Any], param: str, words: str) -> None:
    error = refused(data)
    assert error.param == param
    assert words in error.message


@pytest.mark.parametrize(
    ("raw", "param"),
    [
        (b"", "body"),
        (b"null", "body"),
        (b"[]", "body"),
        (b'"text"', "body"),
        (b"{", "body.1"),
        (b'{"a": 1} x', "body.9"),
        (b'{"count": NaN}', "body"),
        (b'{"count": 1e999}', "body"),
        (b'{"stop": "\xff"}', "body"),
        (rb'{"stop": "\ud800"}', "body"),
        (b'{"count": ' + b"9" * 5000 + b"}", "body"),
        (b"[" * 100_000, "body"),
        (b'{"a":' * 100_000, "body"),
        (b'{"a":' + b"[" * 200 + b"]" * 200 + b"}", "body"),
        (b"]" * 500, "body.0"),
    ],
)
@pytest.mark.parametrize("read", [d.decode_object, lambda raw: d.decode(DECODER, raw)])
def test_refuses_what_is_no_request(read: Any, raw: bytes, param: str) -> None:
    with pytest.raises(RequestError) as caught:
        read(raw)
    assert (caught.value.status, caught.value.type) == (400, "Bad Request")
    assert caught.value.param == param


def test_last_of_duplicate_keys_counts() -> None:
    assert d.decode_object(b'{"a": 1, "a": 2}') == {"a": 2}


@pytest.mark.parametrize(
    "raw",
    [
        b'{"generate_chunk": ["x"], "generate_chunk": {"choices": []}}',
        b'{"generate_chunk": {"choices": [5]}, "generate_chunk": 5}',
        b'{"generate_chunk": {"choices": 5}, "generate_chunk": []}',
    ],
)
def test_a_wrong_value_that_comes_again(raw: bytes) -> None:
    """Found by fuzzing: only the last one is there to be looked at."""
    with pytest.raises(RequestError) as caught:
        d.decode(chat_decoder, raw)
    assert str(caught.value.param).startswith("body.generate_chunk")


def test_typed_decoding_names_the_field() -> None:
    assert d.decode(DECODER, b'{"count": "7"}').count == 7
    with pytest.raises(RequestError) as caught:
        d.decode(DECODER, b'{"bias": {"x": "y"}}')
    assert caught.value.param == "body.bias.x"


def outcome(read: Any, data: Any) -> Any:
    """What was read, or the error."""
    try:
        return read(data)
    except RequestError as error:
        return error


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(Body.__struct_fields__), values, max_size=3))
def test_any_json_is_read_or_refused(data: dict[str, Any]) -> None:
    found = outcome(lambda value: d.convert(value, Body), data)
    if isinstance(found, RequestError):
        assert found.status == 400
        assert (found.param or "").startswith("body.")
    else:
        assert isinstance(found, Body)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60) | st.text('[]{}",:\\ 1', max_size=400).map(str.encode))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    found = outcome(d.decode_object, raw)
    assert isinstance(found, dict) or found.status == 400


@pytest.mark.parametrize(
    ("encoding", "found"),
    [
        ("utf-8-sig", "begins with a byte order mark, which JSON has not"),
        ("utf-16", "must be in UTF-8; it looks like UTF-16"),
        ("utf-16-le", "must be in UTF-8; it looks like UTF-16-LE"),
        ("utf-32", "must be in UTF-8; it looks like UTF-32"),
    ],
)
@pytest.mark.parametrize("read", [d.decode_object, lambda raw: d.decode(DECODER, raw)])
def test_another_encoding_is_named(read: Any, encoding: str, found: str) -> None:
    with pytest.raises(RequestError) as caught:
        read('{"count": 1}'.encode(encoding))
    assert (caught.value.status, caught.value.param) == (400, "body")
    assert caught.value.message == f"The request body {found}."
