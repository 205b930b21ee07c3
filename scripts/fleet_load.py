"""Many streams at once through a load balancer: is every answer whole, and the same?

A stream is a chat: rendered, its output derendered chunk by chunk with a pause in between, as an
engine would write it. What is joined in the end must equal what /derender makes of the whole output
in one request. Nothing is tried again here: what the load balancer does not hide is counted.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import uvloop

from render_service.demo_client import Turn
from render_service.kept_connection import KeptConnection

Json = dict[str, Any]

WORDS = "The café in 東京 is open until nine 🎉, and then it closes.\n"
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Zürich 🏔️"}}\n</tool_call>'
OUTPUTS = (
    f"<think>\n{WORDS}</think>\n\n{WORDS * 4}",
    f"<think>\n{WORDS * 3}</think>\n\n{WORDS}{CALL}",
    f"So:\n{CALL}\n{CALL}",
    f"<think>\n{WORDS * 5}",  # cut short in its reasoning
)
CHAT: Json = {
    "messages": [{"role": "user", "content": "What is the weather in Zürich?"}],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "get_weather",
                "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
            },
        }
    ],
}
DERENDER = "/v1/chat/completions/derender"


class Refused(Exception):
    """An answer other than 200, or none."""


class Connection:
    """A client's connection that is kept alive. Raises Refused."""

    def __init__(self, url: str) -> None:
        self._kept = KeptConnection(url)
        self.close = self._kept.close

    async def post(self, path: str, body: Json) -> Json:
        try:
            answered = self._kept.ask(path, json.dumps(body).encode())
            status, content = await asyncio.wait_for(answered, 120)
        except (OSError, EOFError, TimeoutError) as error:
            raise Refused(f"{path}: {error!r}") from None
        if status != 200:
            raise Refused(f"{path}: {status} {content[:300]!r}")
        answer: Json = json.loads(content)
        return answer


@dataclass
class Report:
    """streams: complete ones, altered ones among them; lost: those that an error ended."""

    streams: int = 0
    altered: int = 0
    errors: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # of each chunk

    @property
    def exit_code(self) -> int:
        return 1 if self.altered or self.errors or not self.streams else 0

    def __str__(self) -> str:
        times = sorted(self.seconds) or [0.0]
        half, most = (times[int(len(times) * part)] * 1000 for part in (0.5, 0.99))
        lines = [f"error: {error}" for error in self.errors[:5]]
        lines.append(
            f"{self.streams} streams, {len(self.seconds)} chunks, {len(self.errors)} errors, "
            f"{self.altered} altered, {len(self.errors)} lost; "
            f"a chunk took {half:.1f} ms (99%: {most:.1f} ms)"
        )
        return "\n".join(lines)


def joined(answers: Sequence[Json]) -> Json:
    """The message and the reason for its end that streamed answers come to."""
    turn = Turn()
    for answer in answers:
        for choice in answer["chunk"]["choices"]:
            turn.finish_reason = choice["finish_reason"] or turn.finish_reason
            turn.add(choice["delta"])
    return {
        "content": turn.content,
        "reasoning": turn.reasoning,
        "tool_calls": turn.calls,
        "finish_reason": turn.finish_reason,
    }


def whole(answer: Json) -> Json:
    """The same of an answer to the whole output."""
    (choice,) = answer["choices"]
    message = choice["message"]
    return {
        "content": message["content"] or "",
        "reasoning": message["reasoning"] or "",
        "tool_calls": message.get("tool_calls") or [],
        "finish_reason": choice["finish_reason"],
    }


async def stream(
    connection: Connection, ids: Sequence[int], chance: random.Random, pace: float, report: Report
) -> None:
    """One output, in chunks of 1 to 8 tokens. Raises Refused."""
    generate = await connection.post("/v1/chat/completions/render", CHAT)
    prompt = {"prompt_token_ids": generate["token_ids"], "chat_request": CHAT}
    answers: list[Json] = []
    at, state = 0, None
    while at < len(ids):
        await asyncio.sleep(pace * chance.uniform(0.5, 1.5))
        part = ids[at : at + chance.randint(1, 8)]
        at += len(part)
        body: Json = {
            "stream": True,
            "generate_chunk": generated(generate, part, "stop" if at >= len(ids) else None),
            "stream_state": state,
        }
        begin = time.perf_counter()
        answer = await connection.post(DERENDER, body | prompt if state is None else body)
        report.seconds.append(time.perf_counter() - begin)
        answers.append(answer)
        state = answer["stream_state"]
    body = {"generate_response": generated(generate, ids, "stop"), **prompt}
    report.altered += joined(answers) != whole(await connection.post(DERENDER, body))
    report.streams += 1


def generated(generate: Json, ids: Sequence[int], finish: str | None) -> Json:
    choice = {"index": 0, "token_ids": ids, "finish_reason": finish}
    return {"request_id": generate["request_id"], "choices": [choice]}


async def client(
    number: int,
    url: str,
    outputs: Sequence[Sequence[int]],
    until: float,
    pace: float,
    report: Report,
) -> None:
    """One stream after another; the last one is finished."""
    chance = random.Random(number)
    connection = Connection(url)
    while time.monotonic() < until:
        try:
            await stream(connection, chance.choice(outputs), chance, pace, report)
        except Refused as error:
            report.errors.append(str(error))
            connection.close()
            connection = Connection(url)
    connection.close()


async def _run(url: str, clients: int, seconds: float, pace: float) -> Report:
    first, report = Connection(url), Report()
    question = {"add_special_tokens": False}
    outputs = [
        (await first.post("/tokenize", {"prompt": text, **question}))["tokens"] for text in OUTPUTS
    ]
    first.close()
    until = time.monotonic() + seconds
    await asyncio.gather(
        *(client(number, url, outputs, until, pace, report) for number in range(clients))
    )
    return report


def run(url: str, clients: int, seconds: float, pace: float) -> Report:
    """So many streams at a time for so many seconds. pace: seconds between a stream's chunks."""
    return uvloop.run(_run(url, clients, seconds, pace))
