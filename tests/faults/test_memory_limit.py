"""A limit on memory (`prlimit --as`, a cgroup) ends requests, not the service."""

from __future__ import annotations

import resource
from http.client import HTTPException

from render_service.local_server import LocalServer
from tests.conftest import DEMO_MODEL
from tests.render_service.processes import children
from tests.render_service.waiting import until

from .raw_http import TOKENIZE, answered, connect, post, text, tokenizes

MB = 1_000_000


def virtual(pid: int) -> int:
    """Bytes of address space."""
    with open(f"/proc/{pid}/statm") as numbers:
        return int(numbers.read().split()[0]) * resource.getpagesize()


def test_requests_over_the_limit() -> None:
    """Native code that gets no memory aborts its process; the other workers go on."""
    flags = ("--workers", "2")
    with LocalServer(["render_service", "serve", str(DEMO_MODEL), *flags]) as server:
        pids = {server.process.pid, *children(server.process.pid)}
        for pid in pids:
            room = virtual(pid) + 48 * MB
            resource.prlimit(pid, resource.RLIMIT_AS, (room, resource.RLIM_INFINITY))
        body = post(TOKENIZE, text(40 * MB))
        for _ in range(4):
            try:
                with connect(server.port, 60) as client:
                    client.sendall(body)
                    status, _ = answered(client)
            except (OSError, HTTPException):  # a worker was lost, or did not read it all
                continue
            assert status in (200, 400, 503)
        assert _comes_back(server.port)
        assert server.process.poll() is None


def _comes_back(port: int) -> bool:
    def check() -> bool:
        try:
            return tokenizes(port)
        except (OSError, HTTPException):
            return False

    return until(check)
