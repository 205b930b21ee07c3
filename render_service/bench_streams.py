"""Streamed derender: outputs sent chunk by chunk, their cost taken at every part of the stream.

What is to be compared is sent in turn, part by part: other work on the machine meets all alike.

Two ways to be a client: lean, as docs/protocol.md says (later chunks bring the state alone), and
vLLM's, which sends the chat request and the prompt's token IDs with every chunk.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, NamedTuple

import orjson
import uvloop

from .bench_load import BenchError, Connection, Load, Target, together
from .corpus.outputs import WRITE

PATH = "/v1/chat/completions/derender"
PARTS = 40
"""Of a stream; the cost of a chunk is told for each."""
CHAT: dict[str, Any] = {
    "messages": [{"role": "user", "content": "Write the file."}],
    "stream": True,
    "tools": [WRITE],
}


@dataclass
class Streams:
    """Streams of one kind, sent side by side.

    By part of the stream: ends, the tokens that it ends with; chunk_us, microseconds of CPU time a
    chunk; stream_ms and sent, milliseconds of CPU time and bytes of a stream up to its end.
    total: of all chunks. state: bytes of the longest stream_state.
    stopped: tokens a stream, where time ran out before its end.
    """

    target: str
    client: str
    streams: int
    tokens_per_chunk: int
    prompt_tokens: int
    ends: list[int] = field(default_factory=list)
    chunk_us: list[float] = field(default_factory=list)
    stream_ms: list[float] = field(default_factory=list)
    sent: list[float] = field(default_factory=list)
    total: Load = field(default_factory=Load)
    state: int = 0
    stopped: int | None = None

    def add(self, end: int, part: Load) -> None:
        total = self.total
        self.ends.append(end)
        self.chunk_us.append(part.cpu_us)
        total.add(part)
        self.stream_ms.append(1e3 * total.cpu / self.streams)
        self.sent.append(total.sent / self.streams)

    def typical_us(self) -> float:
        """Microseconds a chunk: the median of the parts, which other work on the machine moves less
        than the mean.
        """
        return median(self.chunk_us)

    def ratio(self, other: Streams, start: float = 0.0, end: float = 1.0) -> float:
        """Of a chunk's cost to that of streams that were sent in turn with these, between two
        shares of the stream: the median of the parts.
        """
        ratios = [a / b for a, b in zip(self.chunk_us, other.chunk_us, strict=False)]
        first = int(start * len(ratios))
        return median(ratios[first : max(int(end * len(ratios)), first + 1)])

    def at(self, tokens: int) -> int | None:
        """The part that ends with that token."""
        return self.ends.index(tokens) if tokens in self.ends else None


class Plan(NamedTuple):
    """What is sent. output, prompt: token IDs. size: tokens a chunk. seconds: then it stops."""

    output: Sequence[int]
    prompt: Sequence[int]
    size: int = 1
    streams: int = 8
    lean: bool = True
    seconds: float = 600.0
    parts: int = PARTS


class Stream:
    """The client of one stream."""

    def __init__(self, target: Target, plan: Plan, number: int) -> None:
        self.connection = Connection(target, Load())
        self.plan, self.at, self.state, self.longest = plan, 0, b"null", 0
        self.id = f"chatcmpl-bench-{number}"
        self.model = {"model": target.model} if target.model else {}
        chat = orjson.dumps({**self.model, **CHAT})
        prompt = orjson.dumps(list(plan.prompt))
        self.once = b',"chat_request":%b,"prompt_token_ids":%b' % (chat, prompt)
        self.once += b',"prompt_tokens":%d' % len(plan.prompt)

    def body(self) -> bytes:
        """Of the next chunk. Encoded in parts: the client must not be slower than the server."""
        plan = self.plan
        ids = plan.output[self.at : self.at + plan.size]
        last = self.at + plan.size >= len(plan.output)
        choice = {"index": 0, "token_ids": ids, "finish_reason": "length" if last else None}
        chunk = {"request_id": self.id, **self.model, "choices": [choice]}
        once = self.once if self.at == 0 or not plan.lean else b""
        return b'{"stream":true,"generate_chunk":%b,"stream_state":%b%b}' % (
            orjson.dumps(chunk),
            self.state,
            once,
        )

    async def to(self, end: int, deadline: float) -> None:
        """Send chunks up to this token."""
        while self.at < end and time.monotonic() < deadline:
            answer = orjson.loads(await self.connection.ask(PATH, self.body()))
            self.at += self.plan.size
            state = answer.get("stream_state")
            self.state = orjson.dumps(state)
            self.longest = max(self.longest, len(self.state))


class Group:
    """The streams of one plan, sent side by side: all through one part before the next one."""

    def __init__(self, target: Target, plan: Plan) -> None:
        self.target = target
        self.streams = [Stream(target, plan, number) for number in range(plan.streams)]
        client = "lean" if plan.lean else "vLLM's"
        self.found = Streams(target.name, client, plan.streams, plan.size, len(plan.prompt))
        length = len(plan.output)
        step = max(length // plan.parts // plan.size, 1) * plan.size
        self.ends = [*range(step, length, step), length]
        self.seconds = self.left = plan.seconds

    async def send(self, end: int) -> Load:
        """Up to this token. Raises BenchError."""
        begun, part = time.monotonic(), Load()
        for stream in self.streams:
            stream.connection.load = part
        deadline = begun + self.left
        lanes = (stream.to(end, deadline) for stream in self.streams)
        await together(self.target, part, lanes)
        self.left -= time.monotonic() - begun
        if self.left > 0:
            self.found.add(end, part)
        else:
            self.found.stopped = min(stream.at for stream in self.streams)
        return part

    def result(self) -> Streams:
        if not self.found.ends:
            where = f"no {self.ends[0]} tokens within {self.seconds:.0f} seconds"
            raise BenchError(f"{self.target.name}: {where}")
        self.found.state = max(stream.longest for stream in self.streams)
        return self.found

    def close(self) -> None:
        for stream in self.streams:
            stream.connection.close()


def run_streams(
    runs: Sequence[tuple[Target, Plan]], tick: Callable[[float], None]
) -> list[Streams]:
    """The first part of each run, the second of each, and so on. tick: is told the share that is
    done. Raises BenchError.
    """
    return uvloop.run(_in_turn([Group(target, plan) for target, plan in runs], tick))


async def _in_turn(groups: Sequence[Group], tick: Callable[[float], None]) -> list[Streams]:
    parts = max(len(group.ends) for group in groups)
    try:
        for part in range(parts):
            turn = part % len(groups)  # none is always the one after the same other one
            for group in (*groups[turn:], *groups[:turn]):
                if part < len(group.ends) and group.found.stopped is None:
                    await group.send(group.ends[part])
            tick((part + 1) / parts)
        return [group.result() for group in groups]
    finally:
        for group in groups:
            group.close()


def typical_answer(target: Target, plan: Plan) -> bytes:
    """The answer to the second chunk of a stream, for the floor to give."""

    async def ask() -> bytes:
        stream = Stream(target, plan, 0)
        try:
            await stream.to(2 * plan.size, time.monotonic() + plan.seconds)
            return await stream.connection.ask(PATH, stream.body())
        finally:
            stream.connection.close()

    return asyncio.run(ask())
