"""Text to token IDs and back, exactly as transformers gives them to vLLM.

tokenizer.json runs on `tokenizers` alone: transformers takes seconds and memory to import, and
is needed only for what has no usable tokenizer.json (`tokenizer_transformers.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import tokenizers

from .errors import RequestError
from .hub import ModelFiles, StartupError
from .special_tokens import SpecialTokens, add_special_tokens, read_special_tokens
from .tokenizer_class import GENERIC, PIPELINES, TokenizerClass, class_name

if TYPE_CHECKING:
    from .fast_tokenizer import FastEncoder


PANIC = "PanicException"  # pyo3's, which has no module to import from


class Tokenizer:
    """Immutable after construction but for `encode_by`; safe to share between threads.

    backend: what encodes ("tokenizers", "fastokens" ...). config: tokenizer_config.json.
    added_tokens: all added tokens, text -> ID. size: the vocabulary with the added tokens.
    special_ids: what `skip_special_tokens` drops. all_special_ids: those that have a role
    (`bos_token` and so on), transformers' property of that name.
    special_tokens_map: what templates see. max_id, max_chars: largest token ID, longest token.
    spec: the pipeline sections of tokenizer.json in force (`normalizer`, `pre_tokenizer`,
    `post_processor`, `decoder`; each a mapping or None); None where it has none.
    fast: it runs on `tokenizers`; False for a tokenizer written in Python.
    """

    backend = "tokenizers"
    fast = True

    def __init__(
        self, core: tokenizers.Tokenizer, special: SpecialTokens, config: Mapping[str, Any]
    ) -> None:
        self._core = core
        self.config = config
        decoder = core.get_added_tokens_decoder()
        self.added_tokens: Mapping[str, int] = {
            decoder[index].content: index for index in sorted(decoder)
        }
        self.special_tokens_map: Mapping[str, str] = {
            name: str(token) for name, token in special.named.items()
        }
        self._name_special_tokens()
        self.special_ids = frozenset(i for i, token in decoder.items() if token.special)
        ids = (self._id_or_unknown(text) for text in special.all())
        self.all_special_ids = frozenset(i for i in ids if i is not None)
        self.size: int = core.get_vocab_size(with_added_tokens=True)
        vocab = core.get_vocab()
        self.max_id: int = max(max(vocab.values()), core.get_vocab_size(False) - 1)
        self.max_chars: int = max(map(len, vocab))
        self.spec: Mapping[str, Any] | None = pipeline_sections(core)
        self._cleans_up = _cleans_up(config, core)
        self._fast: FastEncoder | None = None

    def encode_by(self, encoder: FastEncoder) -> None:
        """From now on by this one, which gives the same IDs (see `fast_tokenizer.py`)."""
        self._fast, self.backend = encoder, "fastokens"

    def _name_special_tokens(self) -> None:
        named = self.special_tokens_map.get
        self.bos_token = named("bos_token")
        self.eos_token = named("eos_token")
        self.pad_token = named("pad_token")
        self.unk_token = named("unk_token")
        self.eos_token_id = None if self.eos_token is None else self._id_or_unknown(self.eos_token)

    def _id_or_unknown(self, token: str) -> int | None:
        index = self.token_to_id(token)
        if index is None and self.unk_token is not None:
            return self.token_to_id(self.unk_token)
        return index

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        """Special tokens written out in the text become those tokens, as everywhere."""
        if self._fast is not None:
            try:
                return self._fast.encode(text, add_special_tokens).ids
            except BaseException as error:  # a panic is no Exception
                if not isinstance(error, Exception) and type(error).__name__ != PANIC:
                    raise
            # What it refuses, `tokenizers` may take, or refuse better.
        with encodable(text):
            # The batch call is the one that leaves out offsets, which cost as much again.
            found = self._core.encode_batch_fast([text], add_special_tokens=add_special_tokens)
        ids: list[int] = found[0].ids
        return ids

    def encode_ordinary(self, text: str) -> list[int]:
        """Text that is only text: what spells an added token does not become it."""
        if self._added_token.search(text) is None:
            return self.encode(text, add_special_tokens=False)
        with encodable(text):
            return ordinary_ids(self._core, text)

    @cached_property
    def _added_token(self) -> re.Pattern[str]:
        """Finds an added token in a text; nothing where there are none."""
        return re.compile("|".join(map(re.escape, self.added_tokens)) or "(?!)")

    def encode_with_offsets(
        self, text: str, *, add_special_tokens: bool
    ) -> tuple[list[int], list[tuple[int, int]] | None]:
        """Offsets are the (start, end) characters of each token; None where unknown."""
        with encodable(text):
            encoding = self._core.encode(text, add_special_tokens=add_special_tokens)
        return encoding.ids, encoding.offsets

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool) -> str:
        """IDs that the tokenizer lacks decode to nothing."""
        text: str = self._core.decode(ids, skip_special_tokens=skip_special_tokens)
        return _clean_up(text) if self._cleans_up else text

    def id_to_token(self, index: int) -> str | None:
        token: str | None = self._core.id_to_token(index)
        return token

    def piece(self, index: int) -> str | None:
        """A token as it is shown to people and clients."""
        return self.id_to_token(index)

    def token_to_id(self, token: str) -> int | None:
        index: int | None = self._core.token_to_id(token)
        return index

    def tokens_to_string(self, tokens: list[str]) -> str:
        decoder = self._core.decoder
        text: str = " ".join(tokens) if decoder is None else decoder.decode(tokens)
        return text

    @property
    def splits_special_tokens(self) -> bool:
        """Special tokens written out in the text are only text."""
        return bool(self._core.encode_special_tokens)

    def pipeline(self) -> str:
        """tokenizer.json as it is in force."""
        text: str = self._core.to_str()
        return text

    def serialized(self) -> str:
        """What decides encoding and decoding; the same however its files are written."""
        return f"{(self.splits_special_tokens, self._cleans_up)} {self.pipeline()}"


def load_tokenizer(
    files: ModelFiles,
    model_config: Mapping[str, Any],
    *,
    remote_code: bool = False,
    generic: bool = False,
    through_transformers: bool = False,
) -> Tokenizer:
    """The tokenizer of a model folder; model_config is its config.json. Raises StartupError.

    generic: tokenizer.json counts as it is, whatever class the files name. through_transformers:
    even where it can do without.
    """
    config = files.json("tokenizer_config.json") or {}
    declared = config.get("tokenizer_class") or model_config.get("tokenizer_class")
    name = GENERIC if generic else class_name(model_config.get("model_type"), declared)
    if (
        through_transformers
        or not files.has("tokenizer.json")
        or (name != GENERIC and name not in PIPELINES)
        or _has_code(config)
        or config.get("fix_mistral_regex")
    ):
        return _through_transformers(files, config, remote_code)
    core = _read(files)
    kind = PIPELINES.get(name)
    if kind is not None and not isinstance(core.model, tokenizers.models.BPE):
        return _through_transformers(files, config, remote_code)
    defaults = {} if core.padding is None else {"pad_token": core.padding["pad_token"]}
    defaults |= {} if kind is None else kind.defaults
    special = read_special_tokens(files, config, core, defaults)
    if kind is not None:
        core = _rebuilt(core, kind, config)
    core.no_truncation()
    core.no_padding()
    core.encode_special_tokens = bool(config.get("split_special_tokens", False))
    add_special_tokens(core, special, "declared" if kind is None else kind.flags)
    return Tokenizer(core, special, config)


def _read(files: ModelFiles) -> tokenizers.Tokenizer:
    path = files.folder / "tokenizer.json"
    try:
        return tokenizers.Tokenizer.from_file(str(path))
    # `tokenizers` raises plain Exception for whatever it cannot read.
    except Exception as error:
        raise StartupError(f"cannot read {path}: {error}") from error


def _rebuilt(
    file: tokenizers.Tokenizer, kind: TokenizerClass, config: Mapping[str, Any]
) -> tokenizers.Tokenizer:
    """The file's vocabulary and merges with the class's pipeline; its added tokens are dropped."""
    pipeline = kind.build(config)
    core = tokenizers.Tokenizer(file.model)
    model = core.model
    defaults = {
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
    }
    for name, value in {**defaults, **pipeline.bpe}.items():
        setattr(model, name, value)
    core.normalizer = pipeline.normalizer
    core.pre_tokenizer = pipeline.pre_tokenizer
    core.decoder = pipeline.decoder
    if kind.keeps_post_processor and file.post_processor is not None:
        core.post_processor = file.post_processor
    return core


def _has_code(config: Mapping[str, Any]) -> bool:
    auto_map = config.get("auto_map")
    if isinstance(auto_map, Mapping):
        return auto_map.get("AutoTokenizer") is not None
    return auto_map is not None


def _through_transformers(
    files: ModelFiles, config: Mapping[str, Any], remote_code: bool
) -> Tokenizer:
    from .tokenizer_transformers import load_through_transformers

    return load_through_transformers(files, config, remote_code=remote_code)


def ordinary_ids(core: tokenizers.Tokenizer, text: str) -> list[int]:
    """What the pipeline makes of a text when no added token is looked for."""
    if core.normalizer is not None:
        text = core.normalizer.normalize_str(text)
    pieces = [(text, None)]
    if core.pre_tokenizer is not None:
        pieces = core.pre_tokenizer.pre_tokenize_str(text)
    return [token.id for piece, _ in pieces for token in core.model.tokenize(piece)]


def pipeline_sections(core: tokenizers.Tokenizer) -> Mapping[str, Any]:
    """As tokenizer.json has them."""
    names = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
    parts = ((name, getattr(core, name)) for name in names)
    return {name: None if p is None else json.loads(p.__getstate__()) for name, p in parts}


def _cleans_up(config: Mapping[str, Any], core: tokenizers.Tokenizer) -> bool:
    """transformers ignores the setting for BPE, which it would corrupt, unless forced."""
    if not config.get("clean_up_tokenization_spaces", False):
        return False
    forced = config.get("clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output")
    return bool(forced) or not isinstance(core.model, tokenizers.models.BPE)


_SPACED = (" .", " ?", " !", " ,", " ' ", " n't", " 'm", " 's", " 've", " 're")


def _clean_up(text: str) -> str:
    for spaced in _SPACED:
        text = text.replace(spaced, spaced.strip())
    return text


@contextmanager
def encodable(text: str) -> Iterator[None]:
    """RequestError for a lone surrogate in the text, which JSON can write but UTF-8 cannot, and
    for a text that `tokenizers` gives up on, as on ten million spaces: it panics.
    """
    try:
        yield
    except (UnicodeEncodeError, TypeError) as error:
        at = next((i for i, char in enumerate(text) if "\ud800" <= char <= "\udfff"), 0)
        raise RequestError(
            f"The prompt is not valid Unicode: lone surrogate at character {at}."
        ) from error
    except BaseException as error:
        if type(error).__name__ != PANIC:
            raise
        raise RequestError(f"The tokenizer gives up on the prompt: {error}.") from error
