"""The state that a client carries between the chunks of one stream: opaque, versioned, bounded.

It never holds the output so far. What it holds is bounded by its parts: the decoder's
pending bytes or token window, the parser's snapshot, four token IDs of logprob context.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.json import Decoder, Encoder

from .errors import RequestError
from .logprobs import context_tail
from .protocol.generate import GenerateStreamChoice, TokenCount, TokenId
from .protocol.json_bounds import holds_long_integers
from .state_keys import StateKeys

VERSION = 2
# The one before is read as well, so that a rolling upgrade loses no stream.
READABLE = (1, VERSION)
NO_KEYS = StateKeys()

# A state larger than this was not made by us: the largest honest one holds one
# value that a parser cannot stream yet, which the output length bounds in practice.
MAX_BYTES = 16 * 1024 * 1024

# Bytes of what it carries of the request: with more it would no longer be a small one.
MAX_CARRIED = 512

ANY_CHOICE = -1
Kind = Literal["chat", "completion"]


class StreamState(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """v: version. k: kind of answer. d: detokenizer. p: parser snapshot, None without a parser.

    r: a choice has come, and with it the role. i: that choice's index, `ANY_CHOICE` where it came
    to another server, which did not say. e: it has ended.
    l: last sampled token IDs, context for logprobs. o: text offset of the next logprob.
    n: prompt and output tokens so far. c: what parsing needs of the request (`carried_facts`),
    empty where that is too long, and in version 1.
    f: fingerprint of the configuration that wrote it, None with --fingerprint off.
    q: digest of the request ID, empty where chunks have none. m: MAC of all that, where keys are.
    read_offset: has vLLM refuse the state, which would read it as the beginning of a stream.
    """

    v: int
    k: Kind = "chat"
    d: Any = None
    p: list[Any] | None = None
    r: bool = False
    i: int = 0
    e: bool = False
    l: Annotated[list[TokenId], Meta(max_length=4)] = []  # noqa: E741 - short on the wire
    o: Annotated[int, Meta(ge=0, le=2**53)] = 0
    n: TokenCount = 0
    c: Annotated[str, Meta(max_length=MAX_CARRIED)] = ""
    f: str | None = None
    q: str = ""
    m: str = ""
    read_offset: int = 0


_decoder = Decoder(StreamState)
_encoder = Encoder()


def encode(state: StreamState, keys: StateKeys = NO_KEYS) -> bytes:
    state.m = ""
    if keys:
        state.m = keys.sign(_encoder.encode(state))
    return _encoder.encode(state)


def rewritten(state: StreamState) -> bytes:
    """The bytes that `encode` made, whatever a client's JSON library has made of them since."""
    return _encoder.encode(state)


def decode(raw: bytes, kind: Kind, keys: StateKeys = NO_KEYS) -> StreamState:
    """A state that this service wrote for that kind of answer; RequestError 400 for others."""
    state = parse(raw)
    check(state, kind, keys)
    return state


def parse(raw: bytes, decoder: Decoder[StreamState] = _decoder) -> StreamState:
    if len(raw) > MAX_BYTES:
        raise invalid(f"it has {len(raw)} bytes, more than the {MAX_BYTES} that a state may have")
    try:
        state = decoder.decode(raw)
    except msgspec.MsgspecError as error:
        raise invalid(str(error)) from error
    if holds_long_integers(raw):
        raise invalid("it holds integers that are no numbers to other readers")
    return state


def check(state: StreamState, kind: Kind, keys: StateKeys = NO_KEYS) -> None:
    if state.v not in READABLE:
        raise invalid(
            f"its version is {state.v}, this server reads {READABLE[0]} to {VERSION}. While "
            "replicas are upgraded, run the new ones with --stream-state-version of the old ones"
        )
    if keys and not _is_ours(state, keys):
        raise invalid("it was changed, or comes from a server with another --state-key")
    if state.k != kind:
        raise invalid(f"it belongs to a {state.k}, the chunk to a {kind}")


def _is_ours(state: StreamState, keys: StateKeys) -> bool:
    mac, state.m = state.m, ""
    ours = keys.accept(_encoder.encode(state), mac)
    state.m = mac
    return ours


def request_tag(request_id: str) -> str:
    """What a state keeps of the request that it belongs to."""
    if not request_id:
        return ""
    return blake2b(request_id.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def check_request(state: StreamState, request_id: str, tag: str) -> None:
    """RequestError 400 for a chunk of another request. tag: of its ID."""
    if state.q and tag and state.q != tag:
        raise invalid(f"it belongs to another request than {request_id!r}")


def check_choice(state: StreamState, choice: GenerateStreamChoice) -> None:
    """RequestError 400 for a chunk that does not continue the output that the state is of."""
    if state.r and state.i not in (choice.index, ANY_CHOICE):
        raise invalid(f"it belongs to choice {state.i}, the chunk has choice {choice.index}")
    if state.e and choice.token_ids:
        raise invalid("its output has ended, and the chunk has more tokens")


def advance(state: StreamState, choice: GenerateStreamChoice) -> None:
    """Count a choice of a chunk; what it made of decoder and parser is set by who read it."""
    ids = choice.token_ids or []
    state.r = True
    state.i = choice.index
    state.e = state.e or choice.finish_reason is not None
    state.l = context_tail(state.l, ids)
    state.n += len(ids)


def invalid(why: str) -> RequestError:
    return RequestError(
        f"invalid stream_state: {why}. Send back the stream_state of the previous answer "
        "unchanged, or null with the first chunk.",
        param="stream_state",
    )
