"""/tokenize and /detokenize on the bundled demo model."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given, settings

from render_service import render, tokenize
from render_service.errors import RequestError
from render_service.loading import load_model
from render_service.model import Model
from render_service.protocol.tokenize import (
    DetokenizeRequest,
    TokenizeChatRequest,
    TokenizeTextRequest,
)
from render_service.settings import Settings

from .json_values import bodies

HI = [{"role": "user", "content": "Hi"}]


@lru_cache(maxsize=1)
def model() -> Model:
    return load_model(Settings())


def post(endpoint: Any, **body: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(endpoint(model(), json.dumps(body).encode(), None).body)
    return found


def outcome(endpoint: Any, body: dict[str, Any]) -> dict[str, Any]:
    """The JSON of the answer, or the error's."""
    try:
        return post(endpoint, **body)
    except RequestError as error:
        return {"error": error.message}


def refused(endpoint: Any, **body: Any) -> RequestError:
    with pytest.raises(RequestError) as caught:
        post(endpoint, **body)
    return caught.value


def test_text_there_and_back() -> None:
    found = post(tokenize.tokenize, prompt="Hello wörld 😀")
    assert found["count"] == len(found["tokens"])
    assert found["max_model_len"] == model().max_model_len
    assert found["token_strs"] is None
    assert post(tokenize.detokenize, tokens=found["tokens"]) == {"prompt": "Hello wörld 😀"}


def test_token_strings() -> None:
    found = post(tokenize.tokenize, prompt="Hello", return_token_strs=True)
    assert "".join(found["token_strs"]) == "Hello"
    assert post(tokenize.tokenize, prompt="")["tokens"] == []


def test_a_chat_gives_the_tokens_of_its_rendering() -> None:
    chat: dict[str, Any] = {
        "messages": [*HI, {"role": "assistant", "content": "x", "reasoning_content": "y"}, *HI],
        "tools": [{"type": "function", "function": {"name": "a"}}],
        "chat_template_kwargs": {"enable_thinking": False},
    }
    rendered = json.loads(
        render.chat(model(), json.dumps({**chat, "tool_choice": "none"}).encode(), None).body
    )
    assert post(tokenize.tokenize, **chat)["tokens"] == rendered["token_ids"]


def test_special_tokens_come_back() -> None:
    eos = model().tokenizer.eos_token_id
    assert post(tokenize.detokenize, tokens=[eos])["prompt"] == model().tokenizer.eos_token


def test_ids_that_no_token_has_give_no_text() -> None:
    assert post(tokenize.detokenize, tokens=[2**31, model().tokenizer.max_id + 1]) == {"prompt": ""}


@pytest.mark.parametrize(
    ("body", "error_type", "param"),
    [
        ({}, "Bad Request", "body.prompt"),
        ({"prompt": 5}, "Bad Request", "body.prompt"),
        ({"messages": "x"}, "Bad Request", "body.prompt"),
        ({"messages": HI, "tools": [{}]}, "Bad Request", "body.prompt"),
        ({"messages": []}, "BadRequestError", None),
        ({"messages": None}, "Bad Request", "body.prompt"),
        ({"messages": HI, "model": 5}, "Bad Request", "body.model"),
        ({"messages": HI, "chat_template": "x"}, "BadRequestError", None),
        (
            {"messages": HI, "mm_processor_kwargs": {"a": 1}},
            "BadRequestError",
            "mm_processor_kwargs",
        ),
        ({"messages": HI, "media_io_kwargs": {"a": {}}}, "BadRequestError", "media_io_kwargs"),
        (
            {"messages": HI, "continue_final_message": True, "add_generation_prompt": True},
            "BadRequestError",
            None,
        ),
        ({"prompt": "a", "model": "nobody"}, "NotFoundError", "model"),
    ],
)
def test_refused(body: dict[str, Any], error_type: str, param: str | None) -> None:
    error = refused(tokenize.tokenize, **body)
    assert (error.type, error.param) == (error_type, param)


@pytest.mark.parametrize(
    ("tokens", "error_type", "param"),
    [
        ("a", "Bad Request", "body.tokens"),
        ([-1], "Bad Request", "body.tokens.0"),
        ([2**63], "Bad Request", "body.tokens.0"),
        ([2**32], "BadRequestError", None),
    ],
)
def test_refused_tokens(tokens: Any, error_type: str, param: str | None) -> None:
    error = refused(tokenize.detokenize, tokens=tokens)
    assert (error.type, error.param) == (error_type, param)


@settings(max_examples=60, deadline=None)
@given(
    bodies(list(TokenizeChatRequest.__struct_fields__), {"messages": HI})
    | bodies(list(TokenizeTextRequest.__struct_fields__), {"prompt": "a"})
)
def test_any_body_is_answered(body: dict[str, Any]) -> None:
    assert {"tokens", "error"} & outcome(tokenize.tokenize, body).keys()


@settings(max_examples=60, deadline=None)
@given(bodies(list(DetokenizeRequest.__struct_fields__), {"tokens": [5]}))
def test_any_tokens_are_answered(body: dict[str, Any]) -> None:
    assert {"prompt", "error"} & outcome(tokenize.detokenize, body).keys()
