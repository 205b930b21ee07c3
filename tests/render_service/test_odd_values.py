"""Every field of every body, set to every odd value: an answer or a refusal, always as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import orjson
import pytest

from render_service import anthropic, derender, render, responses, tokenize
from render_service.endpoints import Function
from render_service.errors import RequestError
from render_service.model import Model

from . import door_bodies
from .derender_client import CHAT_TOOLS, TOOL, chat_chunk, chunk, completion, parsed_demo, prompt_of

Path = tuple[str | int, ...]

ODD = [
    *("null", "true", "-1", "0", "1.5", "1e400", "9223372036854775808", "18446744073709551616"),
    *(
        "-" + "1" * 30,
        "9" * 400,
        "-" + "1" * 309,
        f'"{"9" * 400}"',
        "1" * 5000,
        "NaN",
        '""',
        '"auto"',
        '"\\ud800"',
        '"\\u0000"',
        '"\xff"',
    ),
    *("[]", "[null]", '[{"a":1}]', "[-1]", "[9223372036854775808]", "{}", '{"a":null}'),
    *("[" * 200 + "]" * 200,),
]
"""JSON and nearly JSON, as Latin-1: "\xff" becomes a byte that is no UTF-8."""

LOGPROB = {"token_id": 5, "logprob": -0.1, "rank": 1}
CHOICE = {
    "index": 0,
    "finish_reason": "stop",
    "stop_reason": 7,
    "token_ids": [5, 6],
    "logprobs": {"content": [{**LOGPROB, "top_logprobs": [LOGPROB]}]},
}
RESPONSE = {
    "request_id": "r",
    "choices": [CHOICE],
    "prompt_token_ids": [1, 2],
    "metrics": {"a": 1},
    "prompt_logprobs": [None, {"5": LOGPROB}],
    "kv_transfer_params": {"a": 1},
}
CHUNK = {
    "request_id": "r",
    "choices": [CHOICE],
    "prompt_token_ids": [1, 2],
    "metrics": {"a": 1},
    "usage": {"prompt_tokens": 1, "completion_tokens": 2},
}
ASKED = {
    "max_tokens": 5,
    "n": 2,
    "seed": 1,
    "temperature": 0.5,
    "top_k": 5,
    "logit_bias": {"5": 1},
    "stop_token_ids": [3],
    "min_tokens": 1,
    "logprob_token_ids": None,
    "bad_words": ["b"],
    "allowed_token_ids": [5],
    "truncate_prompt_tokens": 2,
    "truncation_side": "left",
    "priority": 0,
    "request_id": "r",
    "cache_salt": "s",
    "vllm_xargs": {"a": 1},
    "kv_transfer_params": {"a": 1},
    "stream": True,
    "stream_options": {"include_usage": True},
    "repetition_detection": {"max_pattern_size": 2, "min_pattern_size": 1, "min_count": 3},
}
MESSAGES = [
    {"role": "user", "content": [{"type": "text", "text": "Hi"}], "name": "n"},
    {
        "role": "assistant",
        "content": None,
        "reasoning": "r",
        "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c", "content": "x"},
]
CHAT = {
    **ASKED,
    "messages": MESSAGES,
    "tools": [TOOL],
    "tool_choice": "auto",
    "top_logprobs": 1,
    "logprobs": True,
    "chat_template_kwargs": {"a": 1},
    "thinking_token_budget": 3,
    "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {}}},
}
COMPLETION = {**ASKED, "prompt": ["Hi", "you"], "logprobs": 2, "structured_outputs": {"regex": "a"}}


@pytest.fixture(scope="module")
def model() -> Model:
    return parsed_demo()


def bodies(model: Model) -> Iterator[tuple[Function, Any]]:
    prompt = prompt_of(model)
    whole = {"prompt_token_ids": prompt, "prompt_tokens": 3, "model": None}
    begun = {**chunk([5]), "request_id": CHUNK["request_id"]}
    first = {"generate_chunk": begun, "prompt_token_ids": prompt}
    state = chat_chunk(model, **first, chat_request=CHAT_TOOLS)["stream_state"]
    later = completion(model, **first, stream=True)["stream_state"]
    streamed = {"stream": True, "generate_chunk": CHUNK, **whole}
    yield render.chat, CHAT
    yield render.completion, COMPLETION
    yield render.completion, {"prompt": [[1, 2], [3]], "echo": True, "prompt_logprobs": 1}
    yield responses.responses, door_bodies.RESPONSES
    yield anthropic.messages, {**door_bodies.MESSAGES, "model": model.names[0]}
    yield tokenize.tokenize, {"prompt": "Hi", "return_token_strs": True}
    yield tokenize.tokenize, {"messages": MESSAGES, "tools": [TOOL]}
    yield tokenize.detokenize, {"tokens": [1, 2]}
    yield derender.chat, {"generate_response": RESPONSE, "chat_request": CHAT_TOOLS, **whole}
    yield derender.chat, {"chat_request": CHAT_TOOLS, **streamed}
    yield derender.chat, {"chat_request": CHAT_TOOLS, **streamed, "stream_state": state}
    yield derender.completion, {"generate_responses": [RESPONSE, RESPONSE]}
    yield derender.completion, {**streamed, "stream_state": later}
    yield (
        derender.completion,
        {"generate_responses": [RESPONSE], "prompt_tokens": [1], "prompt_token_ids": [prompt]},
    )


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    if isinstance(value, dict):
        inner: Iterable[tuple[str | int, Any]] = value.items()
    else:
        inner = enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from paths(item, (*path, key))


def written(value: Any, path: Path, odd: str) -> str:
    """JSON of the value with `odd` at the path."""
    if not path:
        return odd
    key, *rest = path
    if isinstance(value, dict):
        parts = (
            f"{json.dumps(k)}:{written(v, tuple(rest), odd) if k == key else json.dumps(v)}"
            for k, v in value.items()
        )
        return "{" + ",".join(parts) + "}"
    items = (
        written(v, tuple(rest), odd) if place == key else json.dumps(v)
        for place, v in enumerate(value)
    )
    return "[" + ",".join(items) + "]"


@pytest.mark.parametrize("number", range(14))
def test_an_odd_value_is_answered_or_refused(model: Model, number: int) -> None:
    function, body = list(bodies(model))[number]
    function(model, json.dumps(body).encode(), None)
    for path in paths(body):
        for odd in ODD:
            raw = written(body, path, odd).encode("latin-1")
            try:
                status, answer = 200, function(model, raw, None).body
            except RequestError as error:
                status, answer = error.status, error.body()
            except Exception as error:  # to say which field it was
                raise AssertionError(f"{path} as {odd[:30]}") from error
            assert status < 500
            orjson.loads(answer)  # which takes no number that is none to others
