"""`previous_token_ids` of /render: the length of the common prefix, in a header."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from render_service import render
from render_service.common_prefix import MAX_PREFIXES, SLICE, common_prefix
from render_service.errors import RequestError
from render_service.loading import load_model
from render_service.model import Model
from render_service.settings import Settings
from tests.conftest import Serve

HEADER = "x-render-common-prefix"
CHAT: dict[str, Any] = {
    "messages": [{"role": "user", "content": "Where is the tea?"}],
    "request_id": "r",
}
FEW = st.lists(st.integers(0, 1), max_size=40)


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model(Settings(max_model_len=512))


def lengths(answer: Any) -> list[int]:
    ((name, value),) = answer.headers
    assert name == HEADER.encode()
    return [int(number) for number in value.split(b", ")]


def rendered(model: Model, **fields: Any) -> Any:
    return render.chat(model, json.dumps(CHAT | fields).encode(), None)


def completed(model: Model, **fields: Any) -> Any:
    return render.completion(model, json.dumps({"prompt": "tea"} | fields).encode(), None)


def refused(model: Model, **fields: Any) -> RequestError:
    asked = completed if "prompt" in fields else rendered
    with pytest.raises(RequestError) as caught:
        asked(model, **fields)
    assert caught.value.status == 400
    return caught.value


@given(FEW, FEW, FEW)
def test_the_common_prefix(shared: list[int], one: list[int], other: list[int]) -> None:
    one, other = shared + one, shared + other
    pairs = zip(one, other, strict=False)
    wanted = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
    assert common_prefix(one, other) == common_prefix(other, one) == wanted
    assert common_prefix("".join(map(str, one)), "".join(map(str, other))) == wanted
    for length in (SLICE - 1, SLICE, 2 * SLICE):
        longer = [0] * length
        assert common_prefix(longer + one, longer + other) == length + wanted


def test_a_chat(model: Model) -> None:
    plain = rendered(model)
    assert plain.headers == ()
    ids = json.loads(plain.body)["token_ids"]
    for previous, wanted in (
        (ids, len(ids)),
        (ids[:-1], len(ids) - 1),
        ([*ids, 5, 6], len(ids)),
        ([*ids[:3], ids[3] + 1, *ids[4:]], 3),
        ([], 0),
    ):
        answer = rendered(model, previous_token_ids=previous)
        assert lengths(answer) == [wanted]
        assert answer.body == plain.body
    assert rendered(model, previous_token_ids=None).headers == ()


def test_several_prompts(model: Model) -> None:
    prompts = [[5, 6, 7], [5, 6, 8], [9]]
    assert completed(model, prompt=prompts).headers == ()
    one_for_all = completed(model, prompt=prompts, previous_token_ids=[5, 6, 7, 8])
    assert lengths(one_for_all) == [3, 2, 0]
    each = completed(model, prompt=prompts, previous_token_ids=[[5], [5, 6, 8, 1], []])
    assert lengths(each) == [1, 3, 0]
    assert lengths(completed(model, prompt=[5, 6], previous_token_ids=[[5]])) == [1]


def test_bounds(model: Model) -> None:
    field, length = "previous_token_ids", model.max_model_len
    assert rendered(model, previous_token_ids=[1] * length)
    long = refused(model, previous_token_ids=[1] * (length + 1))
    assert long.message == f"{field} length ({length + 1}) exceeds max_model_len ({length})."
    assert long.param == field
    highest = max(model.vocab_size - 1, model.tokenizer.max_id)
    assert rendered(model, previous_token_ids=[highest])
    strange = refused(model, previous_token_ids=[highest + 1])
    assert f"Token id {highest + 1} is out of vocabulary" in strange.message
    assert strange.param == field
    many = [[1]] * (MAX_PREFIXES + 1)
    assert "at most 256 prompts" in refused(model, prompt=many, previous_token_ids=[1]).message
    assert completed(model, prompt=many)


@pytest.mark.parametrize("value", [[-1], [2**31], [1.5], ["x"], "1", {"a": 1}, 5, [None]])
def test_what_is_no_list_of_ids(model: Model, value: Any) -> None:
    error = refused(model, previous_token_ids=value)
    assert error.type == "Bad Request"
    assert (error.param or "").startswith("body.previous_token_ids")
    assert refused(model, prompt="a", previous_token_ids=value).type == "Bad Request"


@pytest.mark.parametrize("value", [[[1], [2], [3]], [[1], 2], [[]], [[1], [10**6]]])
def test_lists_that_do_not_fit_the_prompts(model: Model, value: Any) -> None:
    assert refused(model, prompt=["a", "b"], previous_token_ids=value).param == "previous_token_ids"


def test_over_http(serve: Serve) -> None:
    server = serve()
    url = f"{server.url}/v1/chat/completions/render"
    plain = httpx.post(url, json=CHAT)
    assert HEADER not in plain.headers
    ids = plain.json()["token_ids"]
    asked = httpx.post(url, json=CHAT | {"previous_token_ids": [*ids[:7], 1]})
    assert asked.headers[HEADER] == "7"
    assert asked.headers["x-render-fingerprint"] == plain.headers["x-render-fingerprint"]
    assert asked.content == plain.content
    error = httpx.post(url, json=CHAT | {"previous_token_ids": [10**9]})
    assert error.status_code == 400
    assert set(error.json()["error"]) == {"message", "type", "param", "code"}
    assert HEADER not in error.headers
    prompts = {"prompt": ["a", "b"], "previous_token_ids": []}
    answer = httpx.post(f"{server.url}/v1/completions/render", json=prompts)
    assert answer.headers[HEADER] == "0, 0"


@pytest.mark.parametrize(("name", "kept"), [("qwen3", False), ("llama31", True)])
def test_the_next_turn_of_a_real_model(
    model_folder: Callable[[str], Path], name: str, kept: bool
) -> None:
    """Qwen3's template drops the reasoning of an older answer, Llama's has none."""
    model = load_model(Settings(model=str(model_folder(name))))
    question = {"role": "user", "content": "Where is the tea?"}
    prompt = json.loads(rendered(model, messages=[question]).body)["token_ids"]
    end = model.tokenizer.eos_token
    assert end is not None
    spelled = f"In the tin.{end}" if kept else f"<think>\nHm.\n</think>\n\nIn the tin.{end}"
    earlier = prompt + model.tokenizer.encode(spelled, add_special_tokens=False)
    said = {"role": "assistant", "content": "In the tin.", "reasoning": "Hm."}
    answer = rendered(model, messages=[question, said, question], previous_token_ids=earlier)
    assert lengths(answer) == [len(earlier) if kept else len(prompt)]
