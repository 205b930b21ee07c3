"""Completion request bodies: prompts of all kinds, defaults, refusals."""

from __future__ import annotations

import json
from typing import Any

import pytest

from render_service.errors import RequestError
from render_service.protocol.completion import CompletionRequest, decode_completion_request


def decode(**fields: Any) -> CompletionRequest:
    return decode_completion_request(json.dumps({"prompt": "Hi", **fields}).encode())


@pytest.mark.parametrize(
    ("prompt", "prompts"),
    [
        ("text", ["text"]),
        (["a", "b"], ["a", "b"]),
        (["5"], ["5"]),
        ([5, 6], [[5, 6]]),
        ([5.0, "6"], [[5, 6]]),
        ([[5], [6, 7]], [[5], [6, 7]]),
        ([[]], [[]]),
        ([], []),
    ],
)
def test_prompts(prompt: Any, prompts: list[Any]) -> None:
    assert decode(prompt=prompt).prompts() == prompts


def test_defaults() -> None:
    request = decode()
    assert request.max_tokens == 16
    assert decode(max_tokens=None).max_tokens == 16
    assert request.add_special_tokens
    assert request.logprobs is None
    assert decode(prompt=None, prompt_embeds="AAAA").prompts() == []


@pytest.mark.parametrize(
    ("prompt", "param"),
    [
        (5, "body.prompt"),
        ({"a": 1}, "body.prompt"),
        ([5, "a"], "body.prompt.1"),
        ([-1], "body.prompt.0"),
        (["a", 5], "body.prompt.0"),
        ([[5], "a"], "body.prompt.0"),
        ([["a"]], "body.prompt.0"),
        ([5.5], "body.prompt.0"),
    ],
)
def test_prompts_of_the_wrong_kind(prompt: Any, param: str) -> None:
    with pytest.raises(RequestError) as caught:
        decode(prompt=prompt)
    assert (caught.value.type, caught.value.param) == ("Bad Request", param)


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"prompt": ""}, "prompt"),
        ({"prompt": None, "prompt_embeds": []}, "prompt"),
        ({"prompt": ["a"] * 1025}, "prompt"),
        ({"prompt_embeds": ["a"] * 1025}, "prompt_embeds"),
        ({"logprob_token_ids": [1]}, "logprob_token_ids"),
        ({"logprob_token_ids": [1], "use_beam_search": True}, "logprob_token_ids"),
        ({"logprob_token_ids": [1], "echo": True, "max_tokens": 0}, "logprob_token_ids"),
        ({"logprobs": 1, "echo": True, "use_beam_search": True}, "echo"),
        ({"logprobs": "1"}, "logprobs"),
        ({"logprobs": -2}, "logprobs"),
        ({"structured_outputs": {"json": {}, "choice": []}}, "structured_outputs"),
        ({"stream_options": {"include_usage": True}}, "stream_options"),
        ({"cache_salt": 5}, "cache_salt"),
    ],
)
def test_refused_values(fields: dict[str, Any], param: str) -> None:
    with pytest.raises(RequestError) as caught:
        decode(**fields)
    assert (caught.value.type, caught.value.param) == ("BadRequestError", param)


def test_many_token_ids_are_one_prompt() -> None:
    assert len(decode(prompt=[1] * 5000).prompts()) == 1
