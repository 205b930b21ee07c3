"""What chat and completion derendering share: decoding a whole output, usage, raw JSON."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import orjson
from msgspec import UnsetType

from .errors import schema_error
from .protocol.decode import decode_json
from .protocol.derender import given
from .protocol.json_bounds import may_be_out_of_range
from .stop import drop_stop_token, find_stop_string

if TYPE_CHECKING:
    from msgspec import Raw

    from parsers import Piece

    from .model import Model
    from .protocol.generate import GenerateChoice
    from .request_facts import RequestFacts


T = TypeVar("T")

NEEDS_CHAT_REQUEST = (
    "chat_request is required when a tool or reasoning parser is configured because plain "
    "detokenization would leak raw parser markup into content."
)


def required(value: T | UnsetType, field: str) -> T:
    if isinstance(value, UnsetType):
        raise schema_error(f"Field required: `{field}`.", f"body.{field}")
    return value


def new_id() -> str:
    return uuid.uuid4().hex[:16]


def decode_output(
    model: Model,
    choice: GenerateChoice,
    facts: RequestFacts,
    prompt_token_ids: Sequence[int] | None,
    *,
    pieces: bool,
) -> tuple[list[Piece], int | str | None]:
    """The output as the engine would show it, and its stop reason.

    The stop token is dropped and the text cut at the stop string that ended the output;
    a stop string counts only when it ends past the first `min_tokens` tokens.
    """
    reported = choice.stop_reason
    ids, stop_reason = drop_stop_token(
        choice.token_ids or [], choice.finish_reason, reported, facts.stop, model.generation
    )
    stops: tuple[str, ...] = ()
    if choice.finish_reason == "stop" and not isinstance(reported, int):
        stops = (reported,) if isinstance(reported, str) else facts.stop.stop
    decoder = model.detokenizer.start(
        prompt_token_ids,
        skip_special_tokens=not pieces and facts.skip_special_tokens,
        spaces_between_special_tokens=facts.spaces_between_special_tokens,
        pieces=pieces,
    )
    if not stops:
        return decoder.feed(ids), stop_reason
    head = decoder.feed(ids[: facts.stop.min_tokens])
    tail = decoder.feed(ids[facts.stop.min_tokens :])
    decoded = head + tail
    found = find_stop_string(
        "".join(decoded), sum(map(len, tail)), stops, facts.stop.include_stop_str_in_output
    )
    if found is None:
        return decoded, stop_reason
    stop_string, length = found
    return cut(decoded, length), stop_string


def cut(pieces: Sequence[Piece], length: int) -> list[Piece]:
    """The first `length` characters; a special token that is cut through becomes text."""
    kept: list[Piece] = []
    for piece in pieces:
        if len(piece) > length:
            if length:
                kept.append(str(piece)[:length])
            break
        kept.append(piece)
        length -= len(piece)
    return kept


def usage_of(prompt_tokens: int, completion_tokens: int) -> dict[str, Any]:
    return {
        "prompt_tokens": prompt_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
        "completion_tokens": completion_tokens,
        "prompt_tokens_details": None,
        "completion_tokens_details": None,
    }


def fragment(raw: Raw) -> orjson.Fragment | None:
    """JSON that passes through as it came, None where it was absent or null.

    RequestError (400) where readers of the answer would refuse it.
    """
    if not given(raw):
        return None
    data = bytes(raw)
    # What stays raw was not looked at for numbers out of range and bad UTF-8.
    if not data.isascii() or may_be_out_of_range(data):
        decode_json(data)
    return orjson.Fragment(data)


def raw_or_none(items: Sequence[Raw] | None) -> list[orjson.Fragment | None] | None:
    return None if items is None else [fragment(item) for item in items]
