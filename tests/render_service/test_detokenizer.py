"""The detokenizer: vLLM's recorded text, token by token, and what must hold for any text."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import decoders

from parsers import Special
from render_service.detokenizer import MAX_PENDING, MAX_WINDOW, Detokenizer
from render_service.special_tokens import SpecialTokens
from render_service.token_text import TokenTexts, decoder_kind
from render_service.tokenizer import Tokenizer

from .made_tokenizers import MADE, SPACE
from .tokenizers_of import encode, tokenizer_of

GOLDEN = Path(__file__).parent.parent / "golden" / "detokenizer"
KINDS = {
    "qwen3": "byte-level",
    "llama31": "byte-level",
    "demo": "byte-level",
    "gemma3": "byte-fallback",
    "byte_fallback": "byte-fallback",
    "metaspace": "byte-fallback",
    "wordpiece": "window",
    "byt5": "window",
}
LOCAL = ["demo", "byt5", *MADE]


@cache
def detokenizer_of(name: str) -> Detokenizer:
    tokenizer = tokenizer_of(name)
    return Detokenizer(tokenizer, specials_of(tokenizer))


def specials_of(tokenizer: Tokenizer) -> dict[int, Special]:
    """All added tokens but those that the decoder changes (Gemma's runs of spaces)."""
    return {i: Special(text) for text, i in tokenizer.added_tokens.items() if SPACE not in text}


@pytest.mark.parametrize("name", KINDS)
def test_kind(name: str) -> None:
    assert detokenizer_of(name).kind == KINDS[name]


@pytest.mark.parametrize("name", KINDS)
def test_gives_the_text_that_vllm_gives_with_each_token(name: str) -> None:
    detokenizer = detokenizer_of(name)
    for line in (GOLDEN / f"{name}.jsonl").read_text().splitlines():
        case = json.loads(line)
        flags = {
            "skip_special_tokens": case["skip"],
            "spaces_between_special_tokens": case["spaces"],
        }
        stream = detokenizer.start(case["prompt"], **flags)
        texts = []
        for token_id in case["ids"]:
            texts.append("".join(stream.feed([token_id])))
            state = json.loads(json.dumps(stream.snapshot()))
            stream = detokenizer.resume(state, **flags)
        assert texts == case["texts"], case

        whole = detokenizer.start(case["prompt"], **flags).feed(case["ids"])
        assert "".join(whole) == "".join(texts)
        assert len(whole) == (1 if "".join(texts) else 0)


@pytest.mark.parametrize("name", KINDS)
def test_pieces_join_to_the_text(name: str) -> None:
    """Special tokens apart, the pieces are the text that vLLM's parsers see."""
    detokenizer = detokenizer_of(name)
    added = specials_of(tokenizer_of(name))
    for line in (GOLDEN / f"{name}.jsonl").read_text().splitlines():
        case = json.loads(line)
        if case["skip"] or not case["spaces"]:
            continue
        stream = detokenizer.start(case["prompt"], skip_special_tokens=False, pieces=True)
        pieces = []
        for token_id in case["ids"]:
            pieces += stream.feed([token_id])
            stream = detokenizer.resume(stream.snapshot(), skip_special_tokens=False, pieces=True)
        assert "".join(pieces) == "".join(case["texts"]), case
        whole = detokenizer.start(case["prompt"], skip_special_tokens=False, pieces=True)
        assert joined(whole.feed(case["ids"])) == joined(pieces)
        found = [p for p in pieces if isinstance(p, Special)]
        assert found == [added[i] for i in case["ids"] if i in added]


def joined(pieces: list[Any]) -> list[Any]:
    """Adjacent text in one piece."""
    out: list[Any] = []
    for piece in pieces:
        if out and not isinstance(piece, Special) and not isinstance(out[-1], Special):
            out[-1] += piece
        else:
            out.append(piece)
    return out


# Text without trailing U+FFFD, which vLLM never shows.
TEXT = st.text(
    st.one_of(
        st.sampled_from("the tea pot is hot, \n\t.!?'"),
        st.characters(exclude_categories=["Cs"], exclude_characters="\ufffd"),
    ),
    min_size=1,
    max_size=40,
)


@pytest.mark.parametrize("name", LOCAL)
@settings(max_examples=60, deadline=None)
@given(text=TEXT, cuts=st.lists(st.integers(0, 200), max_size=8), prompt=st.integers(0, 20))
def test_however_cut_it_is_the_decoded_text(
    name: str, text: str, cuts: list[int], prompt: int
) -> None:
    detokenizer, tokenizer = detokenizer_of(name), tokenizer_of(name)
    ids = encode(name, "the tea " + text)
    start = min(prompt, len(encode(name, "the tea")))
    seed, output = ids[:start], ids[start:]
    stream = detokenizer.start(seed, skip_special_tokens=True)
    out = []
    points = sorted(min(c, len(output)) for c in cuts)
    for low, high in zip([0, *points], [*points, len(output)], strict=True):
        out += stream.feed(output[low:high])
        stream = detokenizer.resume(
            json.loads(json.dumps(stream.snapshot())), skip_special_tokens=True
        )
    shown = [i for i in ids if i not in tokenizer.all_special_ids]
    whole = tokenizer.tokens_to_string([tokenizer.id_to_token(i) or "" for i in shown])
    given_text = tokenizer.tokens_to_string([tokenizer.id_to_token(i) or "" for i in seed])
    if detokenizer.kind != "window":  # WordPiece may still change the space before the last word
        assert given_text + "".join(out) == whole
    assert "".join(out) == "".join(detokenizer.start(seed, skip_special_tokens=True).feed(output))


@pytest.mark.parametrize("name", LOCAL)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_state_is_bounded_and_transparent_for_any_ids(name: str, data: st.DataObject) -> None:
    detokenizer = detokenizer_of(name)
    size = tokenizer_of(name).size
    ids = data.draw(st.lists(st.integers(0, size + 5) | st.integers(0, 270), max_size=80))
    flags = {"skip_special_tokens": data.draw(st.booleans()), "pieces": data.draw(st.booleans())}
    whole, stepped = detokenizer.start(None, **flags), detokenizer.start(None, **flags)
    out = []
    for token_id in ids:
        out += stepped.feed([token_id])
        state = stepped.snapshot()
        assert state is None or len(state) <= 1 + MAX_WINDOW
        stepped = detokenizer.resume(state, **flags)
    assert joined(out) == whole.feed(ids)
    assert all(out)


@pytest.mark.parametrize(
    ("name", "token"), [("demo", b"\xff"), ("byte_fallback", b"\xff"), ("byte_fallback", b"\xe4")]
)
def test_endless_nonsense_comes_out_bit_by_bit(name: str, token: bytes) -> None:
    token_id = encode_byte(name, token)
    stream = detokenizer_of(name).start(None, skip_special_tokens=True)
    text = "".join(stream.feed([token_id] * 1000))
    assert set(text) == {"\ufffd"}
    assert 1000 - 2 * MAX_PENDING <= len(text) <= 1000
    assert len(stream.snapshot() or []) <= MAX_WINDOW
    assert "".join(stream.feed(encode(name, "tea."))).endswith("tea.")


def encode_byte(name: str, byte: bytes) -> int:
    tokenizer = tokenizer_of(name)
    index = tokenizer.token_to_id(f"<0x{byte.hex().upper()}>")
    if index is None:
        index = next(
            i
            for i in range(256)
            if (token := tokenizer.id_to_token(i)) and token == {b"\xff": "\u00ff"}[byte]
        )
    return index


def test_a_character_split_over_tokens_comes_out_whole() -> None:
    ids = encode("demo", "\U0001f375")
    assert len(ids) > 1
    stream = detokenizer_of("demo").start(encode("demo", "tea"), skip_special_tokens=True)
    assert [stream.feed([i]) for i in ids] == [[]] * (len(ids) - 1) + [["\U0001f375"]]
    assert stream.snapshot() is None


def test_incomplete_end_is_never_shown() -> None:
    ids = encode("demo", "tea \U0001f375")
    stream = detokenizer_of("demo").start(None, skip_special_tokens=True)
    assert "\ufffd" not in "".join(stream.feed(ids[:-1]))


def test_first_token_keeps_its_space_after_a_prompt_only() -> None:
    for name in ("byte_fallback", "metaspace"):
        ids = encode(name, "the tea")
        detokenizer = detokenizer_of(name)
        assert detokenizer.start(ids[:1], skip_special_tokens=True).feed(ids[1:]) == [" tea"]
        for prompt in (None, []):
            assert detokenizer.start(prompt, skip_special_tokens=True).feed(ids[1:]) == ["tea"]


def test_special_tokens_are_pieces_where_asked() -> None:
    tokenizer = tokenizer_of("demo")
    think, end = tokenizer.added_tokens["<think>"], tokenizer.added_tokens["<|im_end|>"]
    detokenizer = Detokenizer(tokenizer, {think: Special("<think>")})
    tea = encode("demo", "tea")
    ids = [*tea, think, think, *tea, end]
    pieces = detokenizer.start(None, skip_special_tokens=False, pieces=True).feed(ids)
    assert pieces == ["tea", "<think>", "<think>", "tea<|im_end|>"]
    assert [type(p) for p in pieces] == [str, Special, Special, str]
    pieces = detokenizer.start(None, skip_special_tokens=True, pieces=True).feed(ids)
    assert pieces == ["tea", "<think>", "<think>", "tea"]
    text = detokenizer.start(None, skip_special_tokens=False).feed(ids)
    assert text == ["tea<think><think>tea<|im_end|>"]
    assert type(text[0]) is str


def test_a_special_token_ends_what_was_held_back() -> None:
    tokenizer = tokenizer_of("demo")
    think = tokenizer.added_tokens["<think>"]
    half = encode("demo", "\U0001f375")[:1]
    stream = detokenizer_of("demo").start(None, skip_special_tokens=False, pieces=True)
    assert stream.feed(half) == []
    assert stream.feed([think]) == ["\ufffd", "<think>"]


def test_ids_that_the_tokenizer_lacks_are_no_text() -> None:
    for name in LOCAL:
        size = tokenizer_of(name).size
        lacking = [size, 2**31 - 1]
        tea = encode(name, "tea")
        stream = detokenizer_of(name).start(tea, skip_special_tokens=True)
        first = stream.feed(tea)
        stream.feed(lacking * 3)
        if name != "wordpiece":  # its decoder puts a space before every token, even an empty one
            assert stream.feed(tea) == first
        assert max(detokenizer_of(name)._texts, default=0) < size


def test_a_hole_in_the_vocabulary_is_no_text() -> None:
    vocabulary = {0: "tea", 2: "pot"}
    texts = TokenTexts(3, vocabulary.get, "".join)
    assert [texts[i] for i in range(-1, 4)] == ["", "tea", "", "pot", ""]
    assert list(texts) == [0, 1, 2]


MALFORMED = [7, "x", {}, [], ["a"], [-1], [2, 1], [0, "a"], [1.0, 1], [True, 1], [0, -2]]


@pytest.mark.parametrize("state", [*MALFORMED, [0, 2**31], [0] * (MAX_WINDOW + 2)])
def test_malformed_state(state: Any) -> None:
    with pytest.raises(ValueError, match="malformed"):
        detokenizer_of("demo").resume(state, skip_special_tokens=True)


def test_a_window_is_needed_where_there_is_no_table() -> None:
    with pytest.raises(ValueError, match="missing"):
        detokenizer_of("wordpiece").resume(None, skip_special_tokens=True)


def test_resume_from_the_window_of_a_vllm_state() -> None:
    the, tea = encode("byte_fallback", "the tea")
    stream = detokenizer_of("byte_fallback").resume([1, the], skip_special_tokens=True)
    assert stream.feed([tea]) == [" tea"]


@pytest.mark.parametrize(
    ("decoder", "kind"),
    [
        (None, "window"),
        ({"type": "ByteLevel"}, "byte-level"),
        ({"type": "Sequence", "decoders": [{"type": "ByteLevel"}]}, "byte-level"),
        ({"type": "Metaspace", "replacement": "\u2581"}, "byte-fallback"),
        ({"type": "WordPiece"}, "window"),
        ({"type": "BPEDecoder", "suffix": "</w>"}, "window"),
        ({"type": "Sequence", "decoders": []}, "window"),
        (
            {
                "type": "Sequence",
                "decoders": [
                    {"type": "Fuse"},
                    {"type": "Replace", "pattern": {"String": "ab"}, "content": ""},
                ],
            },
            "window",
        ),
        (
            {
                "type": "Sequence",
                "decoders": [
                    {"type": "ByteFallback"},
                    {"type": "Fuse"},
                    {"type": "Strip", "content": " ", "start": 1, "stop": 1},
                ],
            },
            "window",
        ),
    ],
)
def test_decoders(decoder: dict[str, Any] | None, kind: str) -> None:
    assert decoder_kind({"decoder": decoder}) == kind


def test_a_decoder_that_is_not_what_it_seems_is_decoded_by_window() -> None:
    """The check at construction: here a decoder that drops repetitions passes for Metaspace."""
    core = MADE["metaspace"]()
    core.decoder = decoders.CTC("<pad>", "|", False)
    tokenizer = Tokenizer(core, SpecialTokens({}, (), ()), {})
    assert Detokenizer(tokenizer).kind == "window"
    tokenizer.spec = {"decoder": {"type": "Metaspace"}}
    detokenizer = Detokenizer(tokenizer)
    assert detokenizer.kind == "window"
    ids = tokenizer.encode("the tea  is hot.", add_special_tokens=False)
    text = "".join(detokenizer.start(None, skip_special_tokens=True).feed(ids))
    assert text == tokenizer.decode(ids, skip_special_tokens=True)
