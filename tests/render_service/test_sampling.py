"""Sampling parameters: defaults in their order, what is left out, what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from render_service.errors import RequestError
from render_service.generation import GenerationDefaults
from render_service.protocol.chat import decode_chat_request
from render_service.protocol.completion import decode_completion_request
from render_service.sampling import (
    Sampling,
    chat_sampling,
    completion_sampling,
    max_output_tokens,
)


def generation(override: int | None = None, **defaults: Any) -> GenerationDefaults:
    return GenerationDefaults(
        defaults=defaults,
        eos_token_id=2,
        eos_token_ids=frozenset({2}),
        override_max_tokens=override,
    )


NONE = generation()


def chat(
    of: GenerationDefaults = NONE,
    *,
    keep_special: bool = False,
    fits: int = 100,
    **fields: Any,
) -> Sampling:
    body = {"messages": [{"role": "user", "content": "Hi"}], **fields}
    request = decode_chat_request(json.dumps(body).encode())
    return chat_sampling(request, of, fits, keep_special=keep_special)


def completion(of: GenerationDefaults = NONE, fits: int = 16, **fields: Any) -> Sampling:
    request = decode_completion_request(json.dumps({"prompt": "Hi", **fields}).encode())
    return completion_sampling(request, of, fits)


def refused(**fields: Any) -> RequestError:
    with pytest.raises(RequestError) as caught:
        chat(**fields)
    return caught.value


def test_nothing_given() -> None:
    assert completion().params == {
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
        "repetition_penalty": 1.0,
        "temperature": 1.0,
        "top_p": 1.0,
        "min_p": 0.0,
        "stop": [],
        "stop_token_ids": [],
        "output_kind": 2,
        "skip_clone": True,
        "bad_words": [],
        "skip_reading_prefix_cache": False,
    }
    assert chat().params == {**completion().params, "max_tokens": 100}


def test_request_before_generation_config() -> None:
    model = generation(temperature=0.6, top_k=20)
    assert chat(model).params["temperature"] == 0.6
    assert chat(model, temperature=None).params["temperature"] == 0.6
    assert chat(model, temperature=1.0).params["temperature"] == 1.0
    assert chat(model).params["top_k"] == 20
    assert "top_k" not in chat(model, top_k=0).params


def test_greedy_resets_the_rest() -> None:
    params = chat(temperature=0, top_p=0.5, top_k=5, min_p=0.1).params
    assert params["temperature"] == 0.0
    assert not {"top_p", "top_k", "min_p"} & params.keys()
    assert chat(temperature=1e-3).params["temperature"] == 0.01


def test_special_tokens() -> None:
    kept = {"skip_special_tokens": False}
    assert "skip_special_tokens" not in chat().params
    assert chat(skip_special_tokens=False).params.items() >= kept.items()
    assert chat(keep_special=True, skip_special_tokens=True).params.items() >= kept.items()
    assert chat(generation(skip_special_tokens=False)).params.items() >= kept.items()
    model = generation(skip_special_tokens=False)
    assert "skip_special_tokens" not in chat(model, skip_special_tokens=True).params


def test_stop() -> None:
    params = chat(stop=["abc", "x"], stop_token_ids=[5, 5]).params
    assert params["output_text_buffer_length"] == 2
    assert params["stop_token_ids"] == [5]
    params = chat(stop="abc", include_stop_str_in_output=True).params
    assert params["stop"] == ["abc"]
    assert "output_text_buffer_length" not in params


def test_logprobs() -> None:
    assert "logprobs" not in chat().params
    assert chat(logprobs=True).params["logprobs"] == 0
    assert chat(logprobs=True, top_logprobs=None).params["logprobs"] == 0
    params = chat(logprobs=True, top_logprobs=3, echo=True).params
    assert (params["logprobs"], params["prompt_logprobs"]) == (3, 3)
    assert params["skip_reading_prefix_cache"]
    assert chat(echo=True, prompt_logprobs=1).params["prompt_logprobs"] == 1
    params = chat(logprobs=True, logprob_token_ids=[7]).params
    assert "logprobs" not in params
    assert params["logprob_token_ids"] == [7]
    assert completion(logprobs=2, echo=True).params["prompt_logprobs"] == 2
    assert completion(logprobs=2, prompt_logprobs=5).params["prompt_logprobs"] == 5
    assert "prompt_logprobs" not in completion(echo=True).params


def test_echo_alone_takes_one_step() -> None:
    assert completion(fits=0, echo=True, max_tokens=0).params["max_tokens"] == 1


def test_streamed() -> None:
    assert (
        chat(stream=True, stream_interval=4).params.items()
        >= {
            "output_kind": 1,
            "stream_interval": 4,
        }.items()
    )


def test_bias_is_bounded() -> None:
    assert chat(logit_bias={"05": 300, "6": -300, "7": 1}).params["logit_bias"] == {
        "5": 100.0,
        "6": -100.0,
        "7": 1.0,
    }
    error = refused(logit_bias={"a": 1, "5": 1})
    assert error.param == "logit_bias"
    assert "['a']" in error.message


@pytest.mark.parametrize(
    ("wanted", "constraint"),
    [
        ({"type": "json_object"}, {"json_object": True}),
        (
            {"type": "json_schema", "json_schema": {"name": "n", "schema": {"a": 1}}},
            {"json": {"a": 1}},
        ),
        (
            {"type": "structural_tag", "format": {"type": "x"}},
            {"structural_tag": '{"type": "structural_tag", "format": {"type": "x"}}'},
        ),
        (
            {"type": "structural_tag", "structures": [], "triggers": ["a"]},
            {"structural_tag": ('{"type": "structural_tag", "structures": [], "triggers": ["a"]}')},
        ),
    ],
)
def test_response_format(wanted: dict[str, Any], constraint: dict[str, Any]) -> None:
    outputs = chat(response_format=wanted).params["structured_outputs"]
    assert outputs == {**dict.fromkeys(outputs), **OPTIONS, **constraint}


OPTIONS = {
    "disable_any_whitespace": False,
    "disable_additional_properties": False,
    "_backend_was_auto": False,
}


def test_structured_outputs() -> None:
    given = {"regex": "a+", "_backend": "x", "disable_any_whitespace": True}
    outputs = chat(structured_outputs=given, response_format={"type": "text"}).params[
        "structured_outputs"
    ]
    assert list(outputs) == [
        "json",
        "regex",
        "choice",
        "grammar",
        "json_object",
        "disable_any_whitespace",
        "disable_additional_properties",
        "whitespace_pattern",
        "structural_tag",
        "_backend",
        "_backend_was_auto",
    ]
    assert outputs["_backend"] is None
    both = {"structured_outputs": {"regex": "a"}, "response_format": {"type": "json_object"}}
    assert "only use one kind" in refused(**both).message
    merged = chat(
        structured_outputs={"json_object": True, "whitespace_pattern": " "},
        response_format={"type": "json_object"},
    )
    assert merged.params["structured_outputs"]["whitespace_pattern"] == " "


def test_transfer_params_go_beside() -> None:
    sampling = chat(vllm_xargs={"a": 1}, kv_transfer_params={"k": 2}, ec_transfer_params={})
    assert sampling.params["extra_args"] == {"a": 1}
    assert (sampling.kv_transfer_params, sampling.ec_transfer_params) == ({"k": 2}, None)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"n": 0}, "n must be at least 1"),
        ({"n": 16385}, "n must be at most 16384"),
        ({"n": 2, "temperature": 0}, "greedy"),
        ({"presence_penalty": 2.5}, "presence_penalty must be in [-2, 2]"),
        ({"frequency_penalty": -3}, "frequency_penalty must be in [-2, 2]"),
        ({"repetition_penalty": 0}, "greater than zero"),
        ({"repetition_penalty": "nan"}, "finite"),
        ({"temperature": "nan"}, "finite"),
        ({"temperature": -1}, "non-negative"),
        ({"temperature": 3}, "in [0, 2]"),
        ({"top_p": 0}, "top_p"),
        ({"top_k": -2}, "top_k"),
        ({"min_p": 2}, "min_p"),
        ({"min_tokens": -1}, "min_tokens"),
        ({"min_tokens": 101}, "max_tokens=100"),
        ({"stop": ""}, "empty string"),
        ({"bad_words": [""]}, "empty string"),
        ({"kv_transfer_params": {"a": [2**64]}}, "extra_args integers"),
        ({"vllm_xargs": {"kv_transfer_params": "x"}}, "must not contain"),
        ({"fits": 0}, "max_tokens must be at least 1"),
    ],
)
def test_refused_values(fields: dict[str, Any], words: str) -> None:
    assert words in refused(**fields).message


@pytest.mark.parametrize(
    ("asked", "prompt", "truncate", "of", "expected"),
    [
        (None, 10, None, NONE, 90),
        (20, 10, None, NONE, 20),
        (200, 10, None, NONE, 90),
        (None, 10, None, generation(max_tokens=30), 30),
        (40, 10, None, generation(max_tokens=30), 40),
        (40, 10, None, generation(5), 5),
        (None, 120, 20, NONE, 80),
        (None, 120, -1, NONE, 0),
        (None, 100, None, NONE, 0),
    ],
)
def test_output_tokens_that_fit(
    asked: int | None,
    prompt: int,
    truncate: int | None,
    of: GenerationDefaults,
    expected: int,
) -> None:
    assert max_output_tokens(of, 100, asked, prompt, truncate) == expected


def test_prompt_over_the_context() -> None:
    with pytest.raises(RequestError, match=r"Input length \(101\)"):
        max_output_tokens(NONE, 100, None, 101, None)
