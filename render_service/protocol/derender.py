"""Bodies of `POST /v1/chat/completions/derender` and `/v1/completions/derender`.

vLLM 0.33.0 has a streamed and a whole form of each on one path, told apart by `stream`;
here one struct holds the fields of both, so that one decode suffices. What a streamed
chunk repeats (`chat_request`, `prompt_token_ids`) stays raw until it is needed.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Raw, Struct, UnsetType
from msgspec.json import Decoder

from .decode import decode
from .generate import ABSENT, GenerateChunk, GenerateResponse, TokenCount, TokenId

# Several chunks in one call are a few milliseconds of work at most, as one large chunk is.
MAX_CHUNKS = 256
Chunks = Annotated[list[GenerateChunk], Meta(min_length=1, max_length=MAX_CHUNKS)]


class DerenderChatRequest(Struct):
    stream: bool = False
    model: str | None = None
    generate_response: GenerateResponse | UnsetType = UNSET
    generate_chunk: GenerateChunk | Chunks | UnsetType = UNSET
    stream_state: Raw = ABSENT
    prompt_tokens: TokenCount | None = None
    prompt_token_ids: Raw = ABSENT
    chat_request: Raw = ABSENT


class DerenderCompletionRequest(Struct):
    """`prompt_tokens` and `prompt_token_ids` are lists, one entry a response, when not streamed."""

    stream: bool = False
    model: str | None = None
    generate_responses: list[GenerateResponse] | UnsetType = UNSET
    generate_chunk: GenerateChunk | Chunks | UnsetType = UNSET
    stream_state: Raw = ABSENT
    prompt_tokens: TokenCount | list[TokenCount] | None = None
    prompt_token_ids: Raw = ABSENT
    completion_request: Raw = ABSENT


class PromptIds(Struct):
    prompt_token_ids: list[TokenId]


class PromptIdLists(Struct):
    prompt_token_ids: list[list[TokenId] | None]


chat_decoder = Decoder(DerenderChatRequest, strict=False)
completion_decoder = Decoder(DerenderCompletionRequest, strict=False)
_ids_decoder = Decoder(PromptIds, strict=False)
_id_lists_decoder = Decoder(PromptIdLists, strict=False)


def given(raw: Raw) -> bool:
    """Whether an optional field is there and not null."""
    return raw is not ABSENT and bytes(raw) not in (b"", b"null")


def prompt_ids(raw: Raw) -> list[int] | None:
    """The `prompt_token_ids` of a chat or of a chunk."""
    return decode(_ids_decoder, _named(raw)).prompt_token_ids if given(raw) else None


def prompt_id_lists(raw: Raw) -> list[list[int] | None] | None:
    """The `prompt_token_ids` of whole completions, one list a response."""
    return decode(_id_lists_decoder, _named(raw)).prompt_token_ids if given(raw) else None


def _named(raw: Raw) -> bytes:
    """With its name around it, so that an error says where in the body it is."""
    return b'{"prompt_token_ids":' + bytes(raw) + b"}"
