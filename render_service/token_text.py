"""The text of one token, where the decoder gives it the same text wherever it stands.

Most decoders of language models are context-free once something precedes: byte-level ones, and
those of the SentencePiece family, whose only exceptions are the very first token (its leading
space is dropped) and byte tokens (a run of them is one text). For these a table from token ID
to text does the work; what depends on its neighbours is None in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .tokenizer import Tokenizer

# Stands for "something precedes": the decoders of both kinds give back the letter.
ANCHOR = "a"
ANCHOR_ID = -1

REPLACEMENT = "\ufffd"

# Decoder steps that look at one token at a time, byte tokens apart.
_TOKEN_STEPS = frozenset({"Replace", "Metaspace", "ByteFallback"})


def decoder_kind(spec: Mapping[str, Any] | None) -> str:
    """What the `decoder` section of tokenizer.json allows.

    "byte-level": tokens spell bytes. "byte-fallback": tokens are text with a space marker,
    or one byte (`<0xE4>`). "window": anything else, decoded with its neighbours.
    """
    steps = _steps((spec or {}).get("decoder"))
    names = [step.get("type") for step in steps]
    if names == ["ByteLevel"]:
        return "byte-level"
    if names and names[-1] == "Strip" and steps[-1].get("stop") == 0:
        names.pop()  # drops spaces at the very start, where nothing precedes
    if names and names[-1] == "Fuse":
        names.pop()
    return "byte-fallback" if names and _TOKEN_STEPS.issuperset(names) else "window"


def _steps(decoder: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    if decoder is None:
        return []
    if decoder.get("type") != "Sequence":
        return [decoder]
    return [step for inner in decoder["decoders"] for step in _steps(inner)]


class TokenTexts(dict[int, str | None]):
    """ID -> its text after other tokens, found on first use; None: it depends on neighbours.

    IDs outside 0..size-1 have no text and are not kept: the vocabulary bounds the table.
    """

    def __init__(
        self,
        size: int,
        id_to_token: Callable[[int], str | None],
        decode: Callable[[list[str]], str],
    ) -> None:
        super().__init__()
        self._size = size
        self._id_to_token = id_to_token
        self._decode = decode

    def token(self, token_id: int) -> str:
        """The vocabulary's entry, "" for an ID that the tokenizer lacks."""
        if 0 <= token_id < self._size:
            return self._id_to_token(token_id) or ""
        return ANCHOR if token_id == ANCHOR_ID else ""

    def __missing__(self, token_id: int) -> str | None:
        if not 0 <= token_id < self._size:
            return ""
        text = self[token_id] = self._text(self.token(token_id))
        return text

    def _text(self, token: str) -> str | None:
        if not token:
            return ""
        if len(token) == 6 and token.startswith("<0x") and token.endswith(">"):
            return None  # maybe a byte, which joins the bytes around it
        text = self._decode([ANCHOR, token])
        if REPLACEMENT in text or not text.startswith(ANCHOR):
            return None
        return text[len(ANCHOR) :]


def tokens_decoder(
    tokenizer: Tokenizer, skip_special_tokens: bool, spaces_between_special_tokens: bool
) -> Callable[[list[str]], str]:
    """Tokens to text as vLLM does it: slow tokenizers decode the runs between added tokens.

    Only they know `spaces_between_special_tokens`: it joins the runs with a space. Empty tokens
    (IDs that the tokenizer lacks) are left out: some tokenizers raise on them.
    """
    added = frozenset(tokenizer.added_tokens)
    decode = tokenizer.tokens_to_string
    if tokenizer.fast or not added:
        return decode
    skipped = (
        frozenset(filter(None, map(tokenizer.id_to_token, tokenizer.all_special_ids)))
        if skip_special_tokens
        else frozenset()
    )
    space = " " if spaces_between_special_tokens else ""

    def decode_runs(tokens: list[str]) -> str:
        runs: list[str] = []
        run: list[str] = []
        for token in tokens:
            if not token or token in skipped:
                continue
            if token not in added:
                run.append(token)
                continue
            if run:
                runs.append(decode(run))
                run = []
            runs.append(token)
        if run:
            runs.append(decode(run))
        return space.join(runs)

    return decode_runs
