"""Mistral's own tokenizers, read by mistral-common: `tekken.json` and `tokenizer.model.v*`.

As vLLM 0.33.0's `tokenizers/mistral.py` has them: text never becomes a special token, and most
special tokens show no text when output is decoded, whatever the flags say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any

from .hub import ModelFiles, StartupError
from .tokenizer import Tokenizer, encodable

ROLES = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
# Special tokens that are parts of an answer.
SHOWN = ("[TOOL_CALLS]", "[ARGS]", "[THINK]", "[/THINK]")
# Voxtral begins with the language that it heard, as plain text.
LANGUAGE = re.compile(r"^lang:[a-z]{2}")
BYTE_LEVEL = {"decoder": {"type": "ByteLevel"}}


class MistralTokenizer(Tokenizer):
    """See Tokenizer. library: mistral-common's tokenizer, which renders chats, too. version: of
    what it knows, 1 to 15.

    Tokens of a tekken vocabulary are spelled by bytes, a letter each, as tokenizer.json spells
    them: they need not be text. `piece` gives them as mistral-common shows them.
    """

    backend = "mistral-common"
    fast = True

    # Not the base's constructor: there is no `tokenizers` core.
    def __init__(self, library: Any, file: Path, config: Mapping[str, Any]) -> None:
        from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy

        self.library = library
        self.config = config
        self._file = file
        core: Any = library.instruct_tokenizer.tokenizer
        self._own = core
        self._shown, self._hidden = SpecialTokenPolicy.KEEP, SpecialTokenPolicy.IGNORE
        self.size = core.n_words
        self.max_id = self.size - 1
        self.max_chars = max(map(len, core.vocab()))
        self.special_ids = frozenset(filter(core.is_special, range(self.size)))
        self.added_tokens = {core.id_to_piece(index): index for index in sorted(self.special_ids)}
        self.all_special_ids = self.special_ids - {
            self.added_tokens[token] for token in SHOWN if token in self.added_tokens
        }
        self.special_tokens_map = {
            role: token for role, token in ROLES.items() if token in self.added_tokens
        }
        self._name_special_tokens()
        self.is_tekken = hasattr(core, "id_to_byte_piece")
        self.version = int(str(core.version.value).rpartition("v")[2])
        self.spec = BYTE_LEVEL if self.is_tekken else None

    def piece(self, index: int) -> str | None:
        return str(self._own.id_to_piece(index)) if 0 <= index < self.size else None

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        with encodable(text):
            return list(self._own.encode(text, bos=add_special_tokens, eos=False))

    def encode_ordinary(self, text: str) -> list[int]:
        return self.encode(text, add_special_tokens=False)

    def encode_with_offsets(
        self, text: str, *, add_special_tokens: bool
    ) -> tuple[list[int], list[tuple[int, int]] | None]:
        return self.encode(text, add_special_tokens=add_special_tokens), None

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool) -> str:
        known = [index for index in ids if 0 <= index < self.size]
        policy = self._hidden if skip_special_tokens else self._shown
        text = str(self._own.decode(known, special_token_policy=policy))
        return LANGUAGE.sub("", text) if skip_special_tokens else text

    def id_to_token(self, index: int) -> str | None:
        if not self.is_tekken or index in self.special_ids:
            return self.piece(index)
        if not 0 <= index < self.size:
            return None
        data = self._own.id_to_byte_piece(index, self._shown)
        return "".join(map(_LETTERS.__getitem__, data))

    def token_to_id(self, token: str) -> int | None:
        return self.added_tokens.get(token)

    def tokens_to_string(self, tokens: list[str]) -> str:
        tokens = [token for token in tokens if token in SHOWN or token not in self.added_tokens]
        if self.is_tekken:
            # Markers are spelled like other tokens: ASCII stands for itself.
            return bytes(_BYTES[letter] for letter in "".join(tokens)).decode(errors="replace")
        texts = []
        for marker, group in groupby(tokens, SHOWN.__contains__):
            run = list(group)
            texts.append("".join(run) if marker else str(self._own.decode(run, self._hidden)))
        return "".join(texts)

    def serialized(self) -> str:
        return f"mistral {self._file.name} {sha256(self._file.read_bytes()).hexdigest()}"


def _byte_letters() -> dict[int, str]:
    """The letter for each byte in byte-level vocabularies: itself where it shows."""
    plain = (*range(33, 127), *range(161, 173), *range(174, 256))
    others = (byte for byte in range(256) if byte not in plain)
    return {byte: chr(byte) for byte in plain} | {
        byte: chr(256 + place) for place, byte in enumerate(others)
    }


_LETTERS = _byte_letters()
_BYTES = {letter: byte for byte, letter in _LETTERS.items()}


def load_mistral_tokenizer(files: ModelFiles) -> MistralTokenizer:
    """Raises StartupError: no such file, or no mistral-common."""
    try:
        from mistral_common.protocol.instruct.validator import ValidationMode
        from mistral_common.tokens.tokenizers.mistral import MistralTokenizer as Library
        from mistral_common.tokens.tokenizers.utils import get_one_valid_tokenizer_file
    except ImportError as error:
        raise StartupError(
            "--tokenizer-mode mistral needs mistral-common: pip install 'render-service[mistral]', "
            "or read tokenizer.json with --tokenizer-mode hf"
        ) from error
    names = [path.name for path in files.folder.iterdir()]
    try:
        file = files.folder / get_one_valid_tokenizer_file(names)
        library = Library.from_file(str(file), mode=ValidationMode.test)
    # Whatever the library raises is told in one line.
    except Exception as error:
        reason = " ".join(str(error).split())
        raise StartupError(
            f"--tokenizer-mode mistral: no tokenizer of {files.name} can be used: {reason}"
        ) from error
    return MistralTokenizer(library, file, files.json("tokenizer_config.json") or {})
