"""What is rendered, and by what: a chat, and the renderers that need no Jinja template."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from ..protocol.fields import ResponseFormat

Tools = list[dict[str, Any]] | None


class Chat(NamedTuple):
    """messages: as the client wrote them. tools: as dicts, None where the model is to see none.

    kwargs: the effective template kwargs. reasoning_effort: the request's own, mapped.
    tool_choice: as a JSON value. response_format: as requested.
    chat_template: the request's own, which the operator trusts.
    """

    messages: list[dict[str, Any]]
    tools: Tools = None
    kwargs: Mapping[str, Any] = MappingProxyType({})
    reasoning_effort: str | None = None
    tool_choice: Any = None
    response_format: ResponseFormat | None = None
    chat_template: str | None = None


def digest(template: str | None) -> str | None:
    """Stands for a template among the facts of a renderer."""
    return None if template is None else blake2b(template.encode(), digest_size=6).hexdigest()


class Renderer(Protocol):
    """A model family's own way to write a chat.

    facts: for the fingerprint, all that decides what it writes: `renderer`, its name (vLLM's
    `--tokenizer-mode`, or `harmony`), and its settings.
    """

    facts: Mapping[str, Any]

    def render(self, chat: Chat) -> str | list[int]:
        """Text that is still to be tokenized, or token IDs. RequestError (400)."""
