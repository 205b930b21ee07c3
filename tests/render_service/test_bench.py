"""`render-service bench` as a person runs it: on the demo model, quick, beside another server."""

from __future__ import annotations

import json
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from xml.etree import ElementTree

import pytest

from render_service import cli
from render_service.bench_load import BenchError, Target, cpu_seconds, memory_bytes, processes
from render_service.bench_streams import CHAT, Plan, Stream, Streams, run_streams
from render_service.bench_workers import Workers, how_many
from render_service.local_server import LocalServer
from tests.conftest import Serve

PARSERS = (
    "--tool-call-parser", "hermes", "--reasoning-parser", "qwen3", "--enable-auto-tool-choice",
)  # fmt: skip


RATIOS = (
    "a streamed chunk / the floor; 8 streams side by side, no access logs",
    "chunks 350 to 400 / chunks 10 to 60",
    "a chunk after a prompt of 32,368 tokens / of 3,000",
    "a stream of 200 tokens / peer",
    "bytes sent for a stream of 400 tokens / peer",
    "render, conversation, 2,000 tokens / peer",
    "derender, whole, 500 tokens / peer",
    "p99 of a streamed chunk beside renders of 26,214 tokens / alone",
    "workers / 1, by the CPU time of the busiest",
)


def test_one_command_measures_this_machine_and_a_peer(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    peer = serve("", *PARSERS)
    figures, page, rows = (tmp_path / name for name in ("bench.json", "bench.html", "bench.md"))
    code = cli.main(
        ["bench", "--quick", *PARSERS, "--streams", "300", "--tokens-per-chunk", "4",
         "--peer", peer.url, "--peer-pid", str(peer.process.pid),
         "--json", str(figures), "--html", str(page), "--markdown", str(rows)]
    )  # fmt: skip
    out, err = capsys.readouterr()
    assert code == 0, err
    assert "300 streams at 50 tokens a second, 4 a chunk" in out
    assert "render, conversation" in err  # progress
    found = json.loads(figures.read_text())
    kinds = [(one["target"], one["client"], one["tokens_per_chunk"]) for one in found["streams"]]
    assert kinds == [
        ("render-service", "lean", 1),
        ("floor", "lean", 1),
        ("render-service", "lean", 1),
        ("render-service", "lean", 4),
        ("render-service", "vLLM's", 1),
        ("peer", "vLLM's", 1),
    ]
    for one in found["streams"]:
        assert one["tokens"][-1] == 400
        assert all(cost > 0 for cost in one["cpu_us_a_chunk"])
    lean, long, full = (found["streams"][at] for at in (0, 2, 5))
    assert long["prompt_tokens"] > 10 * lean["prompt_tokens"]
    assert lean["bytes_sent_a_stream"][-1] < full["bytes_sent_a_stream"][-1] / 5
    assert {one["target"] for one in found["requests"]} == {"render-service", "peer"}
    assert len(found["requests"]) == 2 * 4
    assert found["sizing"]["streams"] == 300
    assert [one["workers"] for one in found["workers"]] == [1, how_many()]
    assert found["delay"]["renders"] == 16
    for what in RATIOS:
        assert any(what in name for name in found["ratios"]), what
        assert what in rows.read_text()
    assert len(found["parsers"]) > 80
    assert set(found["memory_bytes"]) == {"render-service", "peer"}
    assert not found["notes"]
    _is_a_page_by_itself(page.read_text())


def _is_a_page_by_itself(text: str) -> None:
    root = ElementTree.fromstring(text)
    assert root.tag == "html"
    assert len(root.findall(".//svg")) == 6
    outside = {"script", "link", "img", "iframe"}
    assert not outside & {node.tag for node in root.iter()}
    assert "http" not in text


def test_what_the_flags_do_not_allow_is_said_before_anything_starts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for flags, words in {
        ("--peer", "http://127.0.0.1:1"): "--peer and --peer-pid are needed together",
        ("--peer", "a", "--peer", "b", *("--peer-pid", "1") * 2): "several peers need names",
        ("--enable-auto-tool-choice",): "requires --tool-call-parser",
        ("--streams", "0"): "expected a positive integer",
        ("--quik",): "did you mean --quick",
    }.items():
        with pytest.raises(SystemExit) as end:
            cli.main(["bench", *flags])
        assert end.value.code == 2
        assert words in capsys.readouterr().err


def test_a_server_that_does_not_start_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "--quick", "/nowhere/at-all"]) == 1
    assert "/nowhere/at-all" in capsys.readouterr().err


def test_without_parsers_tools_are_only_in_the_prompt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["bench", "--quick", "--json", str(tmp_path / "figures")]) == 0
    assert "note: conversations have tools with tool_choice" in capsys.readouterr().out
    found = json.loads((tmp_path / "figures").read_text())
    assert len(found["requests"]) == 4


def test_a_peer_that_never_answers_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        peer = ("--peer", f"mute={url}", "--peer-pid", str(os.getpid()))
        assert cli.main(["bench", "--quick", *peer]) == 1
    assert f"mute: {url}/v1/models: no answer within 5 seconds" in capsys.readouterr().err


def test_a_peer_that_is_something_else_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "v1").mkdir()
    (tmp_path / "v1" / "models").write_text("<html>")
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as pages, ThreadPoolExecutor(1) as pool:
        pool.submit(pages.serve_forever)
        url = f"http://127.0.0.1:{pages.server_port}"
        code = cli.main(["bench", "--peer", url, "--peer-pid", str(os.getpid())])
        pages.shutdown()
    assert code == 1
    assert f"peer: {url}/v1/models names no model" in capsys.readouterr().err


def test_a_server_that_refuses_is_named(serve: Serve) -> None:
    server = serve("", *PARSERS)
    target = Target("ours", server.url, server.process.pid)
    with pytest.raises(BenchError, match=r"answered 400"):
        run_streams([(target, Plan([10**6] * 40, [1]))], lambda share: None)


def test_a_stream_that_takes_too_long_ends_and_says_where(serve: Serve) -> None:
    server = serve("", *PARSERS)
    target = Target("ours", server.url, server.process.pid)
    with pytest.raises(BenchError, match="no 100 tokens within 0 seconds"):
        run_streams([(target, Plan([5] * 4000, [1], seconds=0.0))], lambda share: None)


def test_a_stream_is_sent_to_its_end_whatever_its_parts(serve: Serve) -> None:
    server = serve("", *PARSERS)
    target = Target("ours", server.url, server.process.pid)
    shares: list[float] = []
    plan = Plan([5] * 90, [1], size=8, streams=2, parts=3)
    (found,) = run_streams([(target, plan)], shares.append)
    assert found.ends == [24, 48, 72, 90]
    assert found.total.requests == 2 * 12
    assert len(found.chunk_us) == len(found.stream_ms) == len(found.sent) == 4
    assert found.sent[-1] == found.total.sent / 2
    assert shares[-1] == 1.0


def test_a_lean_client_sends_the_request_once_and_vllms_with_each_chunk() -> None:
    target = Target("ours", "http://127.0.0.1:1", 0, "demo")
    for lean in (True, False):
        stream = Stream(target, Plan([5, 6, 7], [1, 2], lean=lean), 0)
        bodies = []
        for stream.at in range(3):
            bodies.append(json.loads(stream.body()))
        assert [body["generate_chunk"]["choices"][0]["token_ids"] for body in bodies] == [
            [5], [6], [7],
        ]  # fmt: skip
        assert [body.get("prompt_token_ids") for body in bodies] == [
            [1, 2], *([None] * 2 if lean else [[1, 2]] * 2),
        ]  # fmt: skip
        assert bodies[0]["chat_request"] == {"model": "demo", **CHAT}
        assert bodies[2]["generate_chunk"]["choices"][0]["finish_reason"] == "length"


def test_workers_are_compared_by_the_busiest() -> None:
    one, two = Workers(1, 0.0), Workers(2, 0.0)
    one.add(100, {1: 5.0, 2: 1.0}, {1: 6.0, 2: 2.0})  # two services
    two.add(50, {3: 0.0}, {3: 0.1, 4: 0.5, 5: 0.4})  # 3 is the parent, 4 a worker that came later
    two.add(50, {3: 0.1, 4: 0.5, 5: 0.4}, {3: 0.1, 4: 1.1, 5: 0.9})
    assert (one.chunk_us, one.busiest, one.a_second) == (20_000, 1.0, 50)
    assert (two.chunk_us, two.busiest) == (pytest.approx(21_000), pytest.approx(1.1 / 2.1))
    assert two.a_second == pytest.approx(100 / 1.1)


def test_cpu_time_is_that_of_all_workers(serve: Serve) -> None:
    server = serve("", "--workers", "2")
    pid = server.process.pid
    assert len(processes(pid)) == 3
    assert cpu_seconds(pid) > 0
    assert memory_bytes(pid) > 10_000_000
    with pytest.raises(BenchError, match="no process"):
        cpu_seconds(2**22 + 1)


def test_streams_that_are_sent_in_turn_are_compared_part_by_part() -> None:
    ours, floor = Streams("ours", "lean", 1, 1, 9), Streams("floor", "lean", 1, 1, 9)
    ours.chunk_us, floor.chunk_us = [10.0, 90.0, 10.0, 20.0], [5.0, 30.0, 5.0, 5.0]
    assert ours.ratio(floor) == 2.5
    assert ours.ratio(floor, 0.75) == 4.0
    assert ours.ratio(floor, 0.0, 0.25) == 2.0


def test_a_peer_that_only_renders_is_measured_by_its_renders(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """vLLM's Rust renderer has no derender, and says nothing of the model's length."""
    server = serve("", *PARSERS)
    with LocalServer(["tests.render_service.renderer_only", server.url]) as peer:
        figures = tmp_path / "bench.json"
        code = cli.main(
            ["bench", "--quick", *PARSERS, "--json", str(figures),
             "--peer", f"rust={peer.url}", "--peer-pid", str(peer.process.pid)]
        )  # fmt: skip
    assert code == 0, capsys.readouterr().err
    found = json.loads(figures.read_text())
    assert "rust" not in {one["target"] for one in found["streams"]}
    kinds = [one["kind"] for one in found["requests"] if one["target"] == "rust"]
    assert kinds == ["render, short", "render, long", "render, conversation"]
    assert [note.partition(":")[0] for note in found["notes"]] == [
        "no streams of rust", "no derender, whole of rust",
    ]  # fmt: skip
    assert "render, short, 200 tokens / rust" in found["ratios"]
