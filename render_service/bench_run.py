"""One run of the benchmark: starts the servers, has each measured, fills the report."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import orjson

from .bench_delay import run_delay
from .bench_load import FLOOR, OURS, BenchError, Target, ask, cpu_seconds, memory_bytes, settle
from .bench_parsers import cost, formats
from .bench_progress import Progress
from .bench_renders import FULL, QUICK, Kind, Text, kinds, measured, run_kind
from .bench_report import Report
from .bench_sizing import Sizing
from .bench_streams import Plan, run_streams, typical_answer
from .bench_workers import Workers, how_many, run_workers
from .local_server import LocalServer
from .options import OPTIONS
from .settings import Settings
from .usage_error import read_given

START = 180.0  # seconds until the server must be ready
PATIENCE = 5.0  # seconds for a peer to say which model it serves
PEER_SECONDS, QUICK_PEER_SECONDS = 120, 15  # for one stream, whose chunks may cost ever more
LONG = 100_000  # tokens of a prompt that is very long
WARM = 80  # tokens of the streams that warm a server
ELSEWHERE = (
    "host", "port", "uds", "ssl_keyfile", "ssl_certfile", "ssl_ca_certs", "ssl_cert_reqs",
    "ssl_ciphers", "enable_ssl_refresh",
)  # fmt: skip
"""Where to listen is for the benchmark to say."""


class Bench:
    """One run. The stack ends the servers that it starts."""

    def __init__(self, args: argparse.Namespace, settings: Settings, stack: ExitStack) -> None:
        self.args, self.settings, self.stack = args, settings, stack
        self.sizes = QUICK if args.quick else FULL
        self.report = Report(_served(settings))
        self.progress = Progress(sys.stderr)

    def run(self, given: Sequence[Target]) -> Report:
        """given: the peers. Raises BenchError, ServerFailed."""
        self.progress.step("starting the servers")
        peers = [self._peer(peer) for peer in given]
        self.report.peers = [peer.name for peer in peers]
        ours = self._start(self.stack)[0]
        server = self.stack.enter_context(LocalServer(["render_service.bench_floor"]))
        floor = Target(FLOOR, server.url, server.process.pid)
        for target in (ours, *peers):
            settle(target.pid)
        text = measured(lambda path, body: ask(ours, path, body))
        limit = int(ask(ours, "/v1/models")["data"][0]["max_model_len"])
        plan = self._plan(ours, text, limit)
        self._streams(ours, floor, plan, limit)
        self._against(ours, peers, plan)
        for kind in kinds(text, plan.output, self.sizes, limit, self._tool_choice()):
            self._requests(kind, ours, peers)
        self._delay(ours, plan, text, limit)
        self._parsers()
        self._size(ours)
        for target in (ours, *peers):
            self.report.memory[target.name] = memory_bytes(target.pid)
        self._workers(plan)
        self.progress.end()
        return self.report

    def _tool_choice(self) -> str:
        """`auto` is refused where no tool calls are parsed."""
        if self.settings.enable_auto_tool_choice:
            return "auto"
        self.report.notes.append(
            'conversations have tools with tool_choice "none": no --enable-auto-tool-choice'
        )
        return "none"

    def _start(self, stack: ExitStack, *flags: str) -> tuple[Target, float]:
        """Ours with the given flags and these; seconds until it was ready."""
        command = ["render_service", "serve", *served_flags(self.args)]
        if not self.settings.disable_uvicorn_access_log:
            command.append("--disable-uvicorn-access-log")
        begun = time.monotonic()
        server = stack.enter_context(LocalServer([*command, *flags], ready="/ready", timeout=START))
        seconds = time.monotonic() - begun
        keys = self.settings.api_key
        target = Target(OURS, server.url, server.process.pid, key=keys[0] if keys else None)
        return _with_model(target), seconds

    def _peer(self, peer: Target) -> Target:
        cpu_seconds(peer.pid)  # that it is there
        return _with_model(peer._replace(key=os.environ.get("VLLM_API_KEY")), PATIENCE)

    def _plan(self, ours: Target, text: Text, limit: int) -> Plan:
        def ids(words: str, count: int) -> list[int]:
            body = {"prompt": words, "add_special_tokens": False}
            found: list[int] = ask(ours, "/tokenize", body)["tokens"]
            if not found:
                raise BenchError("the output has no tokens")
            return (found * (count // len(found) + 1))[:count]

        length = min(400 if self.args.quick else 4000, limit // 2)
        prompt = min(self.args.prompt_tokens, limit // 4)
        given = getattr(self.args, "output", None)
        output = text.of(length) if given is None else read_given(given).decode(errors="replace")
        return Plan(ids(output, length), ids(text.of(prompt), prompt))

    def _streams(self, ours: Target, floor: Target, plan: Plan, limit: int) -> None:
        """Ours and the floor in turn, and ours after a very long prompt."""
        warm = plan._replace(output=plan.output[:WARM])
        run_streams([(ours, warm)], _untold)
        ask(floor, "/answer", orjson.loads(typical_answer(ours, plan)))
        run_streams([(floor, warm)], _untold)
        tokens = min(LONG, limit - len(plan.output))
        prompt = (list(plan.prompt) * (tokens // len(plan.prompt) + 1))[:tokens]
        runs = [(ours, plan), (floor, plan), (ours, plan._replace(prompt=prompt))]
        self._in_turn("streams of ours, the floor, and after a long prompt", runs)
        if (size := self.args.tokens_per_chunk) > 1:
            self._in_turn(f"streams, {size} tokens a chunk", [(ours, plan._replace(size=size))])

    def _against(self, ours: Target, peers: Sequence[Target], plan: Plan) -> None:
        """One stream, as vLLM's client sends it; a peer may only render."""
        seconds = self.args.peer_seconds or (
            QUICK_PEER_SECONDS if self.args.quick else PEER_SECONDS
        )
        alone = plan._replace(streams=1, lean=False, seconds=float(seconds))
        runs = [(ours, alone)]
        for peer in peers:
            try:
                self.progress.step(f"{peer.name}: the beginning of a stream")
                run_streams([(peer, alone._replace(output=plan.output[:4], parts=1))], _untold)
                runs.append((peer, alone))
            except BenchError as error:
                self.report.notes.append(f"no streams of {peer.name}: {error}")
        self._in_turn("one stream, vLLM's client", runs)

    def _in_turn(self, title: str, runs: Sequence[tuple[Target, Plan]]) -> None:
        self.progress.step(title)
        found = run_streams(runs, self.progress.share)
        for one, (_, plan) in zip(found, runs, strict=True):
            if one.stopped is not None:
                self.report.notes.append(
                    f"{one.target}: a stream was stopped at token {one.stopped:,} of "
                    f"{len(plan.output):,} after {plan.seconds:.0f} seconds"
                )
        self.report.streams += found

    def _requests(self, kind: Kind, ours: Target, peers: Sequence[Target]) -> None:
        self.progress.step(f"{kind.name}, {kind.tokens:,} tokens")
        able = [ours]
        for peer in peers:
            try:
                run_kind([peer], kind._replace(parts=[]))
                able.append(peer)
            except BenchError as error:
                self.report.notes.append(f"no {kind.name} of {peer.name}: {error}")
        self.report.requests += run_kind(able, kind)

    def _delay(self, ours: Target, plan: Plan, text: Text, limit: int) -> None:
        tokens, rounds = int(min(LONG, limit * 0.8)), 2 if self.args.quick else 8
        self.progress.step(f"streams beside renders of {tokens:,} tokens")
        self.report.delay = run_delay(ours, plan, text, tokens, rounds, 8, self.progress.share)

    def _workers(self, plan: Plan) -> None:
        """As many services of one worker and one of several in turn, on servers of their own."""
        count = how_many()
        self.progress.step(f"1 worker, and {count}")
        with ExitStack() as stack:
            ones = [self._start(stack, "--workers=1") for _ in range(count)]
            many, seconds = self._start(stack, f"--workers={count}")
            targets = [target for target, _ in ones]
            for target in (*targets, many):
                settle(target.pid)
            found = Workers(1, ones[0][1]), Workers(count, seconds)
            run_workers(targets, many, found, plan, self.progress.share)
            self.report.workers = [*found]

    def _parsers(self) -> None:
        self.progress.step("parsers, by name")
        every = formats()
        for number, facts in enumerate(every, 1):
            self.report.parsers.append(cost(facts, 200 if self.args.quick else 1000))
            self.progress.share(number / len(every))

    def _size(self, ours: Target) -> None:
        """By the streams with as many tokens a chunk, and the shorter of the renders."""
        size = self.args.tokens_per_chunk
        found = self.report.streams
        chunk = next(
            one
            for one in found
            if one.client == "lean" and one.target == OURS and one.tokens_per_chunk == size
        )
        render = next(one for one in self.report.requests if one.target == ours.name)
        self.report.sizing = Sizing(
            self.args.streams, self.args.tokens_per_second, size,
            chunk.typical_us(), render.load.cpu_us, self.args.answer_tokens, self.settings.workers,
        )  # fmt: skip


def _untold(share: float) -> None:
    """Too short to be told how far it is."""


def _with_model(target: Target, seconds: float | None = None) -> Target:
    try:
        model = str(ask(target, "/v1/models", seconds=seconds)["data"][0]["id"])
    except (ValueError, LookupError, TypeError):
        raise BenchError(f"{target.name}: {target.url}/v1/models names no model") from None
    return target._replace(model=model)


def served_flags(args: argparse.Namespace) -> Iterator[str]:
    """The words for `serve` that were given to us, but where to listen."""
    given: dict[str, Any] = vars(args)
    if "model" in given:
        yield given["model"]
    if "config" in given:
        yield f"--config={given['config']}"
    for name, option in OPTIONS.items():
        if name not in given or name in ELSEWHERE:
            continue
        value = given[name]
        if option.kind.shape == "switch":
            yield option.flag if value else "--no-" + option.flag[2:]
        elif option.kind.shape == "many":
            yield from (option.flag, *value)
        elif option.kind.shape == "repeated":
            yield from (f"{option.flag}={word}" for word in value)
        else:
            yield f"{option.flag}={value}"


def _served(settings: Settings) -> str:
    parts = [settings.model or "the demo model"]
    parts += [f"tool calls by {settings.tool_call_parser}"] if settings.tool_call_parser else []
    parts += [f"reasoning by {settings.reasoning_parser}"] if settings.reasoning_parser else []
    return ", ".join(parts)
