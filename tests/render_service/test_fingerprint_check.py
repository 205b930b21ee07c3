"""What /derender makes of fingerprints, in the three modes."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from render_service import derender
from render_service.errors import RequestError
from render_service.model import Model

from .derender_client import CHAT, chat, completion, demo, ids_of, prompt_of

OTHER = "0123456789ab"
MODES = ("off", "check", "require")


@pytest.fixture(scope="module")
def models() -> dict[str, Model]:
    return {mode: demo(fingerprint=mode) for mode in MODES}


def body_of(model: Model, endpoint: str, streamed: bool, request_id: str, state: Any) -> Any:
    choice = {"index": 0, "token_ids": ids_of(model, "Hello"), "finish_reason": "stop"}
    generated = {"request_id": request_id, "choices": [choice]}
    if streamed:
        return {"stream": True, "generate_chunk": generated, "stream_state": state}
    return {"generate_response": generated, "generate_responses": [generated]}


def answer(
    model: Model, endpoint: str, streamed: bool, request_id: str, state: Any = None
) -> dict[str, Any]:
    body = body_of(model, endpoint, streamed, request_id, state)
    return {"chat": chat, "completion": completion}[endpoint](model, **body)


def refused(
    model: Model, endpoint: str, streamed: bool, request_id: str, state: Any = None
) -> RequestError:
    body = orjson.dumps(body_of(model, endpoint, streamed, request_id, state))
    with pytest.raises(RequestError) as error:
        getattr(derender, endpoint)(model, body, None)
    return error.value


def state_of(model: Model, endpoint: str) -> Any:
    request_id = f"generate-tokens-x{model.fingerprint.suffix}"
    body = body_of(model, endpoint, True, request_id, None)
    body["generate_chunk"]["choices"][0]["finish_reason"] = None
    return {"chat": chat, "completion": completion}[endpoint](model, **body)["stream_state"]


ENDPOINTS = pytest.mark.parametrize("endpoint", ["chat", "completion"])
STREAMED = pytest.mark.parametrize("streamed", [False, True], ids=["whole", "chunk"])


@ENDPOINTS
@STREAMED
@pytest.mark.parametrize("mode", MODES)
def test_ours_is_answered(
    models: dict[str, Model], mode: str, endpoint: str, streamed: bool
) -> None:
    model = models[mode]
    assert answer(model, endpoint, streamed, f"generate-tokens-x{model.fingerprint.suffix}")


@ENDPOINTS
@STREAMED
@pytest.mark.parametrize("mode", ["check", "require"])
def test_anothers_is_a_409(
    models: dict[str, Model], mode: str, endpoint: str, streamed: bool
) -> None:
    model = models[mode]
    theirs = demo(chat_template="{{ messages }}", max_model_len=77).fingerprint
    error = refused(model, endpoint, streamed, f"generate-tokens-x{theirs.suffix}")
    assert (error.status, error.type, error.param) == (
        409,
        "ConfigFingerprintMismatch",
        "request_id",
    )
    for name in model.fingerprint.differing(theirs.value):
        assert name in error.message
    assert theirs.value in error.message
    assert model.fingerprint.value in error.message


@ENDPOINTS
@STREAMED
def test_off_compares_nothing(models: dict[str, Model], endpoint: str, streamed: bool) -> None:
    assert answer(models["off"], endpoint, streamed, f"generate-tokens-x-rf{OTHER}")


@ENDPOINTS
@STREAMED
def test_none_is_let_through_unless_one_is_required(
    models: dict[str, Model], endpoint: str, streamed: bool
) -> None:
    for request_id in ("", "chatcmpl-1", "chatcmpl-1-rf123"):
        assert answer(models["check"], endpoint, streamed, request_id)
        assert answer(models["off"], endpoint, streamed, request_id)
        error = refused(models["require"], endpoint, streamed, request_id)
        assert (error.status, error.type) == (409, "ConfigFingerprintMismatch")
        for words in ("request_id", "stream_state", "--fingerprint require", "X-Request-Id"):
            assert words in error.message


def test_each_of_many_responses_counts(models: dict[str, Model]) -> None:
    model = models["check"]
    body = body_of(model, "completion", False, "x", None)
    (one,) = body["generate_responses"]
    body = {"generate_responses": [one, {**one, "request_id": f"x-1-rf{OTHER}"}]}
    with pytest.raises(RequestError, match=OTHER):
        derender.completion(model, orjson.dumps(body), None)


@ENDPOINTS
def test_the_state_carries_it(models: dict[str, Model], endpoint: str) -> None:
    """Also where the engine names the request late, and by another ID than the rendered one."""
    for mode in ("check", "require"):
        model = models[mode]
        state = state_of(model, endpoint)
        assert state["f"] == model.fingerprint.value
        del state["q"]  # the first chunk had no ID
        for request_id in ("", "other", f"x{model.fingerprint.suffix}"):
            assert answer(model, endpoint, True, request_id, state)["stream_state"]["f"]


@ENDPOINTS
def test_anothers_state_is_a_409_whatever_the_request_id(
    models: dict[str, Model], endpoint: str
) -> None:
    for mode in ("check", "require"):
        model = models[mode]
        state = state_of(model, endpoint) | {"f": OTHER}
        for request_id in ("", f"x{model.fingerprint.suffix}", f"x-rf{OTHER}"):
            error = refused(model, endpoint, True, request_id, state)
            assert (error.status, error.param) == (409, "stream_state")
            assert OTHER in error.message
        assert answer(models["off"], endpoint, True, "", state)


@ENDPOINTS
def test_off_writes_nothing(models: dict[str, Model], endpoint: str) -> None:
    state = state_of(models["off"], endpoint)
    assert "f" not in state
    # Nor does it hand on what another replica wrote.
    state = answer(models["off"], endpoint, True, "", state | {"f": OTHER})["stream_state"]
    assert "f" not in state
    assert answer(models["check"], endpoint, True, "", state_of(models["off"], endpoint))


@ENDPOINTS
@pytest.mark.parametrize("value", ["", "x", "0" * 13, "é" * 12, 5, [], {}])
def test_what_is_no_fingerprint_is_no_state(
    models: dict[str, Model], endpoint: str, value: Any
) -> None:
    model = models["check"]
    error = refused(model, endpoint, True, "", state_of(model, endpoint) | {"f": value})
    assert (error.status, error.param) == (400, "stream_state")


def test_it_is_said_before_what_follows_from_it() -> None:
    """A replica without a parser gets a stream of one with: that is the news."""
    plain, parsed = demo(), demo(reasoning_parser="qwen3")
    body = body_of(parsed, "chat", True, f"x{parsed.fingerprint.suffix}", None)
    body |= {"chat_request": CHAT, "prompt_token_ids": prompt_of(parsed)}
    state = chat(parsed, **body)["stream_state"]
    error = refused(plain, "chat", True, "", state)
    assert error.status == 409
    error = refused(parsed, "chat", True, f"x{plain.fingerprint.suffix}")
    assert error.status == 409, "though it also lacks its chat_request"
