"""Python literals as JSON: what Python itself makes of them, however they are cut."""

from __future__ import annotations

import ast
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.json_stream import JsonError
from parsers.python_stream import DONE, PythonStream
from parsers.snapshot import Malformed

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.tuples(inner)
        | st.dictionaries(st.text("ab'\"\\\n", max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def read(text: str, size: int, *, resumed: bool = False) -> tuple[str, str]:
    """The JSON of the value that the text begins with, fed in pieces, and what is left."""
    reader, out = PythonStream(), list[str]()
    for at in range(0, len(text), size):
        piece = text[at : at + size]
        end = reader.feed(piece, 0, out)
        if reader.state == DONE:
            return "".join(out), text[at + end :]
        if resumed:
            reader = PythonStream.resume(json.loads(json.dumps(reader.snapshot())))
    reader.finish(out)
    return "".join(out), ""


@settings(max_examples=150, deadline=None)
@given(value=VALUES, size=st.integers(1, 5), resumed=st.booleans())
def test_what_python_writes(value: object, size: int, resumed: bool) -> None:
    text = repr(value)
    assert read(f"{text})", size, resumed=resumed) == (json.dumps(value, ensure_ascii=False), ")")


@pytest.mark.parametrize("size", [1, 2, 3, 100])
@pytest.mark.parametrize(
    "text",
    [
        "''", '""', "''''''", '"""a "b" \'\'c"""', "'a' 'b'", "'a'\n  \"b\"", "('a'\n 'b')", "(1)",
        "(1,)", "()", "[1, 2,]", "((1, 2), 3)", "(({'a': 1},), {'b': ()})", "{1: 'x', 'y': None}",
        r"'\x41\u00e9\U0001f600\N{BULLET}\101\0\a\'\"\\ \
b'", r"r'\d\''", "u'x'", "-1", "+2", "--3", ".5", "5.", "1e3", "0xfF",
        "0b11", "-0o17", "1_000", "1_0.5", "True", "'a]b)c}'",
    ],
)  # fmt: skip
def test_what_models_write(text: str, size: int) -> None:
    value = ast.literal_eval(f"({text})".replace("--3", "3"))
    expected = json.dumps(value, ensure_ascii=False)
    for resumed in (False, True):
        assert read(f"{text} ]", size, resumed=resumed)[0] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", "true"), ("null", "null"), ("007", "7"), ("{1, 2}", "[1, 2]"), ("{'a'}", '["a"]'),
        ("1e999", "1e999"), ("{True: 1}", '{"true": 1}'), ("'a\nb'", '"a\\nb"'),
        ("'sed -n '1,9p' f'", "\"sed -n '1,9p' f\""), (r"'\ud83d\ude00'", r'"\ud83d\ude00"'),
        ("f'{{x}}'", '"{x}"'), (r"Rf'{{\d}}'", r'"{\\d}"'), (r"'\q'", r'"\\q"'),
        (r"'\x4 \N{NO SUCH}'", r'"\\x4 \\N{NO SUCH}"'), ("+.5e999", "null"),
    ],
)  # fmt: skip
def test_more_than_python_takes(text: str, expected: str) -> None:
    for size in (1, 2, 100):
        assert read(f"{text},", size) == (expected, ",")


@pytest.mark.parametrize(
    "text",
    [
        "x", "f(1)", "b'x'", "1j", "1 2", "[1 2]", "[1}", "(1]", "{'a' 1}", "{'a': 1, 'b'}", "[,]",
        "{[1]: 2}", "{'a': 1, [2]: 3}", "-True", "f'{x}'", "[" * 300, "1" * 700, "{,}", "=", "*a",
        "[1:2]", "'a' : 1", "~1",
    ],
)  # fmt: skip
def test_what_is_no_literal(text: str) -> None:
    for size in (1, 3, 1000):
        try:
            written, rest = read(f"{text},", size)
        except JsonError:
            continue
        assert rest != ",", written  # a value, and then something else


@pytest.mark.parametrize("cut", ["'abc", "[1, 'x", "{'a': 1", "12", "'a'", "(1, ", "{'a'", "Tru"])
def test_cut_short(cut: str) -> None:
    written, rest = read(cut, 1)
    assert rest == ""
    assert written == read(cut, 100)[0]


@pytest.mark.parametrize(
    "saved",
    [
        None, [], ["v", "", "", "", "", 0], ["?", "", "", "", "", 0, []],
        ["a", "", "", "", "", 0, []], ["v", "(", "", "", "", 0, []], ["v", "x", "", "", "", 0, []],
        ["s", "", "", "", "", 0, []],
        ["s", "", "", "`", "", 0, []], ["v", "", "", "", "", 0, ["x"]], ["v", "", "", "", "", 0, 1],
    ],
)  # fmt: skip
def test_malformed_states(saved: object) -> None:
    with pytest.raises(Malformed):
        PythonStream.resume(saved)
