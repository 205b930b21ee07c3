"""States as a client may alter them, and what must come of each."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import orjson

from render_service import derender, stream_state
from render_service.errors import RequestError
from render_service.model import Model

from .derender_client import CALL, CHAT_TOOLS, REASONED, cut, ids_of, prompt_of, stream

Json = dict[str, Any]
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 2, -1, 3.5, 2**31, 2**63, "", "x", "chat", "completion"),
    *([], {}, [[]], ["x"], [0], [2**40], "\ud800", "\U0001f389" * 40, {"a": [1]}),
)
FIELDS = "vkdprielonfqcm"


def states_of(model: Model) -> list[Json]:
    """States of several streams, after each of their chunks."""
    found: list[Json] = []
    for number, output in enumerate((REASONED + "So é 🎉", REASONED + CALL, CALL + CALL)):
        chunks = cut(ids_of(model, output), [1, 2, 3] * 40)
        for generated in chunks:
            generated["request_id"] = f"chatcmpl-{number}"
        answers = stream(model, chunks, CHAT_TOOLS, prompt_token_ids=prompt_of(model))
        found += [answer["stream_state"] for answer in answers[:-1]]
    return found


def alterations(states: list[Json], chance: random.Random) -> Iterator[bytes]:
    """Without end: a field, a deep value, some bytes, or parts of two states."""
    ways: tuple[Callable[[Json, list[Json], random.Random], bytes], ...] = (
        _field, _deep, _bytes, _mixed, _cut,
    )  # fmt: skip
    while True:
        yield chance.choice(ways)(chance.choice(states), states, chance)


def _field(state: Json, states: list[Json], chance: random.Random) -> bytes:
    changed, name = dict(state), chance.choice(FIELDS + "zQ")
    if chance.random() < 0.3:
        changed.pop(name, None)
    else:
        changed[name] = chance.choice(VALUES)
    return json.dumps(changed).encode()


def _deep(state: Json, states: list[Json], chance: random.Random) -> bytes:
    """One value anywhere in it becomes another."""
    changed = json.loads(json.dumps(state))
    places: list[tuple[Any, Any]] = []
    rest: list[Any] = [changed]
    while rest:
        node = rest.pop()
        for key in node if isinstance(node, dict) else range(len(node)):
            places.append((node, key))
            if isinstance(node[key], dict | list):
                rest.append(node[key])
    node, key = chance.choice(places)
    value = node[key]
    if isinstance(value, str) and value and chance.random() < 0.7:
        at = chance.randrange(len(value))
        node[key] = value[:at] + chance.choice('0aé"\\{<') + value[at + chance.randint(0, 1) :]
    elif isinstance(value, int) and chance.random() < 0.7:
        node[key] = value + chance.choice((-1, 1, 256))
    else:
        node[key] = chance.choice(VALUES)
    return json.dumps(changed).encode()


def _bytes(state: Json, states: list[Json], chance: random.Random) -> bytes:
    data = bytearray(orjson.dumps(state))
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(data))
        data[at : at + chance.randint(0, 2)] = chance.randbytes(chance.randint(0, 2))
    return bytes(data)


def _mixed(state: Json, states: list[Json], chance: random.Random) -> bytes:
    other = chance.choice(states)
    names = {name for name in FIELDS if chance.random() < 0.5}
    mixed = {**state, **{name: other[name] for name in names & other.keys()}}
    return orjson.dumps(mixed)


def _cut(state: Json, states: list[Json], chance: random.Random) -> bytes:
    data = orjson.dumps(state)
    at, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return data[:at] + data[end:]


def outcome(model: Model, raw: bytes) -> int:
    """The status of a chunk with that state; anything but an answer or a RequestError is raised."""
    head = orjson.dumps(
        {
            "stream": True,
            "generate_chunk": {"request_id": "", "choices": [{"index": 0, "token_ids": [65]}]},
            "chat_request": CHAT_TOOLS,
        }
    )
    try:
        derender.chat(model, head[:-1] + b',"stream_state":' + raw + b"}", None)
    except RequestError as error:
        return error.status
    return 200


def is_one_of(raw: bytes, known: set[bytes]) -> bool:
    """Whether only the spelling was altered, or nothing: it is still one of these states."""
    try:
        state = stream_state.decode(raw, "chat")
    except RequestError:
        return False
    return stream_state.rewritten(state) in known


def known_states(states: list[Json]) -> set[bytes]:
    return {
        stream_state.rewritten(stream_state.decode(orjson.dumps(state), "chat")) for state in states
    }
