"""Our tokenizers held against those of transformers, over texts that tell them apart."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer as Core

from render_service.errors import RequestError
from render_service.hub import find
from render_service.tokenizer import Tokenizer, load_tokenizer
from tests.conftest import DEMO_MODEL

TEXTS = (
    "",
    "The tea pot is hot.",
    " leading and  double  spaces ",
    "a\n\nb\t c\r\n",
    "don't you're I'LL 12345 67 8.9",
    "naïve café e\u0301 ﬁ",
    "日本語 中文 हिन्दी العربية ไทย",
    "👩‍👩‍👧‍👦 🎉",
    "\u2581x \u2581 Ġtoken <0x41>",
    "\x00\x01",
    "def f(x):\n\treturn x+1\n",
    "<|im_start|>user\nhi<|im_end|>\n<think>\nfoo</think>",
    '<tool_call>\n{"name": "f"}\n</tool_call> <|im_end|> ',
    "<s>[INST] x [/INST]</s> <mark>x <unk>",
    "<bos><start_of_turn>user\nHi<end_of_turn>",
    "<\uff5cbegin▁of▁sentence\uff5c><\uff5cUser\uff5c>hi<\uff5cAssistant\uff5c>",
    "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|>",
    "<|start|>system<|message|>x<|end|><|endoftext|>",
    "x" * 300 + " " * 100 + "\n" * 30,
    "<own> <own2>x <own3> [x]",
)


def agree(folder: Path) -> Tokenizer:
    """Our tokenizer of the folder, after every comparison with transformers'."""
    transformers = pytest.importorskip("transformers")
    transformers.logging.set_verbosity_error()
    files = find(str(folder))
    ours = load_tokenizer(files, files.json("config.json") or {})
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    for text in TEXTS:
        for special in (True, False):
            want = theirs(text, add_special_tokens=special, return_offsets_mapping=ours.fast)
            ids = want["input_ids"]
            assert ours.encode(text, add_special_tokens=special) == ids, text
            offsets = want["offset_mapping"] if ours.fast else None
            assert ours.encode_with_offsets(text, add_special_tokens=special) == (ids, offsets)
        agree_on_text(ours, theirs, ids)
    dice = random.Random(0)
    for _ in range(50):
        size = min(len(theirs), ours.max_id + 1)
        agree_on_text(ours, theirs, [dice.randrange(size) for _ in range(dice.randrange(1, 9))])
    assert ours.added_tokens == theirs.get_added_vocab()
    assert ours.special_tokens_map == theirs.special_tokens_map
    assert ours.all_special_ids == set(theirs.all_special_ids)
    assert (ours.bos_token, ours.eos_token) == (theirs.bos_token, theirs.eos_token)
    assert (ours.pad_token, ours.unk_token) == (theirs.pad_token, theirs.unk_token)
    assert ours.eos_token_id == theirs.eos_token_id
    assert ours.size == len(theirs)
    assert ours.max_id == max(theirs.get_vocab().values())
    assert ours.max_chars == max(map(len, theirs.get_vocab()))
    return ours


def agree_on_text(ours: Tokenizer, theirs: Any, ids: list[int]) -> None:
    for skip in (True, False):
        want = theirs.decode(ids, skip_special_tokens=skip)
        assert ours.decode(ids, skip_special_tokens=skip) == want, ids
    tokens = [ours.id_to_token(i) for i in ids]
    assert tokens == theirs.convert_ids_to_tokens(ids)
    known = [token for token in tokens if token is not None]
    assert ours.tokens_to_string(known) == theirs.convert_tokens_to_string(known)
    assert [ours.token_to_id(token) for token in known] == [
        i for i, token in zip(ids, tokens, strict=True) if token is not None
    ]


def refuses_surrogates(tokenizer: Tokenizer) -> None:
    for encode in (tokenizer.encode, tokenizer.encode_with_offsets):
        with pytest.raises(RequestError, match="lone surrogate at character 1") as refused:
            encode("a\ud800", add_special_tokens=True)
        assert refused.value.status == 400


def write_model(
    folder: Path, core: Core | None, config: dict[str, Any] | None = None, **files: Any
) -> Path:
    """A model folder with this tokenizer.json, tokenizer_config.json and other JSON files."""
    if core is not None:
        core.save(str(folder / "tokenizer.json"))
    files |= {"config": {"model_type": "own"}, "tokenizer_config": config or {}}
    for name, value in files.items():
        (folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    return folder


def demo() -> Core:
    return Core.from_file(str(DEMO_MODEL / "tokenizer.json"))
