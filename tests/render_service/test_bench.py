"""`render-service bench` as a person runs it: on the demo model, quick, beside another server."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from render_service import cli
from render_service.bench_load import BenchError, Target, cpu_seconds, memory_bytes, processes
from render_service.bench_streams import CHAT, Plan, Stream, run_streams
from tests.conftest import Serve

PARSERS = (
    "--tool-call-parser", "hermes", "--reasoning-parser", "qwen3", "--enable-auto-tool-choice",
)  # fmt: skip


def test_one_command_measures_this_machine_and_a_peer(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    peer = serve("", *PARSERS)
    figures, page = tmp_path / "bench.json", tmp_path / "bench.html"
    code = cli.main(
        ["bench", "--quick", *PARSERS, "--streams", "300", "--tokens-per-chunk", "4",
         "--peer", peer.url, "--peer-pid", str(peer.process.pid),
         "--json", str(figures), "--html", str(page)]
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
        ("render-service", "lean", 4),
        ("render-service", "vLLM's", 1),
        ("peer", "vLLM's", 1),
    ]
    for one in found["streams"]:
        assert one["tokens"][-1] == 400
        assert all(cost > 0 for cost in one["cpu_us_a_chunk"])
    lean, full = found["streams"][0], found["streams"][4]
    assert lean["bytes_sent_a_stream"][-1] < full["bytes_sent_a_stream"][-1] / 5
    assert {one["target"] for one in found["requests"]} == {"render-service", "peer"}
    assert len(found["requests"]) == 2 * 4
    assert found["sizing"]["streams"] == 300
    assert any("the peer" in what for what in found["ratios"])
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


def test_a_server_that_refuses_is_named(serve: Serve) -> None:
    server = serve("", *PARSERS)
    target = Target("ours", server.url, server.process.pid)
    with pytest.raises(BenchError, match=r"answered 400"):
        run_streams(target, Plan([10**6] * 40, [1]), lambda share: None)


def test_a_stream_that_takes_too_long_ends_and_says_where(serve: Serve) -> None:
    server = serve("", *PARSERS)
    target = Target("ours", server.url, server.process.pid)
    with pytest.raises(BenchError, match="no 100 tokens within 0 seconds"):
        run_streams(target, Plan([5] * 4000, [1], seconds=0.0), lambda share: None)


def test_a_stream_is_sent_to_its_end_whatever_its_parts(serve: Serve) -> None:
    server = serve("", *PARSERS)
    target = Target("ours", server.url, server.process.pid)
    shares: list[float] = []
    found = run_streams(target, Plan([5] * 90, [1], size=8, streams=2, parts=3), shares.append)
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


def test_cpu_time_is_that_of_all_workers(serve: Serve) -> None:
    server = serve("", "--workers", "2")
    pid = server.process.pid
    assert len(processes(pid)) == 3
    assert cpu_seconds(pid) > 0
    assert memory_bytes(pid) > 10_000_000
    with pytest.raises(BenchError, match="no process"):
        cpu_seconds(2**22 + 1)
