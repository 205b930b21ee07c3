"""Tokenizers that the tests read by name: the demo model's, made ones, fetched ones."""

from __future__ import annotations

from functools import cache

import pytest
from transformers import ByT5Tokenizer

from render_service.hub import ModelFiles
from render_service.special_tokens import SpecialTokens
from render_service.tokenizer import Tokenizer, load_tokenizer
from render_service.tokenizer_transformers import TransformersTokenizer

from ..conftest import DEMO_MODEL, HINT, models_root
from .made_tokenizers import MADE


@cache
def tokenizer_of(name: str) -> Tokenizer:
    """`byt5` is a slow tokenizer: Python code of transformers. Skips a test without the files."""
    if name == "byt5":
        return TransformersTokenizer(ByT5Tokenizer(), {})
    if name in MADE:
        core = MADE[name]()
        special = [t.content for t in core.get_added_tokens_decoder().values() if t.special]
        return Tokenizer(core, SpecialTokens({}, tuple(special), ()), {})
    folder = DEMO_MODEL if name == "demo" else models_root() / name
    if not (folder / "tokenizer.json").is_file():
        pytest.skip(f"model {name} is not in {folder.parent}: {HINT}")
    files = ModelFiles(name, folder)
    return load_tokenizer(files, files.json("config.json") or {})


def encode(name: str, text: str) -> list[int]:
    return tokenizer_of(name).encode(text, add_special_tokens=False)
