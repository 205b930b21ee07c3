"""What an endpoint hands to the app layer: the body, and what to count."""

from __future__ import annotations

from msgspec import Struct

Header = tuple[bytes, bytes]


class Answer(Struct, frozen=True):
    """body: JSON. tokens: prompt tokens rendered or output tokens derendered.

    outcome: what the parser found (`content`, `reasoning`, `tool_calls`, `plain`),
    None where nothing was parsed. state_bytes: size of the `stream_state` sent.
    headers: of this answer alone, names in lower case.
    """

    body: bytes
    tokens: int = 0
    outcome: str | None = None
    state_bytes: int | None = None
    headers: tuple[Header, ...] = ()
