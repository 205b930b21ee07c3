"""The state that a client carries between the chunks of one stream: opaque, versioned, bounded.

It never holds the output so far. What it holds is bounded by its parts: the decoder's
pending bytes or token window, the parser's snapshot, four token IDs of logprob context.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from msgspec.json import Decoder, Encoder

from .errors import RequestError

VERSION = 1

# A state larger than this was not made by us: the largest honest one holds one
# value that a parser cannot stream yet, which the output length bounds in practice.
MAX_BYTES = 1024 * 1024


class StreamState(Struct, omit_defaults=True):
    """v: version. d: detokenizer. p: parser snapshot, None without a parser.

    r: the role has been sent. l: last sampled token IDs, context for logprobs.
    o: text offset of the next logprob. n: prompt and output tokens so far.
    """

    v: int
    d: Any = None
    p: list[Any] | None = None
    r: bool = False
    l: list[int] = []  # noqa: E741 - one letter a field keeps the state small on the wire
    o: int = 0
    n: int = 0


_decoder = Decoder(StreamState)
_encoder = Encoder()


def encode(state: StreamState) -> bytes:
    return _encoder.encode(state)


def decode(raw: bytes) -> StreamState:
    """A state that this service wrote; RequestError 400 for anything else."""
    if len(raw) > MAX_BYTES:
        raise invalid(f"it has {len(raw)} bytes, more than the {MAX_BYTES} that a state may have")
    try:
        state = _decoder.decode(raw)
    except msgspec.MsgspecError as error:
        raise invalid(str(error)) from error
    if state.v != VERSION:
        raise invalid(f"its version is {state.v}, this server writes and reads version {VERSION}")
    if state.n < 0 or state.o < 0 or len(state.l) > 4:
        raise invalid("a value is out of range")
    return state


def invalid(why: str) -> RequestError:
    return RequestError(
        f"invalid stream_state: {why}. Send back the stream_state of the previous answer "
        "unchanged, or null with the first chunk.",
        param="stream_state",
    )
