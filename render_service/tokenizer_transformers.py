"""Tokenizers that only transformers can build: no tokenizer.json, own classes, remote code."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from .hub import ModelFiles, StartupError
from .tokenizer import Tokenizer, encodable, ordinary_ids, pipeline_sections

MAX_REASON = 400
"""Characters of an error's text that is shown."""


class TransformersTokenizer(Tokenizer):
    """The same interface over a transformers tokenizer; see Tokenizer."""

    backend = "transformers"

    # Not the base's constructor: that one takes a `tokenizers` core, which need not exist here.
    def __init__(self, hf: Any, config: Mapping[str, Any], folder: Path | None = None) -> None:
        self._hf = hf
        self._folder = folder
        self.config = config
        self.added_tokens = dict(hf.get_added_vocab())
        self.special_tokens_map = dict(hf.special_tokens_map)
        self._name_special_tokens()
        self.all_special_ids = frozenset(i for i in hf.all_special_ids if i is not None)
        marked = getattr(hf, "added_tokens_decoder", {})
        flagged = {index for index, token in marked.items() if token.special}
        # A `tokenizers` core goes by the flag, a Python tokenizer by the role.
        self.fast = bool(getattr(hf, "is_fast", False))
        self.special_ids = frozenset(flagged) if self.fast else self.all_special_ids
        self.size = len(hf)
        vocab = hf.get_vocab()
        self.max_id = max(max(vocab.values()), getattr(hf, "vocab_size", 0) - 1)
        self.max_chars = max(map(len, vocab))
        core = getattr(hf, "backend_tokenizer", None)
        self.spec = None if core is None else pipeline_sections(core)

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        with encodable(text):
            return list(self._hf.encode(text, add_special_tokens=add_special_tokens))

    def encode_ordinary(self, text: str) -> list[int]:
        with encodable(text):
            if self.fast:
                return ordinary_ids(self._hf.backend_tokenizer, text)
            return list(self._hf.encode(text, add_special_tokens=False, split_special_tokens=True))

    def encode_with_offsets(
        self, text: str, *, add_special_tokens: bool
    ) -> tuple[list[int], list[tuple[int, int]] | None]:
        if not self.fast:
            return self.encode(text, add_special_tokens=add_special_tokens), None
        with encodable(text):
            found = self._hf(
                text, add_special_tokens=add_special_tokens, return_offsets_mapping=True
            )
        return list(found["input_ids"]), [(a, b) for a, b in found["offset_mapping"]]

    def apply_chat_template(self, messages: list[dict[str, Any]], **kwargs: Any) -> list[int]:
        """A chat as the tokenizer itself renders it; raises whatever its code does."""
        return list(self._hf.apply_chat_template(messages, **kwargs))

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool) -> str:
        known = [i for i in ids if i <= self.max_id]
        return str(self._hf.decode(known, skip_special_tokens=skip_special_tokens))

    def id_to_token(self, index: int) -> str | None:
        if index > self.max_id:
            return None
        token: str | None = self._hf.convert_ids_to_tokens(index)
        return token

    def token_to_id(self, token: str) -> int | None:
        index: int | None = self._hf.get_vocab().get(token)
        return index

    def tokens_to_string(self, tokens: list[str]) -> str:
        return str(self._hf.convert_tokens_to_string(tokens))

    def serialized(self) -> str:
        hf = self._hf
        names = ("split_special_tokens", "clean_up_tokenization_spaces")
        how = (type(hf).__name__, *(getattr(hf, name, None) for name in names))
        core = getattr(hf, "backend_tokenizer", None)
        return f"{how} {self._own_files() if core is None else core.to_str()}"

    def _own_files(self) -> str:
        """A tokenizer in Python: its vocabulary, settings, code and the files it reads."""
        config = {name: value for name, value in self.config.items() if name != "chat_template"}
        data = {*self._hf.vocab_files_names.values()}
        files = {
            path.name: sha256(path.read_bytes()).hexdigest()
            for path in (() if self._folder is None else self._folder.iterdir())
            if path.name in data or path.suffix == ".py"
        }
        vocab = sorted((index, str(token)) for token, index in self._hf.get_vocab().items())
        return json.dumps([vocab, config, files], sort_keys=True)


def load_through_transformers(
    files: ModelFiles, config: Mapping[str, Any], *, remote_code: bool
) -> TransformersTokenizer:
    """As vLLM's `CachedHfTokenizer.from_pretrained`. Raises StartupError."""
    # It says at import that it found no PyTorch, which a tokenizer does not need.
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    try:
        from transformers import AutoTokenizer
    except ImportError as error:
        raise StartupError(
            f"the tokenizer of {files.name} has no tokenizer.json that can be used as it is: "
            "install transformers (pip install 'render-service[transformers]')"
        ) from error
    logging.getLogger("transformers").setLevel(logging.ERROR)
    try:
        hf = AutoTokenizer.from_pretrained(str(files.folder), trust_remote_code=remote_code)
    # Whatever a tokenizer's own code raises is this model's problem, told in one line.
    except Exception as error:
        reason = " ".join(str(error).split())[:MAX_REASON]
        lacking = "" if files.has("tokenizer.json") else ", which has no tokenizer.json"
        hint = (
            ""
            if remote_code or "trust_remote_code" not in str(error)
            else ("; if you trust its code, pass --trust-remote-code")
        )
        raise StartupError(
            f"cannot load the tokenizer of {files.name}{lacking}: {reason}{hint}"
        ) from error
    return TransformersTokenizer(hf, config, files.folder)
