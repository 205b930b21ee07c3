"""Token IDs written in slices, and apart from the rest, are the JSON of the whole."""

from __future__ import annotations

import uuid

import orjson
import pytest

from render_service import render
from render_service.generate_request import SLICE, rest_of, with_ids
from render_service.loading import load_model
from render_service.settings import Settings


@pytest.mark.parametrize("count", [0, 1, SLICE - 1, SLICE, SLICE + 1, 3 * SLICE])
def test_the_answer_is_that_of_one_piece(count: int) -> None:
    answer = {"request_id": 'a "b" é', "token_ids": list(range(count)), "x": {"token_ids": [1]}}
    rest = rest_of(answer)
    assert with_ids('a "b" é', list(range(count)), rest) == orjson.dumps(answer)


def test_random_ids_are_those_of_uuid4() -> None:
    model = load_model(Settings(fingerprint="off"))
    body = b'{"messages": [{"role": "user", "content": "Hi"}]}'
    ids = [orjson.loads(render.chat(model, body, None).body)["request_id"] for _ in range(50)]
    assert len(set(ids)) == 50
    for own_id in ids:
        found = uuid.UUID(hex=own_id.removeprefix("chatcmpl-"))
        assert (found.version, found.variant) == (4, uuid.RFC_4122)
        assert own_id == f"chatcmpl-{found.hex}"
