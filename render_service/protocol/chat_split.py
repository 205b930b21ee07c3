"""A chat body as its messages and all else, which most clients send the same again and again.

Rule: what is found for all else holds with any messages. A body is split only at the bytes of its
messages' value, so the rest is what stands before and after it, the same for every value there.
"""

from __future__ import annotations

from typing import Any

import msgspec

from ..errors import RequestError
from .json_bounds import MAX_NESTING, check_nesting, check_size, holds_long_integers, no_collection
from .message_shape import all_plain, read_messages

# Long enough that a search meets little else that begins so.
_START = 64


class _Body(msgspec.Struct):
    messages: msgspec.Raw


_decoder = msgspec.json.Decoder(_Body)


class ChatSplit(msgspec.Struct, frozen=True):
    """frame: the body without the messages' value. value: that. body: the whole."""

    frame: bytes
    value: bytes
    body: bytes

    def messages(self) -> list[dict[str, Any]] | None:
        """The messages as `decode_chat_request` reads them; None where it refuses them.

        For a body whose frame is known to be right.
        """
        try:
            check_size(self.body)
            with no_collection(len(self.value)):
                messages: list[dict[str, Any]] = msgspec.json.decode(self.value)
            if holds_long_integers(self.value):
                return None
            if all_plain(messages):
                return messages
            check_nesting(self.value, messages, MAX_NESTING - 1)
            read_messages(messages)
        except (RequestError, msgspec.MsgspecError, RecursionError):
            return None
        return messages


def split(body: bytes) -> ChatSplit | None:
    """None where it is no object with messages, or where they are not to be found in it."""
    try:
        messages = bytes(_decoder.decode(body).messages)
    except (msgspec.MsgspecError, RecursionError):
        return None
    # Another value like it that comes first would be part of `frame`, and so the same each time.
    at = body.find(messages[:_START])
    if not body.startswith(messages, at):
        return None
    # No JSON has a null character: what is before and after it cannot be mistaken.
    return ChatSplit(body[:at] + b"\0" + body[at + len(messages) :], messages, body)
