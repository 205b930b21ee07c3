"""Bodies of `POST /v1/chat/completions/derender` and `/v1/completions/derender`.

vLLM 0.33.0 has a streamed and a whole form of each on one path, told apart by `stream`;
here one struct holds the fields of both, so that one decode suffices. What a streamed
chunk repeats (`chat_request`, `prompt_token_ids`) stays raw until it is needed.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.json import Decoder

from .generate import ABSENT, GenerateChunk, GenerateResponse, TokenId


class DerenderChatRequest(Struct):
    stream: bool = False
    model: str | None = None
    generate_response: GenerateResponse | UnsetType = UNSET
    generate_chunk: GenerateChunk | UnsetType = UNSET
    stream_state: Raw = ABSENT
    prompt_tokens: int | None = None
    prompt_token_ids: Raw = ABSENT
    chat_request: Raw = ABSENT


class DerenderCompletionRequest(Struct):
    """`prompt_tokens` and `prompt_token_ids` are lists, one entry a response, when not streamed."""

    stream: bool = False
    model: str | None = None
    generate_responses: list[GenerateResponse] | UnsetType = UNSET
    generate_chunk: GenerateChunk | UnsetType = UNSET
    stream_state: Raw = ABSENT
    prompt_tokens: int | list[int] | None = None
    prompt_token_ids: Raw = ABSENT
    completion_request: Raw = ABSENT


chat_decoder = Decoder(DerenderChatRequest, strict=False)
completion_decoder = Decoder(DerenderCompletionRequest, strict=False)
token_ids_decoder = Decoder(list[TokenId], strict=False)
token_id_lists_decoder = Decoder(list[list[TokenId] | None], strict=False)
any_decoder: Decoder[Any] = Decoder()


def given(raw: Raw) -> bool:
    """Whether an optional field is there and not null."""
    data = bytes(raw)
    return bool(data) and data != b"null"
