"""What a streamed chunk waits for: alone, and while very long renders run on the same server.

Both in turn. The renders come from a process of their own, so that the client of the chunks is held
up by nothing but the CPUs that all of them share.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection as Pipe

import orjson
import uvloop

from .bench_load import BenchError, Connection, Load, Target
from .bench_renders import RENDER, Text
from .bench_streams import Group, Plan

START = 60.0  # seconds for the process to make its requests
PARTS = 40  # of the streams; renders go on for some of them


@dataclass
class Delay:
    """render_tokens: of each of the renders that were answered meanwhile."""

    render_tokens: int
    renders: int = 0
    quiet: Load = field(default_factory=Load)
    beside: Load = field(default_factory=Load)

    @property
    def ratio(self) -> float:
        """Of the p99."""
        return self.beside.latency_ms(0.99) / self.quiet.latency_ms(0.99)


def run_delay(
    target: Target,
    plan: Plan,
    text: Text,
    tokens: int,
    rounds: int,
    renders: int,
    tick: Callable[[float], None],
) -> Delay:
    """tokens: of a render. renders: in each of the rounds, one after another. Raises BenchError."""
    context = multiprocessing.get_context("spawn")
    ours, its = context.Pipe()
    bodies = [_body(target, text.of(tokens)) for _ in range(rounds * renders)]
    other = context.Process(target=_send_renders, args=(its, target, bodies, renders), daemon=True)
    other.start()
    its.close()
    try:
        _received(ours, START)
        found = Delay(tokens, rounds * renders)
        uvloop.run(_run(target, plan._replace(parts=PARTS), ours, rounds, found, tick))
        return found
    finally:
        ours.close()
        other.terminate()
        other.join()


async def _run(
    target: Target, plan: Plan, pipe: Pipe, rounds: int, found: Delay,
    tick: Callable[[float], None],
) -> None:  # fmt: skip
    chunks = _Chunks(target, plan)
    try:
        await chunks.part()
        for done in range(rounds):
            for _ in range(2):
                found.quiet.add(await chunks.part())
            pipe.send(True)
            while not pipe.poll():
                found.beside.add(await chunks.part())
            _received(pipe, 0)
            tick((done + 1) / rounds)
    finally:
        chunks.group.close()


class _Chunks:
    """Parts of streams without end: new ones begin where those before have ended."""

    def __init__(self, target: Target, plan: Plan) -> None:
        self._target, self._plan = target, plan
        self._begin()

    def _begin(self) -> None:
        self.group = Group(self._target, self._plan)
        self._ends = iter(self.group.ends)

    async def part(self) -> Load:
        end = next(self._ends, None)
        if end is None:
            self.group.close()
            self._begin()
            end = next(self._ends)
        return await self.group.send(end)


def _body(target: Target, text: str) -> bytes:
    model = {"model": target.model} if target.model else {}
    return orjson.dumps(
        {**model, "messages": [{"role": "user", "content": text}], "max_tokens": 16}
    )


def _received(pipe: Pipe, seconds: float) -> None:
    """Raises BenchError with what went wrong in the other process."""
    try:
        error = pipe.recv() if pipe.poll(seconds) else "the renders did not begin"
    except EOFError:
        error = "the renders ended early"
    if error:
        raise BenchError(error)


def _send_renders(pipe: Pipe, target: Target, bodies: list[bytes], count: int) -> None:
    """In the other process: so many of them whenever it is told. It tells an error, or None."""
    uvloop.run(_answer(pipe, target, bodies, count))


async def _answer(pipe: Pipe, target: Target, bodies: list[bytes], count: int) -> None:
    connection = Connection(target, Load())
    pipe.send(None)
    for start in range(0, len(bodies), count):
        pipe.recv()
        try:
            for body in bodies[start : start + count]:
                await connection.ask(RENDER, body)
        except BenchError as error:
            pipe.send(str(error))
            return
        pipe.send(None)
