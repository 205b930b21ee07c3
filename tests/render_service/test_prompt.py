"""Prompts within the context. The tokenizer's own truncation is the measure where no side is asked
for; vLLM's answers are in test_render_golden.py.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as Core
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from render_service.errors import RequestError
from render_service.prompt import PromptLimits, check_token_ids, limit_ids, tokenize

WORDS = {"[BOS]": 0, "[EOS]": 1, **{word: i for i, word in enumerate("abcdefgh", start=2)}}


def core() -> Core:
    """One token a letter, between [BOS] and [EOS]."""
    tokenizer = Core(WordLevel(WORDS, unk_token="a"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[BOS] $A [EOS]", special_tokens=[("[BOS]", 0), ("[EOS]", 1)]
    )
    return tokenizer


class Letters:
    """The interface of `tokenizer.Tokenizer`, as far as prompts use it."""

    max_chars = 5
    max_id = 9

    def __init__(self) -> None:
        self.core = core()

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        return self.core.encode(text, add_special_tokens=add_special_tokens).ids

    def encode_with_offsets(self, text: str, *, add_special_tokens: bool) -> Any:
        found = self.core.encode(text, add_special_tokens=add_special_tokens)
        return found.ids, found.offsets


MODEL: Any = SimpleNamespace(tokenizer=Letters(), vocab_size=20)


def limits(length: int = 8, **fields: Any) -> PromptLimits:
    given = {"max_tokens": 4, "add_special_tokens": False, **fields}
    return PromptLimits(max_model_len=length, **given)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 12), st.integers(2, 10), st.booleans())
def test_cut_as_the_tokenizer_cuts(count: int, keep: int, special: bool) -> None:
    text = " ".join("abcdefgh"[i % 8] for i in range(count))
    reference = core()
    reference.enable_truncation(keep, direction="left")
    found = tokenize(MODEL, text, limits(12, truncate=keep, add_special_tokens=special))
    assert found.ids == reference.encode(text, add_special_tokens=special).ids


@pytest.mark.parametrize(
    ("side", "special", "expected"),
    [
        ("left", False, [5, 6]),
        ("right", False, [2, 3]),
        ("left", True, [6, 1]),
        ("right", True, [0, 2]),
    ],
)
def test_cut_on_a_side(side: str, special: bool, expected: list[int]) -> None:
    found = tokenize(MODEL, "a b c d e", limits(truncate=2, side=side, add_special_tokens=special))
    assert found.ids == expected
    assert limit_ids(MODEL, [2, 3, 4, 5, 6], limits(truncate=2, side=side)).ids == (
        [5, 6] if side == "left" else [2, 3]
    )


def test_as_many_as_fit() -> None:
    ids = list(range(20))
    assert limit_ids(MODEL, ids, limits(truncate=-1)).ids == ids[-7:]
    assert limit_ids(MODEL, ids, limits(truncate=-1, max_tokens=0)).ids == ids[-8:]
    assert limit_ids(MODEL, [1, 2], limits(truncate=-1)).ids == [1, 2]
    assert tokenize(MODEL, "a b", limits(truncate=0)).ids == []


def test_offsets() -> None:
    found = tokenize(MODEL, "ab", limits(offsets=True, add_special_tokens=True))
    assert found.offsets == [(0, 0), (0, 2), (0, 0)]
    text = "b " * 40 + "a c"
    found = tokenize(MODEL, text, limits(truncate=2, side="left", offsets=True))
    assert [text[a:b] for a, b in found.offsets or ()] == ["a", "c"]
    long = tokenize(MODEL, text, limits(truncate=2, offsets=True))
    assert [text[a:b] for a, b in long.offsets or ()] == ["a", "c"]


def test_offsets_of_added_tokens_do_not_move() -> None:
    text = "b " * 40 + "a"
    wanted = limits(truncate=2, side="left", offsets=True, add_special_tokens=True)
    found = tokenize(MODEL, text, wanted)
    assert found.ids == [2, 1]
    assert found.offsets == [(80, 81), (0, 0)]


def test_long_text_cut_on_the_right() -> None:
    found = tokenize(MODEL, "a b " + "c " * 40, limits(truncate=2, side="right"))
    assert found.ids == [2, 3]


@pytest.mark.parametrize(
    ("prompt", "words", "param"),
    [
        ("a " * 9, "contains at least 9 input tokens", "input_tokens"),
        ("a " * 30, "contains 60 characters", "input_text"),
        ([1] * 9, "contains at least 9 input tokens", "input_tokens"),
        ([1] * 20, "contains 20 input tokens", "input_tokens"),
    ],
)
def test_too_long(prompt: Any, words: str, param: str) -> None:
    fit: Any = tokenize if isinstance(prompt, str) else limit_ids
    with pytest.raises(RequestError) as caught:
        fit(MODEL, prompt, limits())
    assert words in caught.value.message
    assert caught.value.param == param


def test_limits_over_the_context() -> None:
    with pytest.raises(RequestError, match="max_completion_tokens=9 cannot be greater"):
        limits(max_tokens=9, max_tokens_field="max_completion_tokens")
    with pytest.raises(RequestError, match="truncate_prompt_tokens=9 cannot be greater"):
        limits(truncate=9)


@pytest.mark.parametrize("wrong", [20, -1])
def test_unknown_token_ids(wrong: int) -> None:
    check_token_ids(MODEL, [0, 19], "x")
    with pytest.raises(RequestError, match=f"Token id {wrong} is out of vocabulary"):
        check_token_ids(MODEL, [0, wrong], "x")
