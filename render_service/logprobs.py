"""The engine's logprobs, which name tokens by ID, in OpenAI's shapes, which name them by text.

Rules of vLLM's derenderer (`renderers/online_derenderer.py`, `entrypoints/generate/base`):
each token is decoded alone, with the leading space that decoding alone would lose; a token
that ends inside a character gets the text it completes after the tokens before it, or none.
Results are plain dicts with vLLM's keys in vLLM's order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import isfinite
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, Protocol

from .token_text import REPLACEMENT

if TYPE_CHECKING:
    from .protocol.generate import GenerateLogProb, GenerateLogProbs, GenerateLogProbsContent
    from .tokenizer import Tokenizer

Json = dict[str, Any]

# Preceding sampled tokens that can complete a character: it has four bytes at most.
CONTEXT = 4

# OpenAI's floor for a logprob, also what vLLM's engine gives for -inf and NaN.
FLOOR = -9999.0

# Tokens whose text is kept: more than one language's working set, about 6 MB when full.
CACHED_TOKENS = 16384


class _ChatLogprobRequest(Protocol):
    @property
    def logprobs(self) -> bool | None: ...
    @property
    def top_logprobs(self) -> int | None: ...
    @property
    def logprob_token_ids(self) -> Sequence[int] | None: ...


class _CompletionLogprobRequest(Protocol):
    @property
    def logprobs(self) -> int | None: ...
    @property
    def logprob_token_ids(self) -> Sequence[int] | None: ...


def chat_top_limit(request: _ChatLogprobRequest) -> int | None:
    """How many candidates of a position a chat answer keeps; None keeps all.

    A request without `logprobs` says nothing about the cut.
    """
    if not request.logprobs or request.logprob_token_ids or request.top_logprobs == -1:
        return None
    return request.top_logprobs or 0


def completion_top_limit(request: _CompletionLogprobRequest) -> int | None:
    """The same for completions, which keep one more than asked for: the sampled token."""
    if request.logprobs is None or request.logprob_token_ids or request.logprobs == -1:
        return None
    return max(request.logprobs + 1, 0)


def context_tail(context: Sequence[int], ids: Sequence[int]) -> list[int]:
    """What the next chunk needs as context, after a chunk with these IDs."""
    return [*context, *ids][-CONTEXT:]


class TokenStrings:
    """Text of single tokens, as logprobs show it. Built once; a bounded number is kept."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._marker = _space_marker(tokenizer.spec)
        self.alone = lru_cache(CACHED_TOKENS)(self._alone)

    def text(self, token_id: int, context: Sequence[int]) -> tuple[str, list[int] | None]:
        """A token's text and its UTF-8 bytes after the given sampled tokens.

        ("", None) for an ID that the tokenizer lacks. The list is shared: do not change it.
        """
        text, utf8 = self.alone(token_id)
        if text.endswith(REPLACEMENT):
            text = self._completed(token_id, list(context[-CONTEXT:]))
            return text, list(text.encode())
        return text, utf8

    def _alone(self, token_id: int) -> tuple[str, list[int] | None]:
        token = self._tokenizer.id_to_token(token_id)
        if token is None:
            return "", None
        text = self._decode([token_id])
        if self._marker is not None:
            spaces = len(token) - len(token.lstrip(self._marker))
            text = " " * (spaces - len(text) + len(text.lstrip(" "))) + text
        return text, list(text.encode())

    def _completed(self, token_id: int, context: list[int]) -> str:
        """The text that a token completes, "" where the character goes on.

        The shortest context that decodes cleanly counts. Its own unfinished tokens showed no
        text, so theirs belongs to this token.
        """
        for size in range(1, len(context) + 1):
            window = context[-size:]
            text = self._decode([*window, token_id])
            if text.endswith(REPLACEMENT):
                continue
            clean = size
            while clean and self._decode([window[clean - 1]]).endswith(REPLACEMENT):
                clean -= 1
            before = self._decode(window[:clean]) if clean else ""
            return text[len(commonprefix([before, text])) :]  # noqa: RUF071 - text, no paths
        return ""

    def _decode(self, ids: Sequence[int]) -> str:
        return self._tokenizer.decode(ids, skip_special_tokens=False)


def _space_marker(spec: Mapping[str, Any] | None) -> str | None:
    """What stands for a leading space in the vocabulary, None where decoding keeps it."""
    pre = (spec or {}).get("pre_tokenizer") or {}
    steps = pre.get("pretokenizers", []) if pre.get("type") == "Sequence" else [pre]
    for step in steps:
        if step.get("type") == "Metaspace":
            return str(step.get("replacement", "\u2581"))
    return None


def chat_logprobs(
    logprobs: GenerateLogProbs,
    strings: TokenStrings,
    context: Sequence[int] = (),
    *,
    top_limit: int | None,
) -> Json:
    """ChatCompletionLogProbs. context: the sampled IDs before the first position."""
    if logprobs.content is None:
        return {"content": None}
    content: list[Json] = []
    before = list(context)
    for entry in logprobs.content:
        content.append(
            {
                **_candidate(entry, strings, before),
                "top_logprobs": [
                    _candidate(top, strings, before) for top in entry.top_logprobs[:top_limit]
                ],
            }
        )
        before = context_tail(before, [entry.token_id])
    return {"content": content}


def _candidate(entry: GenerateLogProb, strings: TokenStrings, context: Sequence[int]) -> Json:
    text, utf8 = strings.text(entry.token_id, context)
    return {"token": text, "logprob": finite(entry.logprob), "bytes": utf8}


def completion_logprobs(
    logprobs: GenerateLogProbs,
    strings: TokenStrings,
    context: Sequence[int] = (),
    *,
    top_limit: int | None,
    text_offset: int = 0,
) -> Json:
    """CompletionLogProbs. text_offset: of the first position, in characters.

    A position for which the engine gave no candidates has None, not an empty dict.
    """
    offsets: list[int] = []
    tokens: list[str] = []
    tops: list[dict[str, float] | None] = []
    before = list(context)
    content = logprobs.content or []
    for entry in content:
        text, _ = strings.text(entry.token_id, before)
        offsets.append(text_offset)
        tokens.append(text)
        tops.append(_top_dict(entry, strings, before, top_limit))
        text_offset += len(text)
        before = context_tail(before, [entry.token_id])
    return {
        "text_offset": offsets,
        "token_logprobs": [finite(entry.logprob) for entry in content],
        "tokens": tokens,
        "top_logprobs": tops,
    }


def _top_dict(
    entry: GenerateLogProbsContent,
    strings: TokenStrings,
    context: Sequence[int],
    top_limit: int | None,
) -> dict[str, float] | None:
    if not entry.top_logprobs:
        return None
    return {
        strings.text(top.token_id, context)[0]: finite(top.logprob)
        for top in entry.top_logprobs[:top_limit]
    }


def finite(logprob: float) -> float:
    """A logprob that JSON can hold; vLLM answers 500 where the engine sent one that it cannot."""
    return logprob if isfinite(logprob) else FLOOR
