"""The first request of a process pays for what is made on first use: make one before any comes."""

from __future__ import annotations

from contextlib import suppress

from . import render, tokenize
from .errors import RequestError
from .model import Model

CHAT = b'{"messages": [{"role": "user", "content": "Hello."}]}'
TEXT = b'{"prompt": "Hello."}'


def warm(model: Model) -> None:
    """What a model refuses (it may have no template, or want other messages) is no error here."""
    for function, body in ((tokenize.tokenize, TEXT), (render.chat, CHAT)):
        with suppress(RequestError):
            function(model, body, None)
