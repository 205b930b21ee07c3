"""`render-service bench [MODEL] [flags of serve]`: what this machine carries, measured now.

It starts the service with these flags and the floor beside it, both on free ports of 127.0.0.1,
sends each the same, and reads the CPU time of their processes. Another render server that already
runs is measured in the same run with --peer.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import orjson

from . import configuration
from .bench_load import FLOOR, OURS, PEER, BenchError, Target
from .bench_page import page
from .bench_run import Bench
from .command_parser import CommandParser
from .compare import positive
from .local_server import ServerFailed
from .stdout import reader_may_leave
from .usage_error import UsageError

_NAMED = re.compile(r"(?:([^=/:]+)=)?(.+)", re.DOTALL)


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
    group.add_argument("--markdown", metavar="FILE", help="Write the ratios as a table for a page.")
    group.add_argument(
        "--peer",
        action="append",
        metavar="[NAME=]URL",
        help="Another render server of the same model. May be given again.",
    )
    group.add_argument(
        "--peer-pid",
        action="append",
        type=positive,
        metavar="PID",
        help="Its process; as many as peers, in the same order.",
    )
    group.add_argument(
        "--peer-seconds",
        type=positive,
        default=None,
        help="Until a stream of a peer is ended. Default: 120, with --quick 15.",
    )


def run(args: argparse.Namespace) -> int:
    """Exit code 1 where a server fails. Raises UsageError."""
    settings, _ = configuration.configure(args, os.environ)
    peers = peers_of(getattr(args, "peer", []), getattr(args, "peer_pid", []))
    try:
        with ExitStack() as stack:
            report = Bench(args, settings, stack).run(peers)
    except (BenchError, ServerFailed) as error:
        print(f"render-service bench: {error}", file=sys.stderr)
        return 1
    with reader_may_leave():
        print(report.table())
    if name := getattr(args, "json", None):
        _write(name, orjson.dumps(report.builtin(), option=orjson.OPT_INDENT_2))
    if name := getattr(args, "html", None):
        _write(name, page(report).encode())
    if name := getattr(args, "markdown", None):
        _write(name, report.markdown().encode())
    return 0


def peers_of(urls: Sequence[str], pids: Sequence[int]) -> list[Target]:
    """Raises UsageError."""
    if len(urls) != len(pids):
        raise UsageError("--peer and --peer-pid are needed together")
    names = [_NAMED.fullmatch(url) for url in urls]
    found = [
        Target(match[1] or PEER, match[2], pid)
        for match, pid in zip(names, pids, strict=True)
        if match
    ]
    if len({OURS, FLOOR, *(one.name for one in found)}) < len(found) + 2:
        raise UsageError("several peers need names of their own: --peer NAME=URL")
    return found


def _write(name: str, content: bytes) -> None:
    try:
        Path(name).write_bytes(content)
    except OSError as error:
        raise UsageError(f"cannot write {name}: {error}") from None
