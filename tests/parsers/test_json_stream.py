"""JSON as Python would write it again, without waiting for the end."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.json_stream import DONE, JsonError, JsonStream, dumps
from parsers.limits import MAX_DEPTH

from .json_prefix import is_json_prefix
from .outputs import JSON_VALUES
from .test_properties import modest


def read(*chunks: str) -> tuple[str, str]:
    """What is written, and what is left after the value."""
    reader, out = JsonStream(), list[str]()
    for at, chunk in enumerate(chunks):
        reader = JsonStream.resume(json.loads(json.dumps(reader.snapshot())))
        end = reader.feed(chunk, 0, out)
        if reader.state == DONE:
            return "".join(out), chunk[end:] + "".join(chunks[at + 1 :])
    reader.finish(out)
    return "".join(out), ""


@modest
@given(value=JSON_VALUES, ascii_only=st.booleans(), data=st.data())
def test_as_python_writes_it(value: Any, ascii_only: bool, data: st.DataObject) -> None:
    indent = data.draw(st.sampled_from([None, 1]))
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    expected = json.dumps(value, ensure_ascii=False)
    assert read(text + " ") == (expected, " ")
    assert read(*text, "\n")[0] == expected
    for end in range(len(text)):
        prefix, _ = read(text[:end])
        assert is_json_prefix(prefix) or not prefix


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("1e3 ", "1000.0"),
        ("-0 ", "0"),
        ("-0.0 ", "-0.0"),
        ("1.50 ", "1.5"),
        ("1E400 ", "1E400"),
        ("12345678901234567890123 ", "12345678901234567890123"),
        ("1e-7 ", "1e-07"),
        ("NaN ", "null"),
        ("-Infinity ", "null"),
        ("[Infinity]", "[null]"),
        (r'"\u00e9\/\u0041"', '"é/A"'),
        (r'"\ud83d\ude00"', '"😀"'),
        (r'"\u0007\u000a"', r'"\u0007\n"'),
        (r'"\ud83d"', r'"\ud83d"'),
        (r'"\ud83dx"', r'"\ud83dx"'),
        (r'"\ud83d\n"', r'"\ud83d\n"'),
        (r'"\ud83d\ud83d\ude00"', r'"\ud83d😀"'),
        (r'"\ude00"', r'"\ude00"'),
        (r'"\u0022"', r'"\""'),
        ('"a\nb\x01"', r'"a\nb\u0001"'),
        ("[1,]", "[1]"),
        ('{"a":1,}', '{"a": 1}'),
        ("[ ]", "[]"),
        ('{ "a" : [ ] , "b" : { } }', '{"a": [], "b": {}}'),
        ("[true,false,null]", "[true, false, null]"),
    ],
)
def test_written_forms(text: str, written: str) -> None:
    assert read(text)[0] == written
    assert read(*text)[0] == written


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("x ", "x "),
        ("nul ", "nul "),
        ("truefalsetrue", "truefalsetrue"),
        ("01 ", "01 "),
        ("1.e ", "1.e "),
        ("[1 2]", "2]"),
        ("[1}", "}"),
        ('{"a" 1}', "1}"),
        ("{1:2}", "1:2}"),
        ('{"a":}', "}"),
        ('"\\x"', '\\x"'),
        ('"\\u12x"', '\\u12x"'),
        ("'a'", "'a'"),
        ("[,]", ",]"),
        ("{,}", ",}"),
        ("9" * 700 + " ", "9" * 700 + " "),
        ("[" * (MAX_DEPTH + 2), "[["),
        ("é", "é"),
        ("+1 ", "+1 "),
    ],
)
def test_where_it_stops_being_json(text: str, rest: str) -> None:
    assert stopped([text]) == rest
    assert stopped(list(text)) == rest


def stopped(chunks: list[str]) -> str | None:
    """What is left where the reader refuses."""
    reader, out = JsonStream(), list[str]()
    for at, chunk in enumerate(chunks):
        try:
            reader.feed(chunk, 0, out)
        except JsonError as error:
            return error.rest + "".join(chunks[at + 1 :])
    return None


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('{"a": 12', '{"a": 12'),
        ('{"a": 1.', '{"a": 1.'),
        ('{"a": tr', '{"a": tr'),
        ('"\\', '"\\'),
        ('{"a": x', '{"a": '),
        ('"\\u00', '"\\u00'),
        ('"\\ud83d\\u', '"\\ud83d'),
        ("[1,", "[1"),
        ("", ""),
    ],
)
def test_cut_short(text: str, written: str) -> None:
    assert read(text) == (written, "")
    assert read(*text) == (written, "")


def test_what_cannot_be_sent_as_utf_8_is_escaped() -> None:
    assert dumps({"é": "\ud800"}) == r'{"\u00e9": "\ud800"}'
    assert dumps("é") == '"é"'
