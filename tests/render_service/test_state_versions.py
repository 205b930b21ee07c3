"""States of every version that was ever written are gone on from, to the same end."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from render_service import stream_state
from render_service.model import Model
from tests.parsers.support import added, characters, context_of, format_of, pieces_of, recorded

from . import derender_client as client
from .state_streams import FOLDER, STREAMS, Json, chunks_of, send

VERSIONS = sorted(path.stem for path in FOLDER.glob("v*.json"))


@cache
def states(version: str) -> Json:
    found: Json = json.loads((FOLDER / f"{version}.json").read_text(encoding="utf-8"))
    return found


@cache
def model_of(name: str) -> Model:
    return client.demo(**STREAMS[name].settings)


def test_every_version_that_is_read_has_its_states() -> None:
    assert [f"v{number}" for number in stream_state.READABLE] == VERSIONS


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("version", VERSIONS)
def test_streams_go_on_from_each_state(version: str, name: str) -> None:
    (saved,) = [one for one in states(version)["services"] if one["stream"] == name]
    stream, model = STREAMS[name], model_of(name)
    chunks = chunks_of(model, stream)
    for at, state in enumerate(saved["states"], 1):
        assert state["v"] == int(version[1:])
        carried: Any = state
        for generated, choices in zip(chunks[at:], saved["choices"][at:], strict=True):
            answer = send(model, stream, generated, carried)
            carried = answer["stream_state"]
            assert carried["v"] == state["v"], "older replicas must be able to go on from it"
            assert answer["chunk"]["choices"] == choices


@pytest.mark.parametrize("version", VERSIONS)
def test_snapshots_of_every_parser_go_on(version: str) -> None:
    for saved in states(version)["parsers"]:
        fmt = format_of(saved["file"])
        (case,) = [c for c in recorded(saved["file"])[1] if c["name"] == saved["case"]]
        pieces, context = characters(pieces_of(case, fmt)), context_of(case["request"])
        begun = fmt.start(context, case["prompt_ids"])
        events = begun.feed(pieces[: saved["at"]])
        whole = added(events + begun.feed(pieces[saved["at"] :]) + begun.finish("stop"))
        resumed = fmt.resume(saved["state"], context)
        rest = resumed.feed(pieces[saved["at"] :]) + resumed.finish("stop")
        assert added(events + rest) == whole, saved["file"]
