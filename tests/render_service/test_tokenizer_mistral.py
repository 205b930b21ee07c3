"""Tokenizers in Mistral's own form."""

from __future__ import annotations

from pathlib import Path

import pytest

from render_service.detokenizer import Detokenizer
from render_service.hub import find
from render_service.tokenizer_mistral import MistralTokenizer, load_mistral_tokenizer

from .family_models import make

pytest.importorskip("mistral_common")

TEXT = "naïve [INST] 日本 😀\n\tx = [1] </s>"


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> MistralTokenizer:
    folder = make("mistral_v15", Path(), tmp_path_factory.mktemp("model"))
    return load_mistral_tokenizer(find(str(folder)))


def test_text_never_becomes_a_special_token(tokenizer: MistralTokenizer) -> None:
    ids = tokenizer.encode(TEXT, add_special_tokens=False)
    assert not tokenizer.special_ids.intersection(ids)
    assert tokenizer.decode(ids, skip_special_tokens=False) == TEXT
    assert tokenizer.encode_ordinary(TEXT) == ids
    assert tokenizer.encode(TEXT, add_special_tokens=True) == [1, *ids]
    assert tokenizer.encode_with_offsets(TEXT, add_special_tokens=False) == (ids, None)


def test_special_tokens(tokenizer: MistralTokenizer) -> None:
    assert tokenizer.eos_token_id == 2
    assert tokenizer.special_tokens_map["bos_token"] == "<s>"
    assert tokenizer.token_to_id("[INST]") == 3
    assert tokenizer.token_to_id("a") is None
    inst, shown = tokenizer.added_tokens["[INST]"], tokenizer.added_tokens["[TOOL_CALLS]"]
    assert inst in tokenizer.all_special_ids
    assert shown in tokenizer.special_ids - tokenizer.all_special_ids


def test_tokens_as_they_are_shown(tokenizer: MistralTokenizer) -> None:
    ids = tokenizer.encode("é😀", add_special_tokens=False)
    assert [tokenizer.piece(index) for index in ids][-1] == "\ufffd"
    assert "\ufffd" not in "".join(tokenizer.id_to_token(index) or "" for index in ids)
    for index in (-1, tokenizer.size):
        assert tokenizer.piece(index) is None
        assert tokenizer.id_to_token(index) is None
        assert tokenizer.decode([index], skip_special_tokens=False) == ""


def test_decoded(tokenizer: MistralTokenizer) -> None:
    """Most special tokens show nothing in output, those of calls and thoughts do."""
    ids = [1, *tokenizer.encode("😀", add_special_tokens=False), 2]
    tokens = [tokenizer.id_to_token(index) or "" for index in ids]
    assert tokenizer.tokens_to_string([*tokens, "[TOOL_CALLS]"]) == "😀[TOOL_CALLS]"
    assert tokenizer.decode(ids, skip_special_tokens=True) == "😀"
    assert tokenizer.decode(ids, skip_special_tokens=False) == "<s>😀</s>"


def test_streamed_text_is_the_whole_text(tokenizer: MistralTokenizer) -> None:
    detokenizer = Detokenizer(tokenizer)
    assert detokenizer.kind == "byte-level"
    ids = tokenizer.encode(TEXT, add_special_tokens=False)
    stream = detokenizer.start(None, skip_special_tokens=True)
    assert "".join("".join(stream.feed([index])) for index in ids) == TEXT


def test_digest(tokenizer: MistralTokenizer, tmp_path: Path) -> None:
    other = load_mistral_tokenizer(find(str(make("mistral_v3", Path(), tmp_path))))
    assert tokenizer.serialized() != other.serialized()


def test_sentencepiece(tmp_path: Path) -> None:
    pytest.importorskip("sentencepiece")
    import mistral_common

    name = "mistral_instruct_tokenizer_240323.model.v3"
    data = Path(mistral_common.__file__).parent / "data" / name
    (tmp_path / "tokenizer.model.v3").write_bytes(data.read_bytes())
    old = load_mistral_tokenizer(find(str(tmp_path)))
    ids = old.encode(TEXT, add_special_tokens=False)
    assert old.decode(ids, skip_special_tokens=True) == TEXT
    assert old.decode(ids[:3], skip_special_tokens=False) == "▁naïve"  # as in vLLM
    assert not old.special_ids.intersection(ids)
    tokens = [old.id_to_token(index) or "" for index in ids]
    assert old.tokens_to_string(["<s>", *tokens, "[TOOL_CALLS]"]) == f"{TEXT}[TOOL_CALLS]"
    detokenizer = Detokenizer(old)
    assert detokenizer.kind == "window"
    stream = detokenizer.start(None, skip_special_tokens=True)
    assert "".join("".join(stream.feed([index])) for index in ids) == TEXT
