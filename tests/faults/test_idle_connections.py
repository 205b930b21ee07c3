"""10,000 connections that do nothing: the service answers, and each costs little."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.conftest import DEMO_MODEL, Serve
from tests.long.hostile import resident

from .raw_http import answered, connect, tokenizes

MANY = 10_000
HEALTH = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
COST = 32 * 1024  # bytes a connection, at most


@pytest.fixture
def open_files() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < MANY + 1000:
        pytest.skip(f"no more than {hard} open files a process")
    resource.setrlimit(resource.RLIMIT_NOFILE, (MANY + 1000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_idle_connections(serve: Serve, open_files: None) -> None:
    quiet = ("--disable-uvicorn-access-log", "--timeout-keep-alive", "600")
    server = serve(DEMO_MODEL, *quiet)
    before = resident(server.process.pid)
    with ExitStack() as clients:
        idle = [clients.enter_context(connect(server.port)) for _ in range(MANY)]
        for client in idle:  # each has been used once, and is kept
            client.sendall(HEALTH)
            assert answered(client)[0] == 200
        assert tokenizes(server.port)
        cost = (resident(server.process.pid) - before) / MANY
        print(f"{cost:.0f} bytes a connection")
        assert cost < COST
        for client in idle[:: MANY // 100]:
            client.sendall(HEALTH)
            assert answered(client)[0] == 200
    assert tokenizes(server.port)
