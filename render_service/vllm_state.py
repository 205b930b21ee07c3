"""The `stream_state` of vLLM 0.33.0's derenderer (`DerenderStreamState`), alone and beside ours.

vLLM carries plain text as a window of tokens, and a parsed stream as its whole history. In a
mixed fleet our states carry these fields too: vLLM reads them and leaves ours out, and so a
state without ours is one that vLLM wrote.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from msgspec import UNSET, Meta, UnsetType, field
from msgspec.json import Decoder

from .protocol.generate import TokenId
from .stream_state import StreamState, invalid
from .token_text import ANCHOR, ANCHOR_ID

if TYPE_CHECKING:
    from .tokenizer import Tokenizer

Offset = Annotated[int, Meta(ge=0, le=2**53)]

# Bounds that vLLM leaves open; an ID of a call is made by a server or written by the model.
MAX_CALLS = 4096
MAX_CALL_ID = 256

# Stands for a token that the tokenizer lacks, which vLLM writes as "".
NO_TOKEN_ID = 2**31 - 1

# An offset that vLLM refuses: what a state carries of its form does not go on in vLLM.
REFUSED = -1


class VllmState(StreamState):
    """v: 0 in a state that vLLM wrote. prev_tokens: always there in vLLM's form."""

    v: int = 0
    prev_tokens: Annotated[list[str], Meta(max_length=1024)] | UnsetType = UNSET
    prefix_offset: Offset = 0
    read_offset: Annotated[int, Meta(ge=REFUSED, le=2**53)] = 0
    role_sent: bool = False
    logprob_context_token_ids: Annotated[list[TokenId], Meta(max_length=4)] = field(
        default_factory=list
    )
    logprob_text_offset: Offset = 0
    output_token_ids: list[TokenId] = field(default_factory=list)
    output_chunk_lens: list[Annotated[int, Meta(gt=0)]] = field(default_factory=list)
    tools_streamed: bool = False
    last_tool_call_ids: Annotated[
        list[Annotated[str, Meta(max_length=MAX_CALL_ID)]], Meta(max_length=MAX_CALLS)
    ] = field(default_factory=list)


decoder: Decoder[StreamState] = Decoder(VllmState)


def has_vllm_form(raw: bytes) -> bool:
    return b'"prev_tokens"' in raw


def is_foreign(state: StreamState | None) -> bool:
    """Whether vLLM wrote the state."""
    return isinstance(state, VllmState) and state.v == 0


def read_window(state: VllmState, tokenizer: Tokenizer) -> list[int]:
    """The decoder's window in our form; RequestError 400 for none of this tokenizer."""
    tokens = state.prev_tokens or []
    if not state.prefix_offset <= state.read_offset <= len(tokens):
        raise invalid("its offsets are not in its window")
    window = tokens[state.prefix_offset :]
    ids = [_id_of(token, tokenizer) for token in window]
    return [state.read_offset - state.prefix_offset, *ids]


def _id_of(token: str, tokenizer: Tokenizer) -> int:
    if not token:
        return NO_TOKEN_ID
    token_id = tokenizer.token_to_id(token)
    if token_id is not None:
        return token_id
    if token == ANCHOR:
        return ANCHOR_ID
    raise invalid("its window has a token that this model does not have")


def write_window(state: VllmState, tokenizer: Tokenizer) -> None:
    """The window in vLLM's form; where ours needs none, any token that text can follow."""
    read, *ids = state.d if state.d is not None else (1, ANCHOR_ID)
    state.prev_tokens = [
        ANCHOR if token_id == ANCHOR_ID else tokenizer.id_to_token(token_id) or ""
        for token_id in ids
    ]
    state.prefix_offset, state.read_offset = 0, read


def chunks(state: VllmState) -> Iterator[Sequence[int]]:
    """The output so far, as the engine cut it; RequestError 400 where that does not add up."""
    ids, at = state.output_token_ids, 0
    if sum(state.output_chunk_lens) != len(ids):
        raise invalid("output_chunk_lens must sum to len(output_token_ids)")
    for length in state.output_chunk_lens:
        yield ids[at : at + length]
        at += length
