"""Token IDs to text, a few at a time, however they are cut.

The rule is that of vLLM's derenderer (`tokenizers/detokenizer_utils.py`): decode the tokens
since the last but one time that text came out, hold the new text back while it ends in U+FFFD
(a character may still be incomplete), and give out what is longer than the text of the older
tokens. The last tokens of the prompt come first, so that the first token keeps its space.
Where the decoder allows, a table gives the same answer: a stream is *settled* when nothing is
held back and what follows does not depend on what came before; then it needs no window at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from parsers import Piece, Special

from .logprobs import TokenStrings
from .token_text import (
    ANCHOR,
    ANCHOR_ID,
    REPLACEMENT,
    TokenTexts,
    decoder_kind,
    tokens_decoder,
)

if TYPE_CHECKING:
    from .tokenizer import Tokenizer

# vLLM seeds its window with as many tokens, out of the last seven that are not skipped.
PROMPT_WINDOW = 5
PROMPT_TAIL = PROMPT_WINDOW + 2

# Tokens held back at most. Only output that is no text gets there; as an incomplete character
# has three tokens at most, all older ones can then go out as they are.
MAX_PENDING = 32
INCOMPLETE = 3

# A state may come from a vLLM replica, whose windows are not bounded but short in practice.
MAX_WINDOW = 128

# Text for the check at construction: spaces, newlines, characters of 2, 3 and 4 bytes.
_SAMPLE = (
    "Tea for two \u2014 caf\u00e9,  \u8336\u9053 \U0001f375\ufe0f!\n\n\tx = [0x41] \u2581 don't\r\n"
)


@dataclass(frozen=True, slots=True)
class _Mode:
    """What the flags of a stream come to.

    apart: IDs that are not text: "" is skipped, a Special is given out as it is.
    """

    kind: str
    texts: TokenTexts
    tokens_to_text: Callable[[list[str]], str]
    apart: Mapping[int, str]

    def decode(self, ids: Sequence[int]) -> str:
        return self.tokens_to_text([*map(self.texts.token, ids)])

    def settles(self, token_id: int) -> bool:
        """Whether a stream is settled after a token at whose end text came out."""
        if self.kind == "byte-fallback":
            return bool(self.texts[token_id])  # a run of byte tokens could go on
        return self.kind == "byte-level"


class Detokenizer:
    """Built once a process; `start` and `resume` give one stream for each output.

    kind: "byte-level", "byte-fallback" or "window", by the tokenizer's decoder.
    strings: the text of single tokens, for logprobs.
    specials: IDs that a stream with `pieces=True` gives out as themselves.
    """

    def __init__(
        self, tokenizer: Tokenizer, specials: Mapping[int, Special] = MappingProxyType({})
    ) -> None:
        self.tokenizer = tokenizer
        self.strings = TokenStrings(tokenizer)
        self._skipped: dict[int, str] = dict.fromkeys(tokenizer.all_special_ids, "")
        self._specials: dict[int, str] = dict(specials)
        self._texts = TokenTexts(tokenizer.size, tokenizer.id_to_token, tokenizer.tokens_to_string)
        self._use(decoder_kind(tokenizer.spec))
        if self.kind != "window" and not self._agrees():
            self._use("window")

    def _use(self, kind: str) -> None:
        self.kind = kind
        self._modes = {
            (skip, spaces, pieces): _Mode(
                kind,
                self._texts,
                tokens_decoder(self.tokenizer, skip, spaces),
                (self._skipped if skip else {}) | (self._specials if pieces else {}),
            )
            for skip, spaces, pieces in product((False, True), repeat=3)
        }

    def _agrees(self) -> bool:
        """Whether table and window give what the tokenizer's decoder gives at once."""
        ids = self.tokenizer.encode(_SAMPLE, add_special_tokens=False)
        tokens = [self.tokenizer.id_to_token(i) or "" for i in ids]
        decode = self.tokenizer.tokens_to_string
        stream = self.start(None, skip_special_tokens=False)
        return decode([ANCHOR]) == ANCHOR and "".join(stream.feed(ids)) == decode(tokens)

    def start(
        self,
        prompt_token_ids: Sequence[int] | None,
        *,
        skip_special_tokens: bool,
        spaces_between_special_tokens: bool = True,
        pieces: bool = False,
    ) -> DetokenizerStream:
        """A stream that continues the prompt.

        Without a prompt the first token is decoded as the start of a text.
        spaces_between_special_tokens: as in vLLM, matters to slow tokenizers only.
        """
        mode = self._modes[skip_special_tokens, spaces_between_special_tokens, pieces]
        tail = list((prompt_token_ids or ())[-PROMPT_TAIL:])
        if skip_special_tokens:
            tail = [i for i in tail if i not in self._skipped]
        if tail and self.kind != "window" and self._texts[tail[-1]]:
            return DetokenizerStream(mode, None, [])
        return DetokenizerStream(mode, tail[-PROMPT_WINDOW:], [])

    def resume(
        self,
        state: Any,
        *,
        skip_special_tokens: bool,
        spaces_between_special_tokens: bool = True,
        pieces: bool = False,
    ) -> DetokenizerStream:
        """The stream whose `snapshot` the state is; ValueError where it cannot be one.

        vLLM's is `[read_offset - prefix_offset, *prev_tokens[prefix_offset:]]`, with token IDs.
        """
        mode = self._modes[skip_special_tokens, spaces_between_special_tokens, pieces]
        if state is None:
            if self.kind == "window":
                raise ValueError("the detokenizer's window is missing")
            return DetokenizerStream(mode, None, [])
        read, ids = _window(state)
        return DetokenizerStream(mode, ids[:read], ids[read:])


def _window(state: Any) -> tuple[int, list[int]]:
    if isinstance(state, list) and 0 < len(state) <= MAX_WINDOW + 1:
        read, *ids = state
        known = all(type(i) is int and ANCHOR_ID <= i < 2**31 for i in ids)
        if known and type(read) is int and 0 <= read <= len(ids):
            return read, ids
    raise ValueError("the detokenizer's window is malformed")


class DetokenizerStream:
    """One output.

    prefix: IDs of the older tokens of the window, None in a settled stream. pending: of the
    newer ones, whose text has not come out.
    """

    __slots__ = ("_mode", "_pending", "_prefix")

    def __init__(self, mode: _Mode, prefix: list[int] | None, pending: list[int]) -> None:
        self._mode = mode
        self._prefix = prefix
        self._pending = pending

    def feed(self, ids: Sequence[int]) -> list[Piece]:
        """All text that is certain by now, special tokens apart; no piece is empty."""
        texts, apart = self._mode.texts, self._mode.apart
        pieces: list[Piece] = []
        run: list[str] = []
        for token_id in ids:
            special = apart.get(token_id)
            if special is None:
                text = texts[token_id] if self._prefix is None else None
                run.append(self._step(token_id) if text is None else text)
            elif special:
                run.append(self._flush(token_id, special))
                if text := "".join(run):
                    pieces.append(text)
                pieces.append(special)
                run.clear()
        if text := "".join(run):
            pieces.append(text)
        return pieces

    def snapshot(self) -> list[int] | None:
        """None when settled, else the window: `[number of IDs in prefix, *IDs]`."""
        if self._prefix is None:
            return None
        return [len(self._prefix), *self._prefix, *self._pending]

    def _step(self, token_id: int) -> str:
        """Text that comes out with a token, by the window."""
        prefix = [ANCHOR_ID] if self._prefix is None else self._prefix
        pending = [*self._pending, token_id]
        before = self._mode.decode(prefix)
        text = self._mode.decode(prefix + pending)
        if len(text) > len(before) and not text.endswith(REPLACEMENT):
            self._prefix, self._pending = pending, []
            if self._mode.settles(token_id):
                self._prefix = None
            return text[len(before) :]
        self._prefix, self._pending = prefix, pending
        return self._overflow(before) if len(pending) > MAX_PENDING else ""

    def _overflow(self, before: str) -> str:
        """Give out all but what may be an incomplete character."""
        assert self._prefix is not None
        older, self._pending = self._pending[:-INCOMPLETE], self._pending[-INCOMPLETE:]
        text = self._mode.decode(self._prefix + older)
        self._prefix = older
        return text[len(before) :]

    def _flush(self, token_id: int, special: str) -> str:
        """Text that comes out before a special token: what was held back will not be completed."""
        if self._prefix is None:
            return ""
        before = self._mode.decode(self._prefix)
        window = [*self._pending, token_id]
        text = self._mode.decode(self._prefix + window)[len(before) :]
        self._prefix, self._pending = window, []
        if self._mode.kind == "window":
            return text.removesuffix(special)
        self._prefix = None
        return text.removesuffix(self._mode.texts[token_id] or special)
