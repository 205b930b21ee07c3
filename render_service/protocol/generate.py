"""What the token engine sends back: bodies of `POST /inference/v1/generate`, `output_mode=tokens`.

Fields and defaults are vLLM 0.33.0's (`scale_out/token_in_token_out/protocol.py`). Parts
that only pass through (`metrics`, `kv_transfer_params`, `prompt_logprobs`) stay raw JSON.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Raw, Struct

from .fields import Int64

TokenId = Annotated[int, Meta(ge=0, le=2**31 - 1)]
TokenCount = TokenId  # sums of them stay far within what a JSON writer takes

ABSENT = Raw(b"")


class GenerateLogProb(Struct):
    token_id: TokenId
    logprob: float
    rank: int | None = None


class GenerateLogProbsContent(GenerateLogProb):
    """The sampled token of one position and its candidates, in the engine's order."""

    top_logprobs: list[GenerateLogProb] = []


class GenerateLogProbs(Struct):
    content: list[GenerateLogProbsContent] | None = None


class GenerateUsage(Struct):
    prompt_tokens: TokenCount | None = 0
    completion_tokens: TokenCount | None = 0


class GenerateStreamChoice(Struct):
    index: Int64
    finish_reason: str | None = None
    stop_reason: Int64 | str | None = None
    token_ids: list[TokenId] | None = None
    logprobs: GenerateLogProbs | None = None


class GenerateChoice(GenerateStreamChoice):
    finish_reason: str | None = "stop"


class GenerateChunk(Struct):
    """One event of a streamed output: at most one choice."""

    choices: list[GenerateStreamChoice]
    request_id: str = ""
    output_mode: Literal["tokens"] = "tokens"
    usage: GenerateUsage | None = None
    prompt_token_ids: Raw = ABSENT
    metrics: Raw = ABSENT


class GenerateResponse(Struct):
    """A whole output."""

    choices: list[GenerateChoice]
    request_id: str = ""
    output_mode: Literal["tokens"] = "tokens"
    prompt_logprobs: list[Raw] | None = None
    prompt_token_ids: list[TokenId] | None = None
    metrics: Raw = ABSENT
    kv_transfer_params: Raw = ABSENT
