"""What /derender refuses: status, type and param of vLLM, and words that help."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from render_service import derender
from render_service.errors import RequestError
from render_service.model import Model

from .derender_client import CHAT, chat_chunk, chunk, completion, demo, parsed_demo, stream

GOOD: dict[str, Any] = {"request_id": "r", "choices": [{"index": 0, "token_ids": [1, 2]}]}


@pytest.fixture(scope="module")
def plain() -> Model:
    return demo(max_model_len=64)


@pytest.fixture(scope="module")
def parsed() -> Model:
    return parsed_demo(max_model_len=64)


def refused(model: Model, endpoint: str, body: Any) -> RequestError:
    raw = body if isinstance(body, bytes) else orjson.dumps(body)
    with pytest.raises(RequestError) as error:
        getattr(derender, endpoint)(model, raw, None)
    return error.value


@pytest.mark.parametrize("endpoint", ["chat", "completion"])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"x"',
        b"{}",
        b'{"stream": true}',
        b'{"stream": "maybe"}',
        b'{"stream": true, "generate_chunk": null}',
        b'{"stream": true, "generate_chunk": {}}',
        b'{"stream": true, "generate_chunk": {"choices": [{}]}}',
        b'{"stream": true, "generate_chunk": {"choices": [{"index": 0, "token_ids": [-1]}]}}',
        b'{"stream": true, "generate_chunk": {"choices": [{"index": 0, "token_ids": [1e99]}]}}',
        b'{"stream": true, "generate_chunk": {"choices": [], "output_mode": "text"}}',
        b'{"model": "\xff"}',
        b'{"stream": true, "generate_chunk": ' + b"[" * 100_000,
    ],
)
def test_a_body_that_does_not_fit_is_a_400(plain: Model, endpoint: str, body: bytes) -> None:
    error = refused(plain, endpoint, body)
    assert (error.status, error.type) == (400, "Bad Request")
    assert error.message


@pytest.mark.parametrize("endpoint", ["chat", "completion"])
def test_an_unknown_model_is_a_404(plain: Model, endpoint: str) -> None:
    body = {
        "model": "other",
        "generate_response": GOOD,
        "generate_responses": [GOOD],
    }
    error = refused(plain, endpoint, body)
    assert (error.status, error.type, error.param) == (404, "NotFoundError", "model")
    assert plain.names[0] in error.message


@pytest.mark.parametrize("streamed", [True, False])
def test_a_parser_needs_the_chat_request(parsed: Model, streamed: bool) -> None:
    body = {"stream": streamed, "generate_response": GOOD, "generate_chunk": GOOD}
    error = refused(parsed, "chat", {**body, "prompt_token_ids": [1]})
    assert error.type == "BadRequestError"
    assert "chat_request is required" in error.message


def test_a_parser_needs_the_prompt_with_the_first_chunk_only(parsed: Model) -> None:
    error = refused(parsed, "chat", {"stream": True, "generate_chunk": GOOD, "chat_request": CHAT})
    assert "prompt_token_ids is required" in error.message
    assert len(stream(parsed, [chunk([1]), chunk([2])], CHAT, prompt_token_ids=[1])) == 2


@pytest.mark.parametrize("endpoint", ["chat", "completion"])
def test_stop_strings_cannot_be_streamed(plain: Model, endpoint: str) -> None:
    body = {
        "stream": True,
        "generate_chunk": GOOD,
        "chat_request": {**CHAT, "stop": "x"},
        "completion_request": {"prompt": "a", "stop": ["x"]},
    }
    assert "stop strings are not supported" in refused(plain, endpoint, body).message


@pytest.mark.parametrize("endpoint", ["chat", "completion"])
def test_a_chunk_has_one_choice(plain: Model, endpoint: str) -> None:
    two = {"choices": [{"index": 0}, {"index": 1}]}
    error = refused(plain, endpoint, {"stream": True, "generate_chunk": two})
    assert "at most one choice per chunk" in error.message


@pytest.mark.parametrize("endpoint", ["chat", "completion"])
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"token_ids": []}, "empty or null token_ids"),
        ({"token_ids": None}, "empty or null token_ids"),
        ({"token_ids": [1] * 65}, "token_ids length (65) in choice 0 exceeds max_model_len (64)"),
        ({"token_ids": [1536]}, "out of vocabulary"),
        (
            {"logprobs": {"content": [{"token_id": 1, "logprob": -1}] * 65}},
            "logprobs.content length (65)",
        ),
        (
            {
                "logprobs": {
                    "content": [
                        {
                            "token_id": 1,
                            "logprob": -1,
                            "top_logprobs": [{"token_id": 1, "logprob": -1}] * 21,
                        }
                    ]
                }
            },
            "top_logprobs count (21) in choice 0 exceeds max_logprobs (20)",
        ),
    ],
)
def test_outputs_are_bounded(
    plain: Model, endpoint: str, change: dict[str, Any], words: str
) -> None:
    choice = {"index": 0, "token_ids": [1], **change}
    response = {"request_id": "r", "choices": [choice]}
    error = refused(
        plain, endpoint, {"generate_response": response, "generate_responses": [response]}
    )
    assert error.status == 400
    assert words in error.message


@pytest.mark.parametrize("endpoint", ["chat", "completion"])
def test_prompts_are_bounded(plain: Model, endpoint: str) -> None:
    ids = [1] * 65
    prompt = ids if endpoint == "chat" else [ids]
    body = {"generate_response": GOOD, "generate_responses": [GOOD], "prompt_token_ids": prompt}
    assert "prompt_token_ids length (65)" in refused(plain, endpoint, body).message
    long = {**GOOD, "prompt_token_ids": ids}
    body = {"generate_response": long, "generate_responses": [long]}
    assert "prompt_token_ids length (65)" in refused(plain, endpoint, body).message
    logprobs = {**GOOD, "prompt_logprobs": [None] * 65}
    body = {"generate_response": logprobs, "generate_responses": [logprobs]}
    assert "prompt_logprobs length (65)" in refused(plain, endpoint, body).message


@pytest.mark.parametrize("endpoint", ["chat", "completion"])
def test_a_stream_ends_at_max_model_len(plain: Model, endpoint: str) -> None:
    body: dict[str, Any] = {"stream": True, "prompt_token_ids": [1] * 60}
    state = None
    for _ in range(2):
        raw = orjson.dumps({**body, "generate_chunk": chunk([1, 2]), "stream_state": state})
        state = orjson.loads(getattr(derender, endpoint)(plain, raw, None).body)["stream_state"]
    error = refused(
        plain, endpoint, {"stream": True, "generate_chunk": chunk([1]), "stream_state": state}
    )
    assert "max_model_len (64)" in error.message


@pytest.mark.parametrize("endpoint", ["chat", "completion"])
@pytest.mark.parametrize(
    "state",
    [
        {"v": 1, "d": "x"},
        {"v": 1, "d": [[[]]]},
        {"v": 1, "d": {"a": 1}},
        {"v": 1, "d": -5},
        {"v": 1, "d": [10**30]},
        {"v": 2},
        [],
        7,
    ],
)
def test_a_state_that_is_not_ours_is_a_400(plain: Model, endpoint: str, state: Any) -> None:
    if isinstance(state, dict):
        state = {"k": endpoint, **state}
    body = {"stream": True, "generate_chunk": chunk([1]), "stream_state": state}
    error = refused(plain, endpoint, json.dumps(body).encode())
    assert error.status == 400
    assert "stream_state" in error.message


@pytest.mark.parametrize("parser", [None, [], [1], ["x"] * 4, [[[]]], [None] * 9, [10**6] * 4])
def test_a_parser_state_that_is_not_ours_is_a_400(parsed: Model, parser: Any) -> None:
    state = {"v": 1, "p": parser}
    body = {
        "stream": True,
        "generate_chunk": chunk([1]),
        "stream_state": state,
        "chat_request": CHAT,
    }
    error = refused(parsed, "chat", body)
    assert error.status == 400
    assert "stream_state" in error.message


def test_lists_of_a_completion_run_parallel(plain: Model) -> None:
    for field, value in (
        ("prompt_tokens", [1, 2]),
        ("prompt_token_ids", [[1], [2]]),
        ("prompt_tokens", 3),
    ):
        error = refused(plain, "completion", {"generate_responses": [GOOD], field: value})
        assert error.type == "Bad Request"
        assert field in error.message
    assert "must not be empty" in refused(plain, "completion", {"generate_responses": []}).message


Send = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def senders(plain: Model, parsed: Model) -> dict[str, Send]:
    return {
        "chat": lambda **body: chat_chunk(plain, **body),
        "parsed chat": lambda **body: chat_chunk(
            parsed, chat_request=CHAT, prompt_token_ids=[1], **body
        ),
        "completion": lambda **body: completion(plain, stream=True, **body),
    }


@pytest.mark.parametrize("sender", ["chat", "parsed chat", "completion"])
@pytest.mark.parametrize("receiver", ["chat", "parsed chat", "completion"])
@pytest.mark.parametrize("fingerprint", [True, False])
def test_a_state_of_another_stream_is_refused(
    senders: dict[str, Send], sender: str, receiver: str, fingerprint: bool
) -> None:
    state = senders[sender](generate_chunk=chunk([1]))["stream_state"]
    if not fingerprint:  # as with --fingerprint off
        del state["f"]
    body = {"generate_chunk": chunk([2]), "stream_state": state}
    if sender == receiver:
        assert senders[receiver](**body)["chunk"]["choices"]
        return
    with pytest.raises(RequestError, match="stream_state") as refused:
        senders[receiver](**body)
    assert refused.value.status in (400, 409)


@pytest.mark.parametrize("sender", ["chat", "parsed chat", "completion"])
def test_a_state_of_another_choice_is_refused(senders: dict[str, Send], sender: str) -> None:
    send = senders[sender]
    usage = {"request_id": "chatcmpl-1", "choices": [], "usage": {"completion_tokens": 1}}
    state = send(generate_chunk=usage)["stream_state"]  # belongs to no choice yet
    state = send(generate_chunk=chunk([1], index=1), stream_state=state)["stream_state"]
    state = send(generate_chunk=usage, stream_state=state)["stream_state"]
    with pytest.raises(RequestError, match="belongs to choice 1, the chunk has choice 0"):
        send(generate_chunk=chunk([2]), stream_state=state)


@pytest.mark.parametrize("sender", ["chat", "parsed chat", "completion"])
def test_nothing_follows_the_end_of_an_output(senders: dict[str, Send], sender: str) -> None:
    send = senders[sender]
    state = send(generate_chunk=chunk([1], "length"))["stream_state"]
    for ids, finish in ((None, None), ([], "length")):  # nothing to add, and harmless
        answer = send(generate_chunk=chunk(ids, finish), stream_state=state)
        (choice,) = answer["chunk"]["choices"]
        text = choice["text"] if sender == "completion" else choice["delta"]["content"]
        assert not text
        assert choice["finish_reason"] == finish
        state = answer["stream_state"]
    with pytest.raises(RequestError, match="has ended"):
        send(generate_chunk=chunk([2]), stream_state=state)
