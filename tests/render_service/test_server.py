"""Real processes: signals, workers, middleware, access lines."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from render_service.local_server import LocalServer
from tests.conftest import DEMO_MODEL, Serve
from tests.render_service.processes import alive, children
from tests.render_service.waiting import until

HELD = "tests.render_service.held_service"
JSON = {"Content-Type": "application/json"}


@contextmanager
def held(*flags: str) -> Iterator[LocalServer]:
    with LocalServer([HELD, str(DEMO_MODEL), *flags]) as server:
        yield server


def hold(server: LocalServer, file: Path) -> httpx.Response:
    """A request that is answered when the file exists."""
    return httpx.post(server.url + "/tokenize", content=str(file), headers=JSON, timeout=60)


def ready(server: LocalServer) -> int:
    return httpx.get(server.url + "/ready").status_code


def refuses(server: LocalServer) -> bool:
    try:
        socket.create_connection(("127.0.0.1", server.port)).close()
    except ConnectionRefusedError:
        return True
    return False


def ends(server: LocalServer) -> int:
    return server.process.wait(30)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_it_with_0(number: signal.Signals, serve: Serve) -> None:
    server = serve()
    assert ready(server) == 200
    server.process.send_signal(number)
    assert ends(server) == 0
    assert "Traceback" not in server.output()


def test_what_is_in_flight_finishes(tmp_path: Path) -> None:
    with held() as server, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(hold, server, tmp_path / "go")
        until((tmp_path / "go.started").exists)
        server.process.terminate()
        until(lambda: refuses(server))
        (tmp_path / "go").touch()
        assert answer.result().json() == {"held": True}
        assert ends(server) == 0


def test_what_takes_longer_than_the_bound_is_answered_503(tmp_path: Path) -> None:
    with held("--shutdown-timeout", "1") as server, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(hold, server, tmp_path / "never")
        until((tmp_path / "never.started").exists)
        server.process.terminate()
        assert answer.result().status_code == 503
        assert "shutting down" in answer.result().json()["error"]["message"]
        assert ends(server) == 0
        assert "Traceback" not in server.output()


def test_second_signal_forces(tmp_path: Path) -> None:
    with held("--shutdown-timeout", "600") as server, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(hold, server, tmp_path / "never")
        until((tmp_path / "never.started").exists)
        server.process.terminate()
        until(lambda: refuses(server))
        server.process.terminate()
        assert ends(server) == 0
        assert answer.result().status_code == 503


def test_drain_delay_serves_but_is_not_ready() -> None:
    with held("--drain-delay", "600") as server:
        server.process.terminate()
        until(lambda: ready(server) == 503)
        assert httpx.get(server.url + "/ready").json() == {"status": "draining"}
        assert httpx.get(server.url + "/health").status_code == 200
        server.process.terminate()
        assert ends(server) == 0


def test_drain_delay_ends_by_itself() -> None:
    with held("--drain-delay", "0.2") as server:
        server.process.terminate()
        assert ends(server) == 0


def health_count(text: str) -> float:
    found = re.search(r'requests_total\{endpoint="/health",status="200"\} (\S+)', text)
    return float(found[1]) if found else 0.0


def test_two_workers(serve: Serve) -> None:
    """Both serve, their counts are added up, one that dies is replaced, both end at a signal."""
    server = serve(DEMO_MODEL, "--workers", "2")
    assert "2 x (event loop + 1 threads)" in server.output()
    workers = until(lambda: (found := children(server.process.pid)) and len(found) == 2 and found)
    for _ in range(20):
        assert httpx.get(server.url + "/health").status_code == 200

    def counted() -> float:
        return health_count(httpx.get(server.url + "/metrics").text)

    until(lambda: counted() >= 20)
    count = counted()
    large = {"messages": [{"role": "user", "content": "word " * 10_000}]}
    for _ in range(10):  # in threads, with a tokenizer that was loaded before the fork
        answer = httpx.post(server.url + "/v1/chat/completions/render", json=large)
        assert answer.status_code == 200
    victim = min(workers)
    os.kill(victim, signal.SIGKILL)
    until(lambda: victim not in (found := children(server.process.pid)) and len(found) == 2)
    until(lambda: server.output().count("Started server process") == 3)
    assert f"Worker process {victim} has died" in server.output()
    for _ in range(20):
        assert httpx.get(server.url + "/health").status_code == 200
    until(lambda: counted() == count + 20)
    workers = children(server.process.pid)
    server.process.terminate()
    assert ends(server) == 0
    assert not any(alive(pid) for pid in workers)
    assert "Traceback" not in server.output()


def test_workers_end_with_their_parent(serve: Serve) -> None:
    server = serve(DEMO_MODEL, "--workers", "2")
    workers = until(lambda: (found := children(server.process.pid)) and len(found) == 2 and found)
    until(lambda: server.output().count("Started server process") == 2)
    server.process.kill()
    server.process.wait()
    until(lambda: not any(alive(pid) for pid in workers))


def test_access_lines(serve: Serve) -> None:
    server = serve(DEMO_MODEL, "--disable-access-log-for-endpoints", "/health,/metrics")
    httpx.get(server.url + "/metrics?a=1")
    httpx.get(server.url + "/version")
    httpx.get(server.url + "/ready?b=2")
    lines = [line for line in server.output().splitlines() if "HTTP/1.1" in line]
    assert [line.split('"')[1] for line in lines] == [
        "GET /version HTTP/1.1",
        "GET /ready?b=2 HTTP/1.1",
    ]


def test_no_access_lines(serve: Serve) -> None:
    server = serve(DEMO_MODEL, "--disable-uvicorn-access-log", "--uvicorn-log-level", "trace")
    httpx.get(server.url + "/version")
    assert "GET /version" not in server.output()


def test_middleware(serve: Serve) -> None:
    package = "tests.render_service.middlewares"
    server = serve(
        DEMO_MODEL, "--middleware", f"{package}.Stamp", "--middleware", f"{package}.refuse_secrets"
    )
    answer = httpx.get(server.url + "/health")
    assert (answer.status_code, answer.headers["x-stamp"]) == (200, "stamped")
    assert httpx.get(server.url + "/secret").status_code == 418


def test_environment_and_config_file_reach_the_server(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(json.dumps({"served-model-name": ["from-file"], "api-key": ["from-file"]}))
    flags = ["render_service", "serve", str(DEMO_MODEL), "--config", str(file)]
    env = {"VLLM_API_KEY": "from-env"}
    with LocalServer(flags, env=env) as server:
        assert httpx.get(server.url + "/v1/models").status_code == 401
        for key, status in (("from-file", 401), ("from-env", 200)):
            headers = {"Authorization": f"Bearer {key}"}
            assert httpx.get(server.url + "/v1/models", headers=headers).status_code == status
        assert httpx.get(server.url + "/v1/models", headers=headers).json()["data"][0]["id"] == (
            "from-file"
        )
