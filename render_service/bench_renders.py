"""Whole requests: /render of short and long chats and of growing conversations, whole derender.

No body is sent twice: a server that remembers answers to whole requests must not look fast by it.
Servers take turns, a part of the bodies each.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

import orjson
import uvloop

from .bench_load import Connection, Load, Target, together
from .bench_streams import CHAT
from .bench_streams import PATH as DERENDER

RENDER = "/v1/chat/completions/render"
LANES = 8
PARTS = 5
PROSE = """the a of and to in that for with on as by from this which value result function request
server token latency model cache returns computes because however naïve café 東京 3.5 km `def
area(width):` {"key": 17} https://example.org/a?b=c it's don't — “quoted” * item"""
BREAKS = ["\n\n", "\n    "]

Json = dict[str, Any]


class Sizes(NamedTuple):
    """requests: of each kind; of short renders more, as one takes little time. long, conversation:
    tokens. turns: of one conversation.
    """

    short: int
    requests: int
    long: int
    conversation: int
    turns: int
    conversations: int
    whole: int


FULL = Sizes(
    short=2000,
    requests=200,
    long=9000,
    conversation=60_000,
    turns=30,
    conversations=4,
    whole=2000,
)
QUICK = Sizes(
    short=48, requests=24, long=2000, conversation=4000, turns=8, conversations=2, whole=500
)


@dataclass
class Requests:
    """What requests of one kind cost a target. tokens: of a prompt or output, on average.

    parts_us: microseconds of CPU time a request, by part.
    """

    target: str
    kind: str
    tokens: int
    load: Load = field(default_factory=Load)
    parts_us: list[float] = field(default_factory=list)

    def add(self, part: Load) -> None:
        self.load.add(part)
        self.parts_us.append(part.cpu_us)

    def ratio(self, other: Requests) -> float:
        """The median of the parts, in which the two took turns."""
        return median(a / b for a, b in zip(self.parts_us, other.parts_us, strict=True))

    @property
    def per_core(self) -> float:
        """Requests a second for each CPU that is busy with them."""
        return 1e6 / self.load.cpu_us if self.load.cpu_us else 0.0


class Text:
    """Prose, numbers and code from a fixed seed. ratio: words a token of this model."""

    def __init__(self, ratio: float) -> None:
        self._ratio, self._random = ratio, random.Random(1)
        self._words = [*PROSE.split(), *BREAKS]

    def of(self, tokens: int) -> str:
        return " ".join(self._random.choices(self._words, k=max(int(tokens * self._ratio), 1)))


class Kind(NamedTuple):
    """parts: lanes of bodies, those of a lane sent in order. warm: one more, sent before."""

    name: str
    path: str
    tokens: int
    parts: list[list[list[Json]]]
    warm: Json


def kinds(
    text: Text, output: Sequence[int], sizes: Sizes, limit: int, choice: str = "auto"
) -> Iterator[Kind]:
    """limit: tokens that the model takes. choice: `tool_choice` of conversations."""
    room = int(limit * 0.8)
    short, long = 200, min(sizes.long, room)
    yield _single("render, short", text, short, sizes.short)
    yield _single("render, long", text, long, max(sizes.requests // 4, LANES))
    tokens = min(sizes.conversation, room)
    every = [[_conversation(text, tokens, sizes.turns, choice)] for _ in range(sizes.conversations)]
    warm = _conversation(text, tokens, sizes.turns, choice)[0]
    yield Kind("render, conversation", RENDER, tokens // 2, every, warm)
    whole = [_whole(output[: sizes.whole], number) for number in range(sizes.requests + 1)]
    yield Kind("derender, whole", DERENDER, sizes.whole, _dealt(whole[1:]), whole[0])


def _single(name: str, text: Text, tokens: int, count: int) -> Kind:
    bodies = [_chat([{"role": "user", "content": text.of(tokens)}]) for _ in range(count + 1)]
    return Kind(name, RENDER, tokens, _dealt(bodies[1:]), bodies[0])


def _dealt(bodies: list[Json]) -> list[list[list[Json]]]:
    ends = [len(bodies) * part // PARTS for part in range(PARTS + 1)]
    parts = [bodies[start:end] for start, end in pairwise(ends)]
    return [[part[lane::LANES] for lane in range(LANES)] for part in parts]


def _chat(messages: list[Json], **more: Any) -> Json:
    return {"messages": messages, "max_tokens": 16, **more}


def _conversation(text: Text, tokens: int, turns: int, choice: str) -> list[Json]:
    """One request a turn, each with all turns before it and 20 tools, or as many as fit."""
    tools = [_tool(number, text.of(40)) for number in range(min(20, tokens // 320))]
    turns = min(turns, max(tokens // 80, 1))
    each = max((tokens - 80 * len(tools) - 100) // turns // 2, 8)
    messages: list[Json] = [{"role": "system", "content": text.of(100)}]
    found = []
    for _ in range(turns):
        messages.append({"role": "user", "content": text.of(each)})
        found.append(_chat(list(messages), tools=tools, tool_choice=choice))
        messages.append({"role": "assistant", "content": text.of(each)})
    return found


def _tool(number: int, description: str) -> Json:
    properties = {"path": {"type": "string"}, "limit": {"type": "integer"}}
    parameters = {"type": "object", "properties": properties, "required": ["path"]}
    function = {"name": f"tool_{number}", "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


def _whole(output: Sequence[int], number: int) -> Json:
    choice = {"index": 0, "token_ids": list(output), "finish_reason": "length"}
    response = {"request_id": f"chatcmpl-bench-{number}", "choices": [choice]}
    chat = {name: value for name, value in CHAT.items() if name != "stream"}
    return {"generate_response": response, "chat_request": chat, "prompt_token_ids": [1, 2, 3]}


def run_kind(targets: Sequence[Target], kind: Kind) -> list[Requests]:
    """Raises BenchError."""
    return uvloop.run(_run_kind(targets, kind))


async def _run_kind(targets: Sequence[Target], kind: Kind) -> list[Requests]:
    found = [Requests(target.name, kind.name, kind.tokens) for target in targets]
    lanes = [[Connection(target, Load()) for _ in range(LANES)] for target in targets]
    try:
        for target, connections in zip(targets, lanes, strict=True):
            await connections[0].ask(kind.path, _named(target, kind.warm))
        for part in kind.parts:
            for one, target, connections in zip(found, targets, lanes, strict=True):
                one.add(await _run_part(target, connections, kind.path, part))
    finally:
        for connection in (one for connections in lanes for one in connections):
            connection.close()
    return found


async def _run_part(
    target: Target, connections: Sequence[Connection], path: str, part: list[list[Json]]
) -> Load:
    load = Load()

    async def send(connection: Connection, bodies: Sequence[bytes]) -> None:
        connection.load = load
        for body in bodies:
            await connection.ask(path, body)

    encoded = [[_named(target, body) for body in lane] for lane in part]
    lanes = zip(connections, encoded, strict=False)
    await together(target, load, (send(connection, bodies) for connection, bodies in lanes))
    return load


def _named(target: Target, body: Json) -> bytes:
    """With the model's name, where a server asks for it."""
    model = {"model": target.model} if target.model else {}
    if "chat_request" in body:
        chat = {**model, **body["chat_request"]}
        response = {**model, **body["generate_response"]}
        body = {**body, "chat_request": chat, "generate_response": response}
    return orjson.dumps({**model, **body})


def measured(ask: Callable[[str, Json], Json]) -> Text:
    """Text whose length in tokens is known, by the server's own tokenizer."""
    sample = Text(1.0).of(2000)
    count = ask("/tokenize", {"prompt": sample, "add_special_tokens": False})["count"]
    return Text(2000 / count)
