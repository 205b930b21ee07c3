"""Memory of a server after many requests of mixed size, beside its memory after the first of them.

    python -m tests.long.memory [--requests 1000000] [--first 10000] [serve flags]

Sixteen clients stream answers (a new state with each chunk, as clients do), render chats from ten
to ten thousand words, all different, read whole outputs, tokenize, and send what is refused. The
first requests fill the caches, which are bounded, so that what grows later is something else: chats
of many messages, and 20 tools with each request of a derender. The memory is printed as the
requests pass; the exit code is 1 where it has grown by more than 5 percent from `--first` to the
end, or where an answer had another status than it should.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import orjson
import uvloop

from render_service.kept_connection import KeptConnection
from render_service.local_server import LocalServer
from tests.long.hostile import QUIET, resident
from tests.render_service.derender_client import PARSERS

CLIENTS = 16
LONG = 10_000  # words of a long chat
FILLING = 120  # with so many of them, in many messages, each client begins
GROWTH = 1.05
CHAT = "/v1/chat/completions"
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": f"tool_{number}",
            "parameters": {
                "type": "object",
                "properties": {
                    f"argument_{place}": {"type": "string", "description": f"number {place}"}
                    for place in range(4)
                },
            },
        },
    }
    for number in range(20)
]
WORDS = ("river", "stone", "naïve", "東京", "17", "café", "{", "print()", "\n\n", "lantern")


class Client:
    """One connection, kept alive, and the requests that go over it."""

    def __init__(self, url: str, seed: int) -> None:
        self._connection = KeptConnection(url)
        self._rng = Random(seed)
        self._requests = self._mixed()
        self._state: Any = None
        self.statuses: Counter[int] = Counter()

    async def ask(self) -> None:
        path, body, status = next(self._requests)
        got, content = await self._connection.ask(path, orjson.dumps(body))
        if status is None and got == 200:
            self._state = orjson.loads(content)["stream_state"]
        if got != (status or 200):
            raise SystemExit(f"{path} was answered {got}: {content[:500]!r}")
        self.statuses[got] += 1

    def _text(self, words: int) -> str:
        return " ".join(self._rng.choices(WORDS, k=words))

    def _ids(self, count: int) -> list[int]:
        return [self._rng.randrange(4, 400) for _ in range(count)]

    def _messages(self, words: int) -> dict[str, Any]:
        return {"messages": [{"role": "user", "content": self._text(words)}]}

    def _short(self) -> int:
        return int(10 ** self._rng.uniform(1, 2.5))

    def _conversation(self, words: int) -> dict[str, Any]:
        """Of messages that are as long as those of short chats."""
        lengths = [self._short()]
        while sum(lengths) < words:
            lengths.append(self._short())
        roles = itertools.cycle(("user", "assistant"))
        texts = zip(roles, map(self._text, lengths), strict=False)
        return {"messages": [{"role": role, "content": text} for role, text in texts]}

    def _mixed(self) -> Iterator[tuple[str, Any, int | None]]:
        """Path, body and status; None for a chunk, whose state the next one needs."""
        rng = self._rng
        for _ in range(FILLING):
            yield f"{CHAT}/render", self._conversation(LONG), 200
        while True:
            yield f"{CHAT}/render", self._messages(self._short()), 200
            if rng.random() < 0.02:
                yield f"{CHAT}/render", self._messages(LONG), 200
            yield "/tokenize", {"prompt": self._text(20)}, 200
            yield f"{CHAT}/render", {"messages": self._text(30)}, 400
            yield f"{CHAT}/derender", self._whole(), 200
            yield from self._streamed(rng.randrange(1, 40))

    def _output(self, ids: list[int], finish: str | None) -> dict[str, Any]:
        choice = {"index": 0, "token_ids": ids, "finish_reason": finish}
        return {"request_id": f"r{self._rng.random()}", "choices": [choice]}

    def _whole(self) -> dict[str, Any]:
        ids = self._ids(self._rng.randrange(1, 500))
        return {"generate_response": self._output(ids, "stop"), "chat_request": self._chat()}

    def _chat(self) -> dict[str, Any]:
        return {**self._messages(5), "tools": TOOLS}

    def _streamed(self, chunks: int) -> Iterator[tuple[str, Any, None]]:
        """Some streams are left before their end."""
        body: dict[str, Any] = {"stream": True, "chat_request": self._chat()}
        body["prompt_token_ids"] = self._ids(10)
        output = self._output([], None)
        for _ in range(chunks):
            output["choices"][0]["token_ids"] = self._ids(self._rng.choice((1, 1, 1, 4)))
            yield f"{CHAT}/derender", {**body, "generate_chunk": output}, None
            body = {"stream": True, "stream_state": self._state}


async def load(service: LocalServer, requests: int, first: int) -> float:
    """The memory at the end as a multiple of that after the first requests."""
    clients = [Client(service.url, seed) for seed in range(CLIENTS)]
    done, base = 0, 0

    async def ask(client: Client, until: int) -> None:
        nonlocal done
        while done < until:
            done += 1
            await client.ask()

    for until in marks(first, requests):
        await asyncio.gather(*(ask(client, until) for client in clients))
        memory = resident(service.process.pid)
        base = base or memory
        print(f"{done:>9,} requests {memory / 1e6:7.1f} MB {memory / base:6.3f}", flush=True)
    print(f"statuses: {dict(sum((client.statuses for client in clients), Counter()))}")
    return memory / base


def marks(first: int, last: int) -> list[int]:
    """Where the memory is looked at."""
    steps = [first * times for times in (1, 2, 5, 10, 20, 40, 60, 80)]
    return [step for step in steps if step < last] + [last]


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--first", type=int, default=10_000)
    args, flags = parser.parse_known_args(argv)
    # As the other cache, one that the first requests fill.
    cache = () if "--parser-cache-bytes" in flags else ("--parser-cache-bytes", "4M")
    with LocalServer(["render_service", "serve", *PARSERS, *QUIET, *cache, *flags]) as service:
        grown = uvloop.run(load(service, args.requests, args.first))
    return 1 if grown > GROWTH else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
