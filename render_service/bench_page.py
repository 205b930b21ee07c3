"""A benchmark's report as one HTML page that needs nothing else: no script, no font, no request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from . import bench_plot as plot
from .bench_load import OURS
from .bench_report import Report, machine
from .bench_streams import Streams

LONG = 20_000  # tokens of a prompt that a plot tells
CSS = """
:root { color-scheme: light dark; --ink: #1c2126; --paper: #fff; --faint: #d8dde2;
  --c0: #0b6bcb; --c1: #c2410c; --c2: #15803d; --c3: #7e22ce; --c4: #8a6d00;
  --c5: #be123c; --c6: #0f766e; --c7: #57534e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ea; --paper: #15181b; --faint: #383e44;
  --c0: #6cb2ff; --c1: #ff9a62; --c2: #5fd38a; --c3: #cf9bff; --c4: #e6c84a;
  --c5: #fb7185; --c6: #5eead4; --c7: #a8a29e; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 960px; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
svg { width: 100%; height: auto; } svg text { font-size: 12px; fill: currentColor; }
.grid { stroke: var(--faint); } .line { fill: none; stroke-width: 2; }
.s0 { fill: var(--c0); stroke: var(--c0); background: var(--c0); }
.s1 { fill: var(--c1); stroke: var(--c1); background: var(--c1); }
.s2 { fill: var(--c2); stroke: var(--c2); background: var(--c2); }
.s3 { fill: var(--c3); stroke: var(--c3); background: var(--c3); }
.s4 { fill: var(--c4); stroke: var(--c4); background: var(--c4); }
.s5 { fill: var(--c5); stroke: var(--c5); background: var(--c5); }
.s6 { fill: var(--c6); stroke: var(--c6); background: var(--c6); }
.s7 { fill: var(--c7); stroke: var(--c7); background: var(--c7); }
polyline.line { fill: none; }
.legend span { margin-right: 1.2em; white-space: nowrap; }
.legend i { display: inline-block; width: .8em; height: .8em; margin-right: .4em; }
.answer { font-size: 1.1rem; border-left: 4px solid var(--c0); padding-left: 1rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .85rem; }
td, th { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid var(--faint); }
td:first-child, th:first-child { text-align: left; }
"""


def page(report: Report) -> str:
    """A whole document, well-formed as XML too."""
    body = "\n".join(_body(report))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
        f"<title>render-service bench: {escape(report.served)}</title>"
        f"<style>{CSS}</style></head><body>\n{body}\n</body></html>\n"
    )


def _body(report: Report) -> Iterator[str]:
    yield f"<h1>{escape(report.served)}</h1>"
    yield f"<p>{escape(machine())}. CPU time is that of the server's processes.</p>"
    if report.sizing:
        yield f'<p class="answer">{escape(report.sizing.answer())}</p>'
    yield from _stream_plots(report.streams)
    if report.requests:
        yield "<h2>Requests a second for each core that is busy with them</h2>"
        groups: dict[str, dict[str, float]] = {}
        for one in report.requests:
            groups.setdefault(one.kind, {})[one.target] = one.per_core
        yield plot.bars(groups, "a second")
    if report.sizing:
        yield "<h2>Replicas for a load</h2>"
        yield _replicas(report)
    if report.parsers:
        yield "<h2>CPU time a token by parser name</h2>"
        yield "<p>Prose, a token at a time, its state carried on; other names of a format cost "
        yield "the same. Microseconds.</p>"
        slowest = sorted(report.parsers, key=lambda one: -one.token_us)
        yield plot.bars(
            {f"{one.names[0]} ({one.kind})": {OURS: one.token_us} for one in slowest}, "µs", 1
        )
    for title, rows in report.sections():
        yield f"<h2>{escape(title)}</h2>{_table(rows)}"
    yield from (f"<p>{escape(note)}</p>" for note in report.notes)


def _stream_plots(streams: Sequence[Streams]) -> Iterator[str]:
    yield "<h2>A streamed chunk, by its position in the stream</h2>"
    chunks = {_label(one): _points(one, one.chunk_us) for one in streams}
    yield plot.lines(chunks, "tokens before it", "microseconds of CPU")
    yield "<h2>A stream, by its length</h2>"
    whole = {_label(one): _points(one, one.stream_ms) for one in streams}
    yield plot.lines(whole, "tokens", "milliseconds of CPU")
    yield "<h2>Sent for a stream, by its length</h2>"
    sent = {_label(one): _points(one, [size / 1e3 for size in one.sent]) for one in streams}
    yield plot.lines(sent, "tokens", "kilobytes")


def _points(one: Streams, values: Sequence[float]) -> list[tuple[float, float]]:
    return list(zip(map(float, one.ends), values, strict=True))


def _label(one: Streams) -> str:
    client = "" if one.client == "lean" else ", vLLM's client"
    size = "" if one.tokens_per_chunk == 1 else f", {one.tokens_per_chunk} tokens a chunk"
    prompt = f", prompt of {one.prompt_tokens:,}" if one.prompt_tokens > LONG else ""
    return one.target + client + size + prompt


def _replicas(report: Report) -> str:
    sizing = report.sizing
    assert sizing is not None
    counts = [max(sizing.streams * step // 20, 1) for step in range(1, 41)]
    loads = [sizing._replace(streams=count) for count in counts]
    series = {
        "replicas": [(float(load.streams), float(load.replicas)) for load in loads],
        "cores busy": [(float(load.streams), load.cores) for load in loads],
    }
    rate = f"streams at {sizing.tokens_per_second:g} tokens a second"
    return plot.lines(series, rate, "count")


def _table(rows: Sequence[Sequence[str]]) -> str:
    head, *rest = rows
    inner = _row(head, "th") + "".join(_row(row, "td") for row in rest)
    return f'<div class="wide"><table>{inner}</table></div>'


def _row(cells: Sequence[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
