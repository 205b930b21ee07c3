"""With a key that replicas share, a state that they did not write is a 400."""

from __future__ import annotations

import random
from typing import Any

import orjson
import pytest

from render_service import derender
from render_service.errors import RequestError
from render_service.model import Model
from render_service.state_keys import StateKeys

from .derender_client import CHAT_TOOLS, Json, chat_chunk, chunk, ids_of, parsed_demo

TEXT = '<think>\nHm.\n</think>\n\nSure. <tool_call>\n{"name": "get_weather", "arguments": {"ci'


@pytest.fixture(scope="module")
def signed() -> Model:
    return parsed_demo(state_key=("new", "old"))


def first(model: Model) -> Json:
    ids = ids_of(model, TEXT)
    answer = chat_chunk(
        model, generate_chunk=chunk(ids), chat_request=CHAT_TOOLS, prompt_token_ids=[5]
    )
    state: Json = answer["stream_state"]
    return state


def following(model: Model, state: Any, **change: Any) -> Json:
    generated = {**chunk(ids_of(model, 'ty": "Oslo"}}')), **change}
    return chat_chunk(model, generate_chunk=generated, chat_request=CHAT_TOOLS, stream_state=state)


def refused(model: Model, state: Any, **change: Any) -> str:
    with pytest.raises(RequestError) as error:
        following(model, state, **change)
    assert (error.value.status, error.value.param) == (400, "stream_state")
    return error.value.message


def test_replicas_with_the_key_continue_each_others_streams(signed: Model) -> None:
    state = first(signed)
    again = parsed_demo(state_key=("other", "new"))
    assert following(again, state)["chunk"] == following(signed, state)["chunk"] | {
        "created": following(again, state)["chunk"]["created"]
    }


def test_keys_can_be_rotated(signed: Model) -> None:
    """Old key first, then new and old, then new alone: each step reads the one before."""
    old, both, new = (parsed_demo(state_key=keys) for keys in (("a",), ("b", "a"), ("b",)))
    state = first(old)
    state = following(both, state)["stream_state"]
    assert following(new, state)
    assert "--state-key" in refused(new, first(old))


def test_a_state_without_a_mac_is_foreign(signed: Model) -> None:
    state = first(parsed_demo())
    assert "m" not in state
    assert "--state-key" in refused(signed, state)


def test_spacing_and_the_order_of_keys_may_change_on_the_way(signed: Model) -> None:
    state = first(signed)
    turned = dict(reversed(orjson.loads(orjson.dumps(state, option=orjson.OPT_INDENT_2)).items()))
    assert following(signed, turned)


@pytest.mark.parametrize("seed", range(4))
def test_altered_states_are_refused(signed: Model, seed: int) -> None:
    """Bytes replaced, dropped and doubled; a change that JSON does not see is none."""
    state, chance = first(signed), random.Random(seed)
    raw = orjson.dumps(state)
    body = orjson.dumps(
        {"stream": True, "generate_chunk": chunk([65]), "chat_request": CHAT_TOOLS}
    )[:-1]
    for _ in range(500):
        at, kind = chance.randrange(len(raw)), chance.randrange(3)
        byte = bytes([chance.randrange(32, 127)])
        altered = raw[:at] + (byte if kind == 0 else b"" if kind == 1 else raw[at : at + 1] * 2)
        altered += raw[at + 1 :]
        try:
            if orjson.loads(altered) == state:
                continue
        except orjson.JSONDecodeError:
            pass
        with pytest.raises(RequestError) as error:
            derender.chat(signed, body + b',"stream_state":' + altered + b"}", None)
        assert error.value.status == 400


def test_a_state_belongs_to_one_request(signed: Model) -> None:
    assert "another request" in refused(signed, first(signed), request_id="chatcmpl-2")


def test_chunks_without_a_request_id_are_of_any_request(signed: Model) -> None:
    assert following(signed, first(signed), request_id="")


def test_a_mac_is_of_its_key_and_content() -> None:
    one, two = StateKeys(["1"]), StateKeys(["2", "1"])
    mac = one.sign(b"x")
    assert one.accept(b"x", mac)
    assert two.accept(b"x", mac)
    assert not two.accept(b"y", mac)
    assert not StateKeys(["2"]).accept(b"x", mac)
    assert not one.accept(b"x", "")
    assert not one.accept(b"x", "é")


def test_ids_of_keys_are_no_macs() -> None:
    keys = StateKeys(["2", "1"])
    assert keys.ids == (*StateKeys(["2"]).ids, *StateKeys(["1"]).ids)
    assert len(set(keys.ids)) == 2
    assert all(len(name) == 8 for name in keys.ids)
    assert not any(keys.sign(b"").startswith(name) for name in keys.ids)
    assert StateKeys().ids == ()
