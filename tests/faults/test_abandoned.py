"""A client that leaves while its request waits for a thread: nobody renders for it."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from render_service.local_server import LocalServer
from tests.conftest import DEMO_MODEL
from tests.render_service.waiting import until

from .raw_http import TOKENIZE, connect, post

HELD = "tests.render_service.held_service"
MIDDLEWARE = "tests.render_service.middlewares.refuse_secrets"
WAITING = 5


def hold(server: LocalServer, file: Path) -> httpx.Response:
    headers = {"Content-Type": "application/json"}
    return httpx.post(server.url + TOKENIZE, content=str(file), headers=headers, timeout=60)


def value(server: LocalServer, sample: str) -> float:
    text = httpx.get(server.url + "/metrics").text
    found = re.search(rf"^render_service_{re.escape(sample)} (\S+)", text, re.M)
    return float(found[1]) if found else 0.0


def depth(server: LocalServer) -> float:
    return value(server, "queue_depth")


@pytest.mark.parametrize(
    "wrappers",
    [(), ("--log-format", "json"), ("--middleware", MIDDLEWARE)],
    ids=["plain", "logged", "wrapped"],
)
def test_it_leaves_the_queue_and_is_not_rendered(wrappers: list[str], tmp_path: Path) -> None:
    flags = ("--max-num-queued-reqs", str(WAITING), *wrappers)
    with LocalServer([HELD, str(DEMO_MODEL), *flags]) as server, ThreadPoolExecutor(1) as pool:
        running = pool.submit(hold, server, tmp_path / "go")
        until((tmp_path / "go.started").exists)
        for _ in range(2):  # their places are free again
            clients = [connect(server.port) for _ in range(WAITING)]
            for number, client in enumerate(clients):
                client.sendall(post(TOKENIZE, str(tmp_path / f"left{number}").encode()))
            until(lambda: depth(server) == WAITING)
            for client in clients:
                client.close()
            until(lambda: depth(server) == 0)
        with connect(server.port) as stays:
            stays.sendall(post(TOKENIZE, str(tmp_path / "stays").encode()))
            until(lambda: depth(server) == 1)
            (tmp_path / "go").touch()
            assert running.result().status_code == 200
            until((tmp_path / "stays.started").exists)
            (tmp_path / "stays").touch()
        assert not list(tmp_path.glob("left*"))
        left = f'requests_total{{endpoint="{TOKENIZE}",status="499"}}'
        assert value(server, left) == 2 * WAITING
        output = server.output()
    assert "Traceback" not in output
    assert "ASGI" not in output
