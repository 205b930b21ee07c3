"""A client of the three parts, with the standard library alone: render, generate, derender.

One turn of a chat is one request to /render, one to the engine, and one to /derender for each
event that the engine streams. Between those the client only carries: `token_ids` to the engine
and to the first derender call, `stream_state` from each derender answer to the next call.
"""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

TIMEOUT = 300.0  # seconds


class DemoError(Exception):
    """A part refused or was not there; the message names it."""


@dataclass
class Stage:
    """What one part cost a turn: its calls, seconds, and bytes of bodies both ways."""

    calls: int = 0
    seconds: float = 0.0
    sent: int = 0
    received: int = 0


@dataclass
class Turn:
    """What came of a turn. `calls` are OpenAI's `tool_calls`; `state` is the longest one, bytes."""

    reasoning: str = ""
    content: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list)
    finish_reason: str | None = None
    usage: dict[str, Any] | None = None
    state: int = 0
    render: Stage = field(default_factory=Stage)
    engine: Stage = field(default_factory=Stage)
    derender: Stage = field(default_factory=Stage)

    def message(self) -> dict[str, Any]:
        """The assistant message to put into the history."""
        message: dict[str, Any] = {"role": "assistant", "content": self.content or None}
        if self.reasoning:
            message["reasoning"] = self.reasoning
        if self.calls:
            message["tool_calls"] = self.calls
        return message

    def add(self, delta: dict[str, Any]) -> None:
        """Merge a delta of OpenAI's stream."""
        self.reasoning += delta.get("reasoning") or ""
        self.content += delta.get("content") or ""
        for part in delta.get("tool_calls") or ():
            if part["index"] == len(self.calls):
                function = {"name": "", "arguments": ""}
                self.calls.append({"id": part["id"], "type": "function", "function": function})
            function = self.calls[part["index"]]["function"]
            for name in function:
                function[name] += (part.get("function") or {}).get(name) or ""


class Part:
    """One of the servers, by its base URL. Raises DemoError where it does not answer with 200."""

    def __init__(self, url: str) -> None:
        self.url = url
        address = urlsplit(url)
        kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
        if address.scheme not in kinds or not address.netloc:
            raise DemoError(f"not a URL of a server: {url!r}")
        self.base = address.path.rstrip("/")
        self.connection = kinds[address.scheme](address.netloc, timeout=TIMEOUT)

    def open(self, path: str, body: Any = None, stage: Stage | None = None) -> Any:
        """The response to a POST of a JSON body, or to a GET without one, not yet read."""
        data = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        try:
            self.connection.request(
                "GET" if data is None else "POST",
                self.base + path,
                data,
                {"Content-Type": "application/json"},
            )
            response = self.connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            raise DemoError(f"{self.url} does not answer: {error}") from None
        if stage is not None:
            stage.calls += 1
            stage.sent += len(data or b"")
        if response.status != 200:
            words = response.read().decode(errors="replace")[:500]
            raise DemoError(f"{self.url}{path} answered {response.status}: {words}")
        return response

    def ask(self, path: str, body: Any = None, stage: Stage | None = None) -> Any:
        """The JSON answer; the time until it is there is added to the stage."""
        start = time.perf_counter()
        raw = self.open(path, body, stage).read()
        if stage is not None:
            stage.seconds += time.perf_counter() - start
            stage.received += len(raw)
        return json.loads(raw)

    def events(self, path: str, body: Any, stage: Stage) -> Iterator[Any]:
        """The JSON bodies of a stream of server-sent events; waiting for them is timed."""
        start = time.perf_counter()
        for line in self.open(path, body, stage):
            stage.received += len(line)
            if line.startswith(b"data: ") and line.strip() != b"data: [DONE]":
                stage.seconds += time.perf_counter() - start
                yield json.loads(line[6:])
                start = time.perf_counter()
        stage.seconds += time.perf_counter() - start


class Client:
    """The parts may be one server or many: none of them remembers anything."""

    def __init__(self, render: str, engine: str, derender: str) -> None:
        self.render, self.engine, self.derender = Part(render), Part(engine), Part(derender)
        self.engine_model = self.engine.ask("/v1/models")["data"][0]["id"]

    def prompt(self, chat: dict[str, Any], stage: Stage) -> dict[str, Any]:
        """The generate request of a chat request, addressed to the engine's model."""
        generate = self.render.ask("/v1/chat/completions/render", chat, stage)
        return {**generate, "model": self.engine_model}

    def spelled(self, token_ids: list[int]) -> tuple[str, set[str]]:
        """A prompt's text, and which of its tokens stand for a marker."""
        text = self.render.ask("/detokenize", {"tokens": token_ids})["prompt"]
        question = {"prompt": text, "add_special_tokens": False, "return_token_strs": True}
        tokens = set(self.render.ask("/tokenize", question)["token_strs"] or ())
        return text, {t for t in tokens if len(t) > 3 and t[0] in "<[" and t[-1] in ">]"}

    def answer(
        self,
        chat: dict[str, Any],
        generate: dict[str, Any],
        turn: Turn,
        show: Callable[[dict[str, Any]], None],
    ) -> None:
        """Stream the answer into `turn`; `show` gets each delta as it is parsed."""
        state = None
        once = {
            "prompt_token_ids": generate["token_ids"],
            "prompt_tokens": len(generate["token_ids"]),
        }
        events = self.engine.events("/inference/v1/generate", generate, turn.engine)
        for event in events:
            question = {
                "stream": True,
                "generate_chunk": event,
                "stream_state": state,
                "chat_request": chat,
                **once,
            }
            once = {}
            reply = self.derender.ask("/v1/chat/completions/derender", question, turn.derender)
            state, chunk = reply["stream_state"], reply["chunk"]
            turn.state = max(turn.state, len(json.dumps(state, separators=(",", ":"))))
            turn.usage = chunk.get("usage") or turn.usage
            for choice in chunk["choices"]:
                turn.add(choice["delta"])
                turn.finish_reason = choice.get("finish_reason") or turn.finish_reason
                show(choice["delta"])
