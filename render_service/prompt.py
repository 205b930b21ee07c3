"""Prompt text to token IDs within the model's context: truncation, lengths, offsets.

Source of the rules and texts: vLLM 0.33.0's TokenizeParams (`renderers/params.py`) and
`renderers/base.py`. Nothing is tokenized that could not fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from .errors import RequestError
from .protocol.fields import invalid

if TYPE_CHECKING:
    from .model import Model
    from .tokenizer import Tokenizer

DEFAULT_SIDE = "left"
"""vLLM cuts off the start of a prompt, whatever the model's tokenizer says."""

Offsets = list[tuple[int, int]]


class Prompt(Struct, frozen=True):
    """offsets: (start, end) of each token in the source text, in characters."""

    ids: list[int]
    offsets: Offsets | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptLimits:
    """max_tokens: output tokens asked for, by the name in `max_tokens_field`; None for no limit.

    truncate: prompt tokens to keep, -1 for as many as fit. side: the end that is cut off, None
    for DEFAULT_SIDE, where the tokenizer cuts and special tokens that it added are kept.
    """

    max_model_len: int
    max_tokens: int | None
    max_tokens_field: str = "max_tokens"
    truncate: int | None = None
    side: Literal["left", "right"] | None = None
    add_special_tokens: bool
    offsets: bool = False

    def __post_init__(self) -> None:
        total = self.max_model_len
        if self.max_tokens is not None and self.max_tokens > total:
            raise invalid(
                f"{self.max_tokens_field}={self.max_tokens} cannot be greater than "
                f"max_model_len={total}. Please request fewer output tokens.",
                self.max_tokens_field,
                self.max_tokens,
            )
        if self.truncate is not None and self.truncate > total:
            raise invalid(
                f"truncate_prompt_tokens={self.truncate} cannot be greater than "
                f"max_model_len = {total}. Please request a smaller truncation size.",
                "truncate_prompt_tokens",
                self.truncate,
            )

    @property
    def keep(self) -> int | None:
        """Prompt tokens to keep; one token of the context is left for output, if there is any."""
        if self.truncate is None or self.truncate >= 0:
            return self.truncate
        return self.max_model_len if self.max_tokens == 0 else max(0, self.max_model_len - 1)


def tokenize(model: Model, text: str, limits: PromptLimits) -> Prompt:
    """A text prompt. RequestError where it does not fit and may not be cut."""
    tokenizer = model.tokenizer
    most = limits.max_model_len
    if limits.truncate is None and not limits.offsets and len(text) <= most * tokenizer.max_chars:
        ids = tokenizer.encode(text, add_special_tokens=limits.add_special_tokens)
        if len(ids) > most:
            raise _too_long(most + 1, most)
        return Prompt(ids)
    text, skipped = _cut_text(tokenizer, text, limits)
    if limits.offsets:
        ids, offsets = tokenizer.encode_with_offsets(
            text, add_special_tokens=limits.add_special_tokens
        )
    else:
        ids = tokenizer.encode(text, add_special_tokens=limits.add_special_tokens)
        offsets = None
    if offsets is not None and skipped:
        # (0, 0) marks a token that stands for no text.
        offsets = [(a + skipped, b + skipped) if (a, b) != (0, 0) else (a, b) for a, b in offsets]
    keep = limits.keep
    if keep is None and len(ids) > most:
        raise _too_long(most + 1, most)
    if keep is None or len(ids) <= keep:
        return Prompt(ids, offsets)
    kept = _kept(tokenizer, ids, text, keep, limits)
    return Prompt(
        [ids[place] for place in kept],
        None if offsets is None else [offsets[place] for place in kept],
    )


def limit_ids(model: Model, ids: list[int], limits: PromptLimits) -> Prompt:
    """A prompt that came as token IDs."""
    keep, most = limits.keep, limits.max_model_len
    if keep is not None and keep < len(ids):
        ids = ids[_cut(len(ids), keep, limits.side or DEFAULT_SIDE)]
    if len(ids) > most:
        raise _too_long(len(ids), most)
    return Prompt(ids)


def check_token_ids(model: Model, ids: Sequence[int], param: str | None) -> None:
    """Refuse IDs that neither the model nor its tokenizer has."""
    highest, lowest = max(ids), min(ids)
    if lowest < 0 or highest > max(model.vocab_size - 1, model.tokenizer.max_id):
        wrong = lowest if lowest < 0 else highest
        raise invalid(f"Token id {wrong} is out of vocabulary", param)


def _cut_text(tokenizer: Tokenizer, text: str, limits: PromptLimits) -> tuple[str, int]:
    """The text that can matter, and how many characters were cut off in front of it."""
    most = limits.max_model_len * tokenizer.max_chars
    if len(text) <= most:
        return text, 0
    if limits.truncate is None:
        raise invalid(
            f"This model's maximum context length is {limits.max_model_len} tokens. However, your "
            f"prompt contains {len(text)} characters (more than {most} characters, which is the "
            f"upper bound for {limits.max_model_len} input tokens). "
            "Please reduce the length of the input prompt.",
            "input_text",
            len(text),
        )
    if limits.side == "left":
        return text[-most:], len(text) - most
    return (text[:most], 0) if limits.side == "right" else (text, 0)


def _kept(
    tokenizer: Tokenizer, ids: list[int], text: str, keep: int, limits: PromptLimits
) -> list[int]:
    """Places of the IDs that stay.

    Where no side is asked for, the tokenizer cuts, and keeps the special tokens that it added.
    """
    places = list(range(len(ids)))
    if limits.side is not None or not limits.add_special_tokens:
        return places[_cut(len(ids), keep, limits.side or DEFAULT_SIDE)]
    plain = tokenizer.encode(text, add_special_tokens=False)
    added = len(ids) - len(plain)
    before = next((n for n in range(added + 1) if ids[n : n + len(plain)] == plain), 0)
    middle = places[before : before + len(plain)]
    room = max(0, keep - added)
    middle = middle[_cut(len(middle), room, DEFAULT_SIDE)]
    return [*places[:before], *middle, *places[before + len(plain) :]][:keep]


def _cut(length: int, keep: int, side: str) -> slice:
    return slice(length - keep, None) if side == "left" else slice(0, keep)


def _too_long(count: int, most: int) -> RequestError:
    at_least = "at least " if count == most + 1 else ""
    return invalid(
        f"This model's maximum context length is {most} tokens. However, your prompt contains "
        f"{at_least}{count} input tokens, which exceeds this limit even without any output "
        "tokens. Please reduce the length of the input prompt.",
        "input_tokens",
        count,
    )
