"""What a benchmark found: one value, as JSON and as a table for the terminal."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import __version__
from .bench_delay import Delay
from .bench_load import OURS, Load
from .bench_parsers import ParserCost
from .bench_ratios import ratios
from .bench_renders import Requests
from .bench_sizing import Sizing
from .bench_streams import Streams
from .bench_workers import Workers


@dataclass
class Report:
    """served: the model and its parsers. memory: bytes at the end, by target. streams: those that
    were sent in turn are of one kind. peers: their names.
    notes: what was not measured, and why.
    """

    served: str
    memory: dict[str, int] = field(default_factory=dict)
    streams: list[Streams] = field(default_factory=list)
    requests: list[Requests] = field(default_factory=list)
    delay: Delay | None = None
    workers: list[Workers] = field(default_factory=list)
    parsers: list[ParserCost] = field(default_factory=list)
    sizing: Sizing | None = None
    peers: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def stream(self, target: str, client: str) -> Streams | None:
        """The first of them."""
        found = (one for one in self.streams if (one.target, one.client) == (target, client))
        return next(found, None)

    def pairs(self) -> Iterator[tuple[Requests, Requests]]:
        """Ours and those of a peer."""
        ours = {one.kind: one for one in self.requests if one.target == OURS}
        for one in self.requests:
            if one.target != OURS:
                yield ours[one.kind], one

    def builtin(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "version": __version__,
            "machine": machine(),
            "served": self.served,
            "memory_bytes": self.memory,
            "streams": [_stream(one) for one in self.streams],
            "requests": [_requests(one) for one in self.requests],
            "delay": self.delay and _delay(self.delay),
            "workers": [_workers(one) for one in self.workers],
            "parsers": [one._asdict() for one in self.parsers],
            "sizing": self.sizing and {**self.sizing._asdict(), "answer": self.sizing.answer()},
            "ratios": {one.what: round(one.value, 5) for one in ratios(self)},
            "notes": self.notes,
        }

    def sections(self) -> Iterator[tuple[str, list[Sequence[str]]]]:
        """Tables by title; their first row is the head."""
        yield "Streamed derender", [STREAM_HEAD, *map(_stream_row, self.streams)]
        if self.requests:
            yield "Whole requests", [REQUEST_HEAD, *map(_request_row, self.requests)]
        if self.delay:
            rows = [_delay_row(name, load) for name, load in _delayed(self.delay)]
            yield "A streamed chunk beside very long renders", [DELAY_HEAD, *rows]
        if self.workers:
            yield "Worker processes", [WORKERS_HEAD, *map(_workers_row, self.workers)]
        memory = [(name, f"{size / 1e6:,.0f} MB") for name, size in self.memory.items() if size]
        yield "Memory after all of it", [("server", ""), *memory]
        rows = [(one.what, f"{one.value:.3g}") for one in ratios(self)]
        yield "Ratios in this run (medians of parts that took turns)", [RATIO_HEAD, *rows]

    def markdown(self) -> str:
        """The ratios as a table for a page."""
        head = f"{self.served}; {machine()}\n\n| CPU time, where nothing else is said | ratio |"
        rows = [f"| {one.what} | {one.value:.3g} |" for one in ratios(self)]
        return "\n".join([head, "| --- | ---: |", *rows, ""])

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


RATIO_HEAD = ("", "ratio")
DELAY_HEAD = ("chunks", "", "of them", "p50", "p99")
WORKERS_HEAD = (
    "workers", "", "CPU a chunk", "busiest worker", "a second, by the busiest", "memory a worker",
    "until /ready",
)  # fmt: skip
STREAM_HEAD = (
    "target", "client", "prompt", "side by side", "tokens a chunk", "tokens", "CPU a chunk",
    "last chunks", "CPU a stream", "sent a stream", "state", "p50", "p99",
)  # fmt: skip
REQUEST_HEAD = ("target", "request", "tokens", "CPU", "a second a core", "p50", "p99")


def _stream_row(one: Streams) -> Sequence[str]:
    return (
        one.target, one.client, f"{one.prompt_tokens:,}", str(one.streams),
        str(one.tokens_per_chunk), f"{one.ends[-1]:,}", f"{one.total.cpu_us:,.0f} µs",
        f"{one.chunk_us[-1]:,.0f} µs",
        f"{one.stream_ms[-1]:,.1f} ms", f"{one.sent[-1] / 1e6:,.2f} MB", f"{one.state} B",
        f"{one.total.latency_ms(0.5):.2f} ms", f"{one.total.latency_ms(0.99):.2f} ms",
    )  # fmt: skip


def _request_row(one: Requests) -> Sequence[str]:
    return (
        one.target, one.kind, f"{one.tokens:,}", f"{one.load.cpu_us / 1e3:,.2f} ms",
        f"{one.per_core:,.0f}", f"{one.load.latency_ms(0.5):.1f} ms",
        f"{one.load.latency_ms(0.99):.1f} ms",
    )  # fmt: skip


def _delayed(one: Delay) -> Iterator[tuple[str, Load]]:
    yield "alone", one.quiet
    yield f"beside {one.renders} renders of {one.render_tokens:,} tokens", one.beside


def _delay_row(name: str, load: Load) -> Sequence[str]:
    p50, p99 = (f"{load.latency_ms(share):.2f} ms" for share in (0.5, 0.99))
    return (name, "", f"{load.requests:,}", p50, p99)


def _delay(one: Delay) -> dict[str, Any]:
    figures: dict[str, Any] = {"render_tokens": one.render_tokens, "renders": one.renders}
    for name, load in (("quiet", one.quiet), ("beside", one.beside)):
        for label, share in (("p50", 0.5), ("p99", 0.99)):
            figures[f"{name}_{label}_ms"] = round(load.latency_ms(share), 3)
    return figures


def _workers_row(one: Workers) -> Sequence[str]:
    return (
        str(one.workers), "", f"{one.chunk_us:,.0f} µs", f"{one.busiest:.0%}",
        f"{one.a_second:,.0f}", f"{one.memory / 1e6:,.0f} MB", f"{one.start:.1f} s",
    )  # fmt: skip


def _workers(one: Workers) -> dict[str, Any]:
    return {
        "workers": one.workers,
        "seconds_to_ready": round(one.start, 2),
        "memory_bytes_a_worker": int(one.memory),
        "cpu_us_a_chunk": round(one.chunk_us, 1),
        "busiest": round(one.busiest, 3),
        "a_second_by_the_busiest": round(one.a_second, 1),
    }


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
