"""One request after another sent to two servers, and what differs in their answers, step by step.

Steps: `render`, `tokenize` (and detokenize), `derender` of whole outputs, and `stream`: the same
outputs in chunks, each server with its own states. Outputs that are text become token IDs through
the servers' own /tokenize.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from . import compare_outputs
from .answer_differences import ABSENT, Difference, answer_differences, as_whole, joined_chat
from .compare_outputs import Generated
from .corpus.case import CHAT, COMPLETION, DETOKENIZE, TOKENIZE, Case, Output
from .http_client import HttpClient, Unreachable

STEPS = ("render", "tokenize", "derender", "stream")
DERENDER = {CHAT: compare_outputs.CHAT, COMPLETION: compare_outputs.COMPLETION}
OWN_STREAM = "the peer's stream says something else than its answer to the whole output"
Json = dict[str, Any]
Answer = tuple[int, Any]


class Compared(NamedTuple):
    """skipped: why nothing was compared, else None. known: why what was found is to be expected."""

    step: str
    case: str
    found: list[Difference]
    skipped: str | None = None
    known: str | None = None


class ServerLost(Exception):
    """A server did not answer; the message names it."""


class Server:
    def __init__(self, client: HttpClient) -> None:
        self._client = client

    def post(self, path: str, body: Mapping[str, Any] | bytes) -> Answer:
        """Status and JSON, or text where it is none. Raises ServerLost."""
        raw = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=True).encode()
        try:
            status, answer = self._client.ask(path, raw)
        except Unreachable as error:
            raise ServerLost(f"{self._client.url} does not answer {path}: {error}") from None
        try:
            return status, json.loads(answer)
        except ValueError:
            return status, answer.decode(errors="replace")


class Comparison:
    """steps: those of STEPS that are wanted. chunks: sizes in tokens. model: instead of a
    request's."""

    def __init__(
        self,
        peer: Server,
        ours: Server,
        *,
        steps: Sequence[str] = STEPS,
        chunks: Sequence[int] = (1, 7),
        model: str | None = None,
    ) -> None:
        self._servers = (peer, ours)
        self._steps = frozenset(steps)
        self._chunks = chunks
        self._model = model

    def run(self, case: Case) -> Iterator[Compared]:
        try:
            yield from self._run(case)
        except (
            AttributeError,
            KeyError,
            TypeError,
        ) as error:  # JSON, but no answer of such a server
            fault = f"an answer has another form: {type(error).__name__}: {error}"
            yield Compared("derender", case.name, [Difference("form", fault, ABSENT)])

    def _run(self, case: Case) -> Iterator[Compared]:
        body = case.body
        if self._model is not None and not isinstance(body, bytes):
            body = {**body, "model": self._model}
        if case.path in DERENDER.values():
            yield from self._recorded(case, body)
        elif case.path in (TOKENIZE, DETOKENIZE):
            yield from self._posted("tokenize", case.name, case.path, body)
        elif "render" in self._steps or (case.outputs and self._steps & {"derender", "stream"}):
            yield from self._rendered(case, body)

    def _rendered(self, case: Case, body: Mapping[str, Any] | bytes) -> Iterator[Compared]:
        theirs, mine = (server.post(case.path, body) for server in self._servers)
        if "render" in self._steps:
            yield _compared("render", case.name, theirs, mine)
        if not case.outputs or isinstance(body, bytes) or case.path not in DERENDER:
            return
        if theirs[0] != 200 or mine[0] != 200:
            yield Compared("derender", case.name, [], "the request was refused")
            return
        tokens = [self._tokens(output) for output in case.outputs]
        if "tokenize" in self._steps:
            for index, (a, b) in enumerate(tokens):
                yield _compared("tokenize", f"{case.name}, text {index}", a, b)
        ids = [a[1]["tokens"] for a, _ in tokens if a[0] == 200]
        if len(ids) < len(tokens):
            yield Compared("derender", case.name, [], "the output was not tokenized")
            return
        outputs = list(zip(case.outputs, ids, strict=True))
        prompts = [one["token_ids"] for one in _requests(theirs[1])]
        sides = []
        for _, rendered in (theirs, mine):  # each with its own request ID
            requests = [
                {**one, "token_ids": prompt}
                for one, prompt in zip(_requests(rendered), prompts, strict=False)
            ]
            sides.append(compare_outputs.generated(DERENDER[case.path], body, requests, outputs))
        yield from self._derendered(case.name, sides[0], sides[1])

    def _recorded(self, case: Case, body: Mapping[str, Any] | bytes) -> Iterator[Compared]:
        output = None
        if not isinstance(body, bytes):
            try:
                output = compare_outputs.recorded(case.path, body)
            except (KeyError, TypeError, AttributeError):  # a body that is to be refused
                yield from self._posted("derender", case.name, case.path, body)
                return
        if output is None:
            yield Compared("derender", case.name, [], "a chunk needs its own server's state")
            return
        yield from self._derendered(case.name, output, output)

    def _derendered(self, name: str, theirs: Generated, mine: Generated) -> Iterator[Compared]:
        if "derender" in self._steps:
            bodies = compare_outputs.whole(theirs), compare_outputs.whole(mine)
            a, b = self._both(theirs.path, *bodies)
            yield _compared("derender", name, a, b)
        if "stream" not in self._steps:
            return
        for size in self._chunks:
            streams = compare_outputs.streams(theirs, size), compare_outputs.streams(mine, size)
            for index, (left, right) in enumerate(zip(*streams, strict=True)):
                a = _streamed(self._servers[0], theirs.path, left)
                b = _streamed(self._servers[1], theirs.path, right)
                label = f"{name}, stream {index} by {size}"
                found = answer_differences(a, b)
                known = OWN_STREAM if found and self._only_ours_is_whole(theirs, mine, b) else None
                yield Compared("stream", label, found, known=known)

    def _only_ours_is_whole(self, theirs: Generated, mine: Generated, ours: Answer) -> bool:
        """Whether both agree on the whole output, and our stream with it: the peer's does not."""
        if theirs.path != compare_outputs.CHAT or ours[0] != 200:
            return False
        bodies = compare_outputs.whole(theirs), compare_outputs.whole(mine)
        a, b = self._both(theirs.path, *bodies)
        return b[0] == 200 and not answer_differences(a, b) and as_whole(ours[1], b[1])

    def _tokens(self, output: Output) -> tuple[Answer, Answer]:
        if isinstance(output.text, list):
            return (200, {"tokens": output.text}), (200, {"tokens": output.text})
        body: Json = {"prompt": output.text, "add_special_tokens": False}
        if self._model is not None:
            body["model"] = self._model
        return self._both(TOKENIZE, body, body)

    def _posted(
        self, step: str, name: str, path: str, body: Mapping[str, Any] | bytes
    ) -> Iterator[Compared]:
        if step in self._steps:
            yield _compared(step, name, *self._both(path, body, body))

    def _both(
        self, path: str, left: Mapping[str, Any] | bytes, right: Mapping[str, Any] | bytes
    ) -> tuple[Answer, Answer]:
        return self._servers[0].post(path, left), self._servers[1].post(path, right)


def _streamed(server: Server, path: str, bodies: Sequence[Json]) -> Answer:
    """Joined for a chat, chunk by chunk for a completion; where one was refused, that answer."""
    state, chunks = None, []
    for body in bodies:
        status, answer = server.post(path, {**body, "stream_state": state})
        if status != 200 or not isinstance(answer, dict):
            return status, answer
        state = answer.get("stream_state")
        chunks.append(answer["chunk"])
    return 200, joined_chat(chunks) if path == compare_outputs.CHAT else {"chunks": chunks}


def _requests(rendered: Any) -> list[Json]:
    return rendered if isinstance(rendered, list) else [rendered]


def _compared(step: str, name: str, theirs: Answer, mine: Answer) -> Compared:
    return Compared(step, name, answer_differences(theirs, mine))
