"""Newlines that a model spells: what they are, however the text is cut, and malformed states."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.snapshot import Malformed
from parsers.spelt_newlines import SpeltNewlines

TEXTS = st.lists(
    st.sampled_from(["\\", "n", "r", "`", "``", "```", "$", "$$", "(", ")", "[", "]", "a", "\n"]),
    max_size=24,
)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (r"a\nb\rc\r\nd", "a\nb\nc\nd"),
        (r"a\\nb\\\nc", r"a\\nb\\\nc"),
        (r"`\n` ``\n`` ```\n```\n", "`\\n` ``\n`` ```\\n```\n"),
        (r"$\nu$ $$\nu$$ \(\nu\) \[\nu\]\n", "$\\nu$ $$\\nu$$ \\(\\nu\\) \\[\\nu\\]\n"),
        ("a\\r\\", "a\n\\"),
        (r"\r\r\(\n\)", "\n\n\\(\\n\\)"),
        ("``", "``"),
        ("```a``", "```a``"),
    ],
)
def test_what_is_made_of_it(text: str, made: str) -> None:
    assert SpeltNewlines().feed(text, final=True) == made


@settings(max_examples=200, deadline=None, derandomize=True)
@given(parts=TEXTS)
def test_cuts_change_nothing(parts: list[str]) -> None:
    whole = SpeltNewlines().feed("".join(parts), final=True)
    for pieces in (parts, list("".join(parts))):
        found, state = "", ["", ""]
        for piece in pieces:
            text = SpeltNewlines()
            text.restore(json.loads(json.dumps(state)))
            found += text.feed(piece)
            state = text.snapshot()
            assert len(text.held) <= 3
        text = SpeltNewlines()
        text.restore(state)
        assert found + text.feed("", final=True) == whole


@pytest.mark.parametrize("state", [["x", ""], ["", "x"], ["`", "\\n"], ["```", "```"], [1, ""], []])
def test_malformed_states(state: object) -> None:
    with pytest.raises(Malformed):
        SpeltNewlines().restore(state)
