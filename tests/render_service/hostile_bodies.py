"""Bodies that a hostile client sends: a megabyte of each kind of JSON, and of what is none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from render_service.openapi import OPERATIONS

SIZE = 1_000_000
"""Bytes, about."""

NAME = "attacked"
"""Of the served model."""

PATHS = tuple(row.path for row in OPERATIONS if row.takes)
Json = dict[str, Any]


def repeated(part: bytes, size: int, start: bytes = b"", end: bytes = b"") -> bytes:
    return start + part * (size // len(part)) + end


# Nothing that is a request: what the reader of JSON meets first.
RAW: dict[str, Callable[[int], bytes]] = {
    "zeros": lambda n: bytes(n),
    "white space": lambda n: repeated(b" \n\t\r", n),
    "white space and an object": lambda n: repeated(b" ", n, end=b"{}"),
    "open arrays": lambda n: repeated(b"[", n),
    "open objects": lambda n: repeated(b'{"a":', n),
    "arrays within each other": lambda n: repeated(b"[", n // 2) + repeated(b"]", n // 2),
    "empty arrays": lambda n: repeated(b"[],", n, b"[", b"[]]"),
    "empty objects": lambda n: repeated(b"{},", n, b'{"messages":[', b"{}]}"),
    "letters": lambda n: repeated(b"a", n),
    "quotes": lambda n: repeated(b'"', n),
    "backslashes": lambda n: repeated(b"\\", n, b'"', b'"'),
    "an open text": lambda n: repeated(b"a", n, b'{"prompt":"'),
    "broken UTF-8": lambda n: repeated(b"\xf0\x9f\xff", n, b'{"prompt":"', b'"}'),
    "unpaired surrogates": lambda n: repeated(b"\\ud800", n, b'{"prompt":"', b'"}'),
    "digits": lambda n: repeated(b"9", n, b'{"seed":', b"}"),
    "digits behind a point": lambda n: repeated(b"1", n, b'{"temperature":0.', b"}"),
    "an exponent": lambda n: repeated(b"9", n, b'{"temperature":1e', b"}"),
    "commas": lambda n: repeated(b",", n, b"[", b"]"),
    "the same key": lambda n: repeated(b'"model":"a",', n, b"{", b'"model":"a"}'),
    "keys": lambda n: b"{" + b",".join(b'"%d":0' % i for i in range(n // 10)) + b"}",
    "null after null": lambda n: repeated(b"null ", n),
    "a byte order mark": lambda n: repeated(b" ", n, b"\xef\xbb\xbf{", b"}"),
}

# Texts, and other values, that stand in a field of a request.
TEXTS: dict[str, str] = {
    "a": "a",
    "spaces": " ",
    "newlines": "\n",
    "numbers": "1234567890",
    "nulls": "\x00",
    "emoji": "👩🏽‍🚀",
    "combining marks": "\u0301",
    "special tokens": "<|im_end|>",
    "half tokens": "<|im_",
    "thoughts": "<think></think>",
    "calls": '<tool_call>{"name":"a","arguments":{}}</tool_call>',
    "quotes": '"\\',
    "braces": "{[",
}


def values(size: int) -> Iterator[tuple[str, Any]]:
    for name, text in TEXTS.items():
        yield name, text * (size // len(text.encode()))
    yield "long words", "ab" * (size // 2)
    yield "a list of texts", ["a"] * (size // 4)
    yield "a list of numbers", [7] * (size // 2)
    yield "a list of large numbers", [2**63] * (size // 20)
    yield "a list of objects", [{"type": "text", "text": "a"}] * (size // 26)
    yield "an object of numbers", {str(n): 0 for n in range(size // 12)}
    yield "a deep object", _deep(100, size)
    yield "arrays in a text", repeated(b"[],", size, b'{"a":[', b"[]]}").decode()
    yield "a deep text", '{"a":' * (size // 6) + "1" + "}" * (size // 6)
    yield "an open text", '{"a":[' * (size // 6)
    yield "a large number", int("9" * 4000)


def _deep(levels: int, size: int) -> Json:
    value: Json = {"x": "a" * (size // 2)}
    for level in range(levels):
        value = {"type": "object", "properties": {f"p{level}": value}}
    return value


def places(value: Any) -> Iterator[tuple[str, str, Json]]:
    """Requests, one field of which holds the value, whether or not it belongs there."""
    hi = [{"role": "user", "content": "Hi"}]
    chat = "/v1/chat/completions/render"
    yield chat, "content", {"messages": [{"role": "user", "content": value}]}
    yield chat, "role", {"messages": [{"role": value, "content": "a"}]}
    yield chat, "messages", {"messages": value}
    function = {"name": "f", "parameters": value}
    tools = [{"type": "function", "function": function}]
    yield chat, "parameters", {"messages": hi, "tools": tools, "tool_choice": "required"}
    yield chat, "arguments", {"messages": [*hi, _called(value)]}
    yield "/tokenize", "arguments", {"messages": [*hi, _called(value)]}
    held = {"json": value}
    yield chat, "schema", {"messages": hi, "tools": tools, "structured_outputs": held}
    for field in ("stop", "chat_template_kwargs", "logit_bias", "documents", "vllm_xargs"):
        yield chat, field, {"messages": hi, field: value}
    for field in ("structured_outputs", "bad_words", "request_id", "kv_transfer_params", "model"):
        yield chat, field, {"messages": hi, field: value}
    yield "/v1/completions/render", "prompt", {"prompt": value}
    yield "/v1/responses/render", "input", {"input": value}
    call = {"type": "function_call", "call_id": "a", "name": "f", "arguments": value}
    yield "/v1/responses/render", "arguments", {"input": [call]}
    use = {"type": "tool_use", "id": "a", "name": "f", "input": {"a": value}}
    turn = {"role": "assistant", "content": [use]}
    yield "/v1/messages/render", "input", {"model": NAME, "max_tokens": 5, "messages": [turn]}
    yield "/v1/messages/render", "messages", {"model": NAME, "max_tokens": 5, "messages": value}
    yield "/tokenize", "prompt", {"prompt": value, "return_token_strs": True}
    yield "/detokenize", "tokens", {"tokens": value}
    yield from _derender(value, hi)


def _called(arguments: Any) -> Json:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": arguments}}
    return {"role": "assistant", "tool_calls": [call]}


def _derender(value: Any, hi: list[Json]) -> Iterator[tuple[str, str, Json]]:
    path = "/v1/chat/completions/derender"
    request = {"messages": hi}
    choice = {"index": 0, "token_ids": [5, 6], "finish_reason": "stop"}
    for field in ("token_ids", "logprobs", "finish_reason", "stop_reason"):
        response = {"request_id": "a", "choices": [{**choice, field: value}]}
        body = {"generate_response": response, "chat_request": request, "prompt_token_ids": [5]}
        yield path, field, body
        chunk = {"stream": True, "generate_chunk": response, "stream_state": None}
        yield path, f"{field}, streamed", {**body, **chunk}
    response = {"request_id": "a", "choices": [choice]}
    chunk = {"stream": True, "generate_chunk": response, "chat_request": request}
    yield path, "stream_state", {**chunk, "stream_state": value}
    yield path, "prompt_token_ids", {**chunk, "prompt_token_ids": value}
    yield path, "request_id", {**chunk, "generate_chunk": {**response, "request_id": value}}
    yield path, "chat_request", {**chunk, "chat_request": value, "prompt_token_ids": [5]}
    whole = {"generate_responses": value, "completion_request": {"prompt": "a"}}
    yield "/v1/completions/derender", "generate_responses", whole


def bodies(size: int = SIZE) -> Iterator[tuple[str, str, bytes]]:
    """path, what it is, body."""
    for name, make in RAW.items():
        raw = make(size)
        for path in PATHS:
            yield path, name, raw
    for name, value in values(size):
        for path, field, body in places(value):
            yield path, f"{field}: {name}", json.dumps(body).encode()
