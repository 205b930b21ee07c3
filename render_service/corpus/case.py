"""One request of the corpus, or of an operator's own, and the paths that requests go to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

CHAT = "/v1/chat/completions/render"
COMPLETION = "/v1/completions/render"
RESPONSES = "/v1/responses/render"
MESSAGES = "/v1/messages/render"
TOKENIZE = "/tokenize"
DETOKENIZE = "/detokenize"


class Output(NamedTuple):
    """What a model wrote for one choice. text: or its token IDs. finish: the engine's reason.

    stop: `stop_reason`.
    """

    text: str | list[int]
    finish: str = "stop"
    stop: int | str | None = None


class Case(NamedTuple):
    """body: sent as JSON, as it stands where it is bytes. outputs: derendered once rendered."""

    name: str
    path: str
    body: Mapping[str, Any] | bytes
    outputs: tuple[Output, ...] = ()
