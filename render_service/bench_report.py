"""What a benchmark found: one value, as JSON and as a table for the terminal."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from . import __version__
from .bench_parsers import ParserCost
from .bench_renders import Requests
from .bench_sizing import Sizing
from .bench_streams import Streams

OURS, FLOOR, PEER = "render-service", "floor", "peer"


class Ratio(NamedTuple):
    """CPU time, or bytes, of the one by that of the other in this run."""

    what: str
    value: float


@dataclass
class Report:
    """served: the model and its parsers. start: seconds until ready; memory: bytes, by target.

    notes: what was not measured, and why.
    """

    served: str
    start: float = 0.0
    memory: dict[str, int] = field(default_factory=dict)
    streams: list[Streams] = field(default_factory=list)
    requests: list[Requests] = field(default_factory=list)
    parsers: list[ParserCost] = field(default_factory=list)
    sizing: Sizing | None = None
    notes: list[str] = field(default_factory=list)

    def ratios(self) -> Iterator[Ratio]:
        lean, floor = self.stream(OURS, "lean"), self.stream(FLOOR, "lean")
        if lean and floor:
            ratio = lean.typical_us() / floor.typical_us()
            yield Ratio("a streamed chunk / the floor", ratio)
        if lean:
            flat = lean.typical_us(0.875) / lean.typical_us(0.025, 0.15)
            yield Ratio("a chunk in the last eighth of a stream / in its first", flat)
        ours, peer = self.stream(OURS, "vLLM's"), self.stream(PEER, "vLLM's")
        if ours and peer and lean:
            last = len(peer.ends) - 1  # parts are of the same lengths
            what = f"a stream of {peer.ends[last]:,} tokens / the peer"
            yield Ratio(f"CPU of {what}", ours.stream_ms[last] / peer.stream_ms[last])
            yield Ratio(f"CPU of {what}, lean", lean.stream_ms[last] / peer.stream_ms[last])
            yield Ratio(f"bytes of {what}, lean", lean.sent[last] / peer.sent[last])
        for mine_, theirs_ in self._pairs():
            ratio = mine_.load.cpu_us / theirs_.load.cpu_us
            yield Ratio(f"CPU of {mine_.kind} / the peer", ratio)

    def stream(self, target: str, client: str) -> Streams | None:
        found = (one for one in self.streams if (one.target, one.client) == (target, client))
        return next(found, None)

    def _pairs(self) -> Iterator[tuple[Requests, Requests]]:
        theirs = {one.kind: one for one in self.requests if one.target == PEER}
        for one in self.requests:
            if one.target == OURS and one.kind in theirs:
                yield one, theirs[one.kind]

    def builtin(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "version": __version__,
            "machine": machine(),
            "served": self.served,
            "start_seconds": round(self.start, 2),
            "memory_bytes": self.memory,
            "streams": [_stream(one) for one in self.streams],
            "requests": [_requests(one) for one in self.requests],
            "parsers": [one._asdict() for one in self.parsers],
            "sizing": self.sizing and {**self.sizing._asdict(), "answer": self.sizing.answer()},
            "ratios": {one.what: round(one.value, 5) for one in self.ratios()},
            "notes": self.notes,
        }

    def sections(self) -> Iterator[tuple[str, list[Sequence[str]]]]:
        """Tables by title; their first row is the head."""
        yield "Streamed derender", [STREAM_HEAD, *map(_stream_row, self.streams)]
        if self.requests:
            yield "Whole requests", [REQUEST_HEAD, *map(_request_row, self.requests)]
        rows = [(one.what, f"{one.value:.3g}") for one in self.ratios()]
        yield "Ratios in this run", [("CPU time or bytes", "ratio"), *rows]
        memory = [(name, f"{size / 1e6:,.0f} MB") for name, size in self.memory.items() if size]
        start = (f"{OURS}, until ready", f"{self.start:.1f} s")
        yield "Memory after all of it, and start", [("server", ""), *memory, start]

    def table(self) -> str:
        lines = [f"{self.served}; {machine()}"]
        for title, rows in self.sections():
            lines += ["", title, *_aligned(rows)]
        if self.parsers:
            slowest = sorted(self.parsers, key=lambda one: -one.token_us)
            lines += ["", "Parsers, CPU a token of prose (all of them: --json, --html)"]
            shown = [slowest[0], slowest[len(slowest) // 2], slowest[-1]]
            lines += _aligned([(f"  {one.names[0]}", f"{one.token_us:.1f} µs") for one in shown])
        if self.sizing:
            lines += ["", self.sizing.answer()]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


STREAM_HEAD = (
    "target", "client", "side by side", "tokens a chunk", "tokens", "CPU a chunk", "last chunks",
    "CPU a stream", "sent a stream", "state", "p50", "p99",
)  # fmt: skip
REQUEST_HEAD = ("target", "request", "tokens", "CPU", "a second a core", "p50", "p99")


def _stream_row(one: Streams) -> Sequence[str]:
    return (
        one.target, one.client, str(one.streams), str(one.tokens_per_chunk), f"{one.ends[-1]:,}",
        f"{one.total.cpu_us:,.0f} µs", f"{one.chunk_us[-1]:,.0f} µs",
        f"{one.stream_ms[-1]:,.1f} ms", f"{one.sent[-1] / 1e6:,.2f} MB", f"{one.state} B",
        f"{one.total.latency_ms(0.5):.2f} ms", f"{one.total.latency_ms(0.99):.2f} ms",
    )  # fmt: skip


def _request_row(one: Requests) -> Sequence[str]:
    return (
        one.target, one.kind, f"{one.tokens:,}", f"{one.load.cpu_us / 1e3:,.2f} ms",
        f"{one.per_core:,.0f}", f"{one.load.latency_ms(0.5):.1f} ms",
        f"{one.load.latency_ms(0.99):.1f} ms",
    )  # fmt: skip


def _stream(one: Streams) -> dict[str, Any]:
    return {
        "target": one.target,
        "client": one.client,
        "streams": one.streams,
        "tokens_per_chunk": one.tokens_per_chunk,
        "prompt_tokens": one.prompt_tokens,
        "tokens": one.ends,
        "cpu_us_a_chunk": [round(cost, 1) for cost in one.chunk_us],
        "cpu_ms_a_stream": [round(cost, 3) for cost in one.stream_ms],
        "bytes_sent_a_stream": [round(size) for size in one.sent],
        "bytes_received_a_stream": round(one.total.received / one.streams),
        "longest_state_bytes": one.state,
        "stopped_at_token": one.stopped,
        "p50_ms": round(one.total.latency_ms(0.5), 3),
        "p99_ms": round(one.total.latency_ms(0.99), 3),
    }


def _requests(one: Requests) -> dict[str, Any]:
    return {
        "target": one.target,
        "kind": one.kind,
        "tokens": one.tokens,
        "requests": one.load.requests,
        "cpu_us": round(one.load.cpu_us, 1),
        "a_second_a_core": round(one.per_core, 1),
        "p50_ms": round(one.load.latency_ms(0.5), 3),
        "p99_ms": round(one.load.latency_ms(0.99), 3),
    }


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """First two columns to the left, if they are words, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = 2 if len(widths) > 2 else 1
    return [
        "  ".join(
            f"{cell:{'<' if at < left else '>'}{width}}"
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def machine() -> str:
    """Its processor, its CPUs, the systems below us."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    name = models[0] if models else platform.machine()
    system = f"{platform.system()} {platform.release()}"
    return f"{name}, {len(models) or '?'} CPUs, {system}, Python {platform.python_version()}"
