"""Hostile bodies are refused or answered, never a 500, and nothing of them stays.

tests/long/hostile.py sends them larger, longer, and beside what schemathesis makes up.
"""

from __future__ import annotations

import json
from collections import Counter

from tests.conftest import DEMO_MODEL, Serve
from tests.long.hostile import QUIET, attack, post, resident
from tests.render_service.derender_client import PARSERS
from tests.render_service.hostile_bodies import PATHS, RAW, SIZE, places, values

SMALL = 20_000
GROWTH = 32 * 1024 * 1024


def test_no_body_is_a_fault(serve: Serve) -> None:
    service = serve(DEMO_MODEL, *PARSERS, *QUIET)
    statuses: Counter[int] = Counter()
    assert list(attack(service, SMALL, statuses)) == []
    before = resident(service.process.pid)
    assert list(attack(service, SMALL, statuses)) == []
    assert resident(service.process.pid) - before < GROWTH
    assert set(statuses) == {200, 400, 404}


def test_a_megabyte_that_is_no_request(serve: Serve) -> None:
    service = serve(DEMO_MODEL, *PARSERS, *QUIET)
    statuses = {post(service, path, make(SIZE)) for make in RAW.values() for path in PATHS}
    assert statuses <= {400, 404}  # the model named again and again is none


def test_json_within_a_text_is_bounded_as_a_body_is(serve: Serve) -> None:
    service = serve(DEMO_MODEL, *PARSERS, *QUIET)
    bombs = [value for name, value in values(SIZE) if name in ("arrays in a text", "a deep text")]
    statuses = {
        (path, post(service, path, json.dumps(body).encode()))
        for bomb in bombs
        for path, field, body in places(bomb)
        if field == "arguments"
    }
    paths = ("/v1/chat/completions/render", "/v1/responses/render", "/tokenize")
    assert statuses == {(path, 400) for path in paths}
