"""`render-service compare PEER OURS`: do two servers answer alike, field by field?

What an operator runs before moving traffic from vLLM's render server to this one, or from one
release to the next. Nothing is sent to an engine: outputs come with the requests.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import partial
from itertools import islice

from .compare_cases import read_cases
from .compare_report import Report, lines
from .compare_steps import STEPS, Comparison, Server, ServerLost
from .corpus import known
from .http_client import HttpClient, Unreachable
from .stdout import reader_may_leave
from .usage_error import UsageError

EQUAL, DIFFERENT = 0, 1  # exit codes; 2: usage, or a server that does not answer
TIMEOUT, LONGEST = 60.0, 86400.0  # seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Exit code: 0 equal, 1 different, 2 usage or a server that does not answer."
    parser.add_argument("peer", metavar="PEER", help="The server to agree with, as a URL.")
    parser.add_argument("ours", metavar="OURS", help="The server to compare with it.")
    parser.add_argument(
        "--requests",
        metavar="PATH",
        help="A JSONL file, or a folder of recorded requests (.json, .jsonl), instead of the "
        "bundled corpus; docs/operations.md has the form.",
    )
    parser.add_argument(
        "--only", nargs="+", choices=STEPS, metavar="STEP", help=f"Steps: {', '.join(STEPS)}."
    )
    parser.add_argument("--case", metavar="GLOB", help="Only requests whose name matches.")
    parser.add_argument("--limit", type=positive, metavar="N", help="Only the first N requests.")
    parser.add_argument("--model", metavar="NAME", help="Instead of the model that requests name.")
    parser.add_argument(
        "--chunk",
        nargs="+",
        type=positive,
        metavar="N",
        help="Tokens in a chunk of a stream; each stream is sent once for each. Default: 1 7.",
    )
    parser.add_argument(
        "--ignore",
        nargs="+",
        metavar="FIELD",
        help="Fields whose differences do not count, as they are printed, without indices: "
        "sampling_params.seed, choices.message.",
    )
    parser.add_argument("--api-key", metavar="KEY", help="Of both. Default: VLLM_API_KEY.")
    parser.add_argument("--peer-api-key", metavar="KEY", help="Of PEER, if it has another.")
    parser.add_argument(
        "--timeout",
        type=_seconds,
        metavar="SECONDS",
        help=f"For one answer. Default: {TIMEOUT:.0f}.",
    )
    parser.add_argument(
        "--json", action="store_true", default=False, help="Print JSON, all differences included."
    )


def positive(word: str) -> int:
    if not word.isascii() or not word.isdigit() or int(word) == 0:
        raise argparse.ArgumentTypeError(f"expected a positive integer, not {word!r}")
    return int(word)


def _seconds(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = 0.0
    if not 0 < number <= LONGEST:
        raise argparse.ArgumentTypeError(f"expected seconds, not {word!r}")
    return number


def run(args: argparse.Namespace) -> int:
    """Raises UsageError."""
    key = getattr(args, "api_key", None) or os.environ.get("VLLM_API_KEY")
    timeout = getattr(args, "timeout", TIMEOUT)
    clients = (
        HttpClient(args.peer, timeout=timeout, key=getattr(args, "peer_api_key", None) or key),
        HttpClient(args.ours, timeout=timeout, key=key),
    )
    for client in clients:
        _check(client)
    comparison = Comparison(
        *map(Server, clients),
        steps=getattr(args, "only", STEPS),
        chunks=getattr(args, "chunk", (1, 7)),
        model=getattr(args, "model", None),
    )
    report = Report(args.peer, args.ours, tuple(getattr(args, "ignore", ())))
    with reader_may_leave():
        try:
            _compare(args, comparison, report)
        except ServerLost as error:
            report.lost = str(error)
        print(report.json() if args.json else report.table())
    if report.lost is not None:
        raise UsageError(report.lost)
    return DIFFERENT if report.different else EQUAL


def _compare(args: argparse.Namespace, comparison: Comparison, report: Report) -> None:
    wanted, source = getattr(args, "case", "*"), getattr(args, "requests", None)
    chosen = (case for case in read_cases(source) if fnmatchcase(case.name, wanted))
    for case in islice(chosen, getattr(args, "limit", None)):
        may_differ = partial(known.reason, case.path, case.name) if source is None else _unknown
        for compared in comparison.run(case):
            shown = report.add(compared, may_differ)
            if shown is not None and not args.json:
                print("\n".join(lines(shown)), flush=True)
    if not report.counts:
        raise UsageError("no request to compare")


def _unknown(fields: Sequence[str]) -> None:
    """An operator's own requests have no differences on purpose."""


def _check(client: HttpClient) -> None:
    """That a server is there and takes the key, before thousands of requests find out."""
    try:
        status, _ = client.ask("/v1/models")
    except Unreachable as error:
        raise UsageError(f"{client.url} does not answer: {error}") from None
    if status == 401:
        raise UsageError(f"{client.url} wants another API key (--api-key, --peer-api-key)")
