"""`render-service fleet-check URL...`: do these replicas answer alike?

Each is asked for GET /v1/fingerprint, at its own address and not through a load balancer. Those
that differ are told by what most replicas have; of equally many, what the first replica has.
State keys differ only where a replica would refuse another's stream_state, so that keys can be
rotated.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta, Struct

from .http_client import HttpClient, Unreachable
from .stdout import reader_may_leave

TIMEOUT = 10.0  # seconds
MAX_ANSWER = 64 * 1024
ALIKE, DIFFERENT, INCOMPLETE = 0, 1, 2  # exit codes
STATE_KEY = "state_key"

# Printed to a terminal, so nothing but such text is taken from a server.
_Word = Annotated[str, Meta(pattern=r"^[0-9A-Za-z_]{1,64}\Z")]


class Report(Struct, frozen=True):
    """What a replica says about itself; see `Fingerprint.report`. state_keys: None from a release
    that does not tell."""

    fingerprint: _Word
    components: dict[_Word, _Word]
    mode: _Word
    state_keys: tuple[_Word, ...] | None = None

    @property
    def configuration(self) -> tuple[str, frozenset[tuple[str, str]]]:
        """What is compared; the digits alone could be equal by chance."""
        return self.fingerprint, frozenset(self.components.items())

    def differing(self, other: Report) -> list[str]:
        """Components with other digests, and those that only one of the two has."""
        ours, theirs = self.components, other.components
        return [name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name)]

    def takes_states_of(self, other: Report) -> bool:
        """Whether one of our keys is the one that the other signs with. Without keys all is taken,
        and nothing signed."""
        if not self.state_keys or other.state_keys is None:
            return True
        return bool(other.state_keys) and other.state_keys[0] in self.state_keys


class Replica(NamedTuple):
    """report: None where it cannot be asked; error says why."""

    url: str
    report: Report | None
    error: str | None = None


_report_decoder = msgspec.json.Decoder(Report)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Exit code: 0 all alike, 1 some differ, 2 one cannot be asked."
    parser.add_argument("urls", nargs="+", metavar="URL", help="As http://10.0.0.7:8000.")
    parser.add_argument("--api-key", metavar="KEY", help="Default: VLLM_API_KEY.")
    parser.add_argument(
        "--json", action="store_true", default=False, help="Print JSON instead of a table."
    )


def run(args: argparse.Namespace) -> int:
    """Raises UsageError."""
    key = getattr(args, "api_key", None) or os.environ.get("VLLM_API_KEY")
    clients = [HttpClient(url, timeout=TIMEOUT, key=key) for url in args.urls]
    with ThreadPoolExecutor(16) as threads:
        replicas = list(threads.map(ask, clients))
    differing = differences(replicas)
    with reader_may_leave():
        print((_json if args.json else _table)(replicas, differing))
    if any(replica.report is None for replica in replicas):
        return INCOMPLETE
    return DIFFERENT if any(differing) else ALIKE


def ask(client: HttpClient) -> Replica:
    url = client.url
    try:
        status, body = client.ask("/v1/fingerprint", limit=MAX_ANSWER)
    except Unreachable as error:
        return Replica(url, None, str(error))
    finally:
        client.close()
    if status == 401:
        return Replica(url, None, "it wants another API key (--api-key)")
    if status != 200:
        return Replica(url, None, f"status {status} for /v1/fingerprint")
    try:
        return Replica(url, _report_decoder.decode(body))
    except msgspec.MsgspecError:
        return Replica(url, None, "its answer is not a fingerprint")


def differences(replicas: Sequence[Replica]) -> list[list[str]]:
    """What differs, for each replica. Empty where it is like the others or could not be asked."""
    reports = [replica.report for replica in replicas if replica.report is not None]
    usual = _most_common(reports, lambda report: report.configuration)
    keyed = [report for report in reports if report.state_keys is not None]
    usual_keys = _most_common(keyed, lambda report: report.state_keys)
    # Those of others are theirs to explain.
    right = [report for report in keyed if usual_keys and usual_keys.takes_states_of(report)]
    return [
        []
        if (report := replica.report) is None or usual is None
        else [*_configured(report, usual), *_keys(report, right)]
        for replica in replicas
    ]


def _most_common(reports: Sequence[Report], what: Callable[[Report], object]) -> Report | None:
    """None where nobody could be asked."""
    counts = Counter(map(what, reports))
    # max() takes the first of equals, as the rule says.
    return max(reports, key=lambda report: counts[what(report)], default=None)


def _configured(report: Report, usual: Report) -> list[str]:
    if report.configuration == usual.configuration:
        return []
    return usual.differing(report) or ["fingerprint"]


def _keys(report: Report, right: Sequence[Report]) -> list[str]:
    """right: whose states those replicas take that have the usual keys."""
    if report.state_keys is None:
        return []
    taken = report in right and all(report.takes_states_of(other) for other in right)
    return [] if taken else [STATE_KEY]


def _table(replicas: Sequence[Replica], differing: Sequence[Sequence[str]]) -> str:
    rows = [("replica", "fingerprint", "mode", "differs in"), *_rows(replicas, differing)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]])
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines)


def _rows(
    replicas: Sequence[Replica], differing: Sequence[Sequence[str]]
) -> Iterator[tuple[str, str, str, str]]:
    for replica, names in zip(replicas, differing, strict=True):
        report = replica.report
        if report is None:
            yield replica.url, "-", "-", f"cannot be asked: {replica.error}"
        else:
            yield replica.url, report.fingerprint, report.mode, ", ".join(names)


def _json(replicas: Sequence[Replica], differing: Sequence[Sequence[str]]) -> str:
    reports = [replica.report for replica in replicas if replica.report is not None]
    usual = _most_common(reports, lambda report: report.configuration)
    found = {
        "fingerprint": None if usual is None else usual.fingerprint,
        "replicas": [
            {
                "url": replica.url,
                **({"error": replica.error} if replica.report is None else {}),
                **({} if replica.report is None else msgspec.to_builtins(replica.report)),
                "differing": names,
            }
            for replica, names in zip(replicas, differing, strict=True)
        ],
    }
    return json.dumps(found, indent=2)
