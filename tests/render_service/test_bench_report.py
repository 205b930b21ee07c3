"""What a benchmark's figures become: an answer for a load, plots, words for other machines."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import pytest

from render_service import bench_plot
from render_service.bench_load import Load
from render_service.bench_plot import Axis
from render_service.bench_progress import Progress
from render_service.bench_run import served_flags
from render_service.bench_sizing import Sizing
from render_service.command_parser import CommandParser
from render_service.configuration import add_arguments


def test_cores_are_chunks_and_renders_and_replicas_leave_room() -> None:
    load = Sizing(1000, 50, 1, chunk_us=200, render_us=2000, answer_tokens=1000, workers=1)
    assert load.cores == pytest.approx(50_000 * 200e-6 + 50 * 2000e-6)
    assert load.replicas == 15  # 10.1 / 0.7
    assert load._replace(workers=4).replicas == 4
    assert load._replace(tokens_per_chunk=10).cores == pytest.approx(1.1)
    assert load._replace(streams=1).replicas == 1


def test_latencies_are_by_rank() -> None:
    load = Load(cpu=0.5, latencies=[number / 1000 for number in range(100, 0, -1)])
    assert load.cpu_us == pytest.approx(5000)
    assert load.latency_ms(0.5) == pytest.approx(51)
    assert load.latency_ms(0.99) == pytest.approx(100)
    assert Load().latency_ms(0.5) == 0


def test_axes_have_few_round_ticks() -> None:
    assert Axis(0, 4000, 0, 1).ticks() == [0, 1000, 2000, 3000, 4000]
    assert Axis(0, 0.07, 0, 1).ticks()[1] == pytest.approx(0.01)
    assert Axis(10, 1000, 0, 1, log=True).ticks() == [10, 100, 1000]
    assert Axis(10, 1000, 100, 0, log=True).at(100) == pytest.approx(50)


def test_plots_are_xml_and_names_are_escaped() -> None:
    drawn = bench_plot.lines({"<a>": [(1, 2), (2, 900)], "b": [(1, 0)]}, "x & y", "µs")
    root = ElementTree.fromstring(f"<div>{drawn}</div>")
    assert len(root.findall(".//polyline")) == 2
    assert "&lt;a&gt;" in drawn
    drawn = bench_plot.bars({"one": {"a": 1.0, "b": 2.0}, "two": {"b": 0.0}}, "a & b")
    widths = [float(bar.get("width", "")) for bar in ElementTree.fromstring(
        f"<div>{drawn}</div>").iter("rect")]  # fmt: skip
    assert widths[1] == pytest.approx(2 * widths[0])
    assert len(widths) == 3


def test_the_flags_reach_the_server_as_they_were_given() -> None:
    parser = CommandParser()
    add_arguments(parser)
    words = [
        "qwen", "--tool-call-parser", "hermes", "--no-enable-auto-tool-choice", "--port", "1",
        "--api-key", "a", "b", "--default-chat-template-kwargs.thinking", "false",
    ]  # fmt: skip
    found = list(served_flags(parser.parse(words)))
    assert found[0] == "qwen"
    again = vars(parser.parse(found))
    assert again == {k: v for k, v in vars(parser.parse(words)).items() if k != "port"}


def test_progress_fills_a_line_on_a_terminal() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal, file = Terminal(), io.StringIO()
    for out in (terminal, file):
        progress = Progress(out)
        progress.step("one")
        progress.share(0.5)
        progress.step("two")
        progress.end()
    assert f"[{'#' * 12}{'.' * 12}]" in terminal.getvalue()
    assert terminal.getvalue().count("\n") == 2
    assert file.getvalue() == "one\ntwo\n"
