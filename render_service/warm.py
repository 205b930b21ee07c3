"""The first request of a process pays for what is made on first use: make one before any comes."""

from __future__ import annotations

from contextlib import suppress

import orjson

from . import anthropic, render, responses, tokenize
from .errors import RequestError
from .model import Model

HELLO = [{"role": "user", "content": "Hello."}]
FUNCTION = {"name": "f", "parameters": {"type": "object"}}
TOOLS = [{"type": "function", "function": FUNCTION}]

REQUESTS = (
    (tokenize.tokenize, {"prompt": "Hello."}),
    (tokenize.detokenize, {"tokens": [0]}),
    (render.completion, {"prompt": "Hello."}),
    (render.chat, {"messages": HELLO}),
    (render.chat, {"messages": HELLO, "tools": TOOLS}),
    (responses.responses, {"input": "Hello."}),
    (anthropic.messages, {"messages": HELLO, "max_tokens": 1}),
)


def warm(model: Model) -> None:
    """What a model refuses (it may have no template, or want other messages) is no error here."""
    for function, body in REQUESTS:
        with suppress(RequestError):
            function(model, orjson.dumps({**body, "model": model.names[0]}), None)
