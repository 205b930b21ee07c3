"""`render-service bench [MODEL] [flags of serve]`: what this machine carries, measured now.

It starts the service with these flags and the floor beside it, both on free ports of 127.0.0.1,
sends each the same, and reads the CPU time of their processes. Another render server that already
runs is measured in the same run with --peer.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import orjson

from . import configuration
from .bench_load import BenchError, Target, ask, cpu_seconds, memory_bytes, post_all, settle
from .bench_page import page
from .bench_parsers import cost, formats
from .bench_progress import Progress
from .bench_renders import FULL, QUICK, Kind, Text, kinds, measured, run_kind
from .bench_report import FLOOR, OURS, PEER, Report
from .bench_sizing import Sizing
from .bench_streams import Plan, run_streams, typical_answer
from .command_parser import CommandParser
from .compare import positive
from .local_server import LocalServer, ServerFailed
from .options import OPTIONS
from .settings import Settings
from .stdout import reader_may_leave
from .usage_error import UsageError, read_given

START = 180.0  # seconds until the server must be ready
PEER_SECONDS = 120.0  # for one stream of a peer, whose chunks may cost ever more
ELSEWHERE = ("host", "port", "uds", "ssl_keyfile", "ssl_certfile", "ssl_ca_certs")
"""Where to listen is for the benchmark to say."""


def add_arguments(parser: CommandParser) -> None:
    configuration.add_arguments(parser, serves=False)
    parser.usage = f"{parser.prog} [MODEL] [flags of serve] [flags of the benchmark]"
    parser.epilog = "Exit code: 0; 1 where a server fails; 2 for mistakes of usage."
    group = parser.add_argument_group("benchmark")
    group.add_argument(
        "--quick", action="store_true", default=False, help="Shorter streams, fewer requests."
    )
    group.add_argument("--json", metavar="FILE", help="Write all figures.")
    group.add_argument("--html", metavar="FILE", help="Write them as one page with plots.")
    group.add_argument(
        "--streams", type=positive, default=1000, help="To be carried at once. Default: 1000."
    )
    group.add_argument(
        "--tokens-per-second", type=positive, default=50, help="Of one stream. Default: 50."
    )
    group.add_argument(
        "--tokens-per-chunk", type=positive, default=1, help="Of a stream. Default: 1."
    )
    group.add_argument(
        "--answer-tokens", type=positive, default=1000, help="Of one answer. Default: 1000."
    )
    group.add_argument(
        "--prompt-tokens", type=positive, default=3000, help="Of streams. Default: 3000."
    )
    group.add_argument(
        "--output", metavar="FILE", help="Text of a model's output for the streams, not prose."
    )
    group.add_argument("--peer", metavar="URL", help="Another render server of the same model.")
    group.add_argument("--peer-pid", type=positive, metavar="PID", help="Its process.")


def run(args: argparse.Namespace) -> int:
    """Exit code 1 where a server fails. Raises UsageError."""
    settings, _ = configuration.configure(args, os.environ)
    peer, pid = getattr(args, "peer", None), getattr(args, "peer_pid", None)
    if (peer is None) != (pid is None):
        raise UsageError("--peer and --peer-pid are needed together")
    try:
        with ExitStack() as stack:
            report = Bench(args, settings, stack).run(peer, pid)
    except (BenchError, ServerFailed) as error:
        print(f"render-service bench: {error}", file=sys.stderr)
        return 1
    with reader_may_leave():
        print(report.table())
    if name := getattr(args, "json", None):
        _write(name, orjson.dumps(report.builtin(), option=orjson.OPT_INDENT_2))
    if name := getattr(args, "html", None):
        _write(name, page(report).encode())
    return 0


def _write(name: str, content: bytes) -> None:
    try:
        Path(name).write_bytes(content)
    except OSError as error:
        raise UsageError(f"cannot write {name}: {error}") from None


class Bench:
    """One run. The stack ends the servers that it starts."""

    def __init__(self, args: argparse.Namespace, settings: Settings, stack: ExitStack) -> None:
        self.args, self.settings, self.stack = args, settings, stack
        self.sizes = QUICK if args.quick else FULL
        self.report = Report(_served(settings))
        self.progress = Progress(sys.stderr)

    def run(self, peer_url: str | None, peer_pid: int | None) -> Report:
        """Raises BenchError, ServerFailed."""
        self.progress.step("starting the servers")
        ours = self._start()
        floor_server = self.stack.enter_context(LocalServer(["render_service.bench_floor"]))
        floor = Target(FLOOR, floor_server.url, floor_server.process.pid)
        targets = [ours]
        if peer_url is not None and peer_pid is not None:
            targets.append(self._peer(peer_url, peer_pid))
        for target in targets:
            settle(target.pid)
        text = measured(lambda path, body: ask(ours, path, body))
        limit = int(ask(ours, "/v1/models")["data"][0]["max_model_len"])
        plan = self._plan(ours, text, limit)
        self._streams(ours, floor, targets, plan)
        for kind in kinds(text, plan.output, self.sizes, limit):
            self._requests(kind, targets)
        self._parsers()
        self._size(ours, plan)
        for target in targets:
            self.report.memory[target.name] = memory_bytes(target.pid)
        self.progress.end()
        return self.report

    def _start(self) -> Target:
        begun = time.monotonic()
        command = ["render_service", "serve", *served_flags(self.args)]
        if not self.settings.disable_uvicorn_access_log:
            command.append("--disable-uvicorn-access-log")
        server = self.stack.enter_context(LocalServer(command, timeout=START))
        self.report.start = time.monotonic() - begun
        keys = self.settings.api_key
        return self._named(OURS, server.url, server.process.pid, keys[0] if keys else None)

    def _peer(self, url: str, pid: int) -> Target:
        cpu_seconds(pid)  # that it is there
        return self._named(PEER, url, pid, os.environ.get("VLLM_API_KEY"))

    def _named(self, name: str, url: str, pid: int, key: str | None) -> Target:
        target = Target(name, url, pid, key=key)
        return target._replace(model=ask(target, "/v1/models")["data"][0]["id"])

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

    def _streams(self, ours: Target, floor: Target, targets: list[Target], plan: Plan) -> None:
        warm = Plan(plan.output[:80], plan.prompt)
        run_streams(ours, warm, lambda share: None)
        post_all(floor, "/answer", [[typical_answer(ours, plan)]])
        run_streams(floor, warm, lambda share: None)
        self._stream(ours, plan)
        self._stream(floor, plan)
        if (size := self.args.tokens_per_chunk) > 1:
            self._stream(ours, plan._replace(size=size))
        seconds = PEER_SECONDS / (8 if self.args.quick else 1)
        alone = plan._replace(streams=1, lean=False, seconds=seconds)
        for target in targets:
            try:
                self._stream(target, alone)
            except BenchError as error:  # a server that only renders
                if target is ours:
                    raise
                self.report.notes.append(f"streams of the peer: {error}")

    def _stream(self, target: Target, plan: Plan) -> None:
        client = "lean" if plan.lean else "vLLM's"
        title = f"{target.name}: {plan.streams} streams, {client} client, {plan.size} a chunk"
        self.progress.step(title)
        found = run_streams(target, plan, self.progress.share)
        if found.stopped is not None:
            self.report.notes.append(
                f"{title}: stopped at token {found.stopped:,} of {len(plan.output):,} "
                f"after {plan.seconds:.0f} seconds"
            )
        self.report.streams.append(found)

    def _requests(self, kind: Kind, targets: Sequence[Target]) -> None:
        for target in targets:
            self.progress.step(f"{target.name}: {kind.name}, {kind.tokens:,} tokens")
            try:
                self.report.requests.append(run_kind(target, kind))
            except BenchError as error:
                if target.name == OURS:
                    raise
                self.report.notes.append(f"{kind.name} of the peer: {error}")

    def _parsers(self) -> None:
        self.progress.step("parsers, by name")
        every = formats()
        for number, facts in enumerate(every, 1):
            self.report.parsers.append(cost(facts, 200 if self.args.quick else 1000))
            self.progress.share(number / len(every))

    def _size(self, ours: Target, plan: Plan) -> None:
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
