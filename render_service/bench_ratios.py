"""What a benchmark found as ratios, each of servers that took turns in one run.

Ratios carry over to other machines better than times do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from .bench_load import FLOOR, OURS

if TYPE_CHECKING:
    from .bench_report import Report
    from .bench_streams import Streams


class Ratio(NamedTuple):
    what: str
    value: float


def ratios(report: Report) -> Iterator[Ratio]:
    lean, floor = report.stream(OURS, "lean"), report.stream(FLOOR, "lean")
    if lean and floor:
        yield from _against_floor(lean, floor)
        yield from _prompts(report, lean)
    if lean:
        yield from _against_peers(report, lean)
    for ours, theirs in report.pairs():
        what = f"{ours.kind}, {ours.tokens:,} tokens / {theirs.target}"
        yield Ratio(what, ours.ratio(theirs))
    if report.delay:
        what = f"p99 of a streamed chunk beside renders of {report.delay.render_tokens:,} tokens"
        yield Ratio(f"{what} / alone", report.delay.ratio)
    for many in report.workers[1:]:
        what = f"chunks a second, {many.workers} workers / 1, by the CPU time of the busiest"
        yield Ratio(what, many.a_second / report.workers[0].a_second)


def _against_floor(lean: Streams, floor: Streams) -> Iterator[Ratio]:
    """What takes turns with the floor is measured by it: noise that hits both is in neither."""
    sent = f"{lean.streams} streams side by side, no access logs"
    yield Ratio(f"a streamed chunk / the floor; {sent}", lean.ratio(floor))
    late, early = lean.ratio(floor, 0.875), lean.ratio(floor, 0.025, 0.15)
    length = lean.ends[-1]
    last = f"{length * 7 // 8:,} to {length:,}"
    first = f"{length // 40:,} to {length * 15 // 100:,}"
    yield Ratio(f"chunks {last} / chunks {first}", late / early)


def _prompts(report: Report, lean: Streams) -> Iterator[Ratio]:
    others = (one for one in report.streams if (one.target, one.client) == (lean.target, "lean"))
    for one in others:
        if one.prompt_tokens > lean.prompt_tokens and one.tokens_per_chunk == 1:
            what = f"after a prompt of {one.prompt_tokens:,} tokens / of {lean.prompt_tokens:,}"
            yield Ratio(f"a chunk {what}", one.ratio(lean))


def _against_peers(report: Report, lean: Streams) -> Iterator[Ratio]:
    for name in report.peers:
        peer = report.stream(name, "vLLM's")
        ours = report.stream(lean.target, "vLLM's")
        if peer is None or ours is None:
            continue
        whole = lean.ends[-1]
        reached = [end for end in (whole // 2, whole) if end in peer.ends] or peer.ends[-1:]
        for end in reached:
            part = peer.ends.index(end)  # parts are of the same lengths
            what = f"a stream of {end:,} tokens / {name}"
            yield Ratio(f"{what}", lean.stream_ms[part] / peer.stream_ms[part])
            same = ours.stream_ms[part] / peer.stream_ms[part]
            yield Ratio(f"{what}, by the same client", same)
            yield Ratio(f"bytes sent for {what}", lean.sent[part] / peer.sent[part])
