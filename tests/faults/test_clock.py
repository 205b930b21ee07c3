"""The clock of the system jumps: nothing that is promised depends on it."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import httpx
import pytest

from render_service.local_server import LocalServer
from tests.conftest import DEMO_MODEL, ROOT
from tests.render_service.processes import children
from tests.render_service.waiting import until

from .raw_http import tokenizes

LIBRARIES = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
DATES = {"anthropic.py", "pages.py", "template.py", "harmony_chat.py", "tracing.py"}
"""Modules that tell a date or make an ID, beside those that write `created`."""


def test_the_wall_clock_decides_nothing() -> None:
    for file in (ROOT / "render_service").rglob("*.py"):
        for line in file.read_text().splitlines():
            if re.search(r"\btime\.time(_ns)?\(|datetime\.now\(", line):
                assert '"created"' in line or file.name in DATES, f"{file}: {line.strip()}"


@pytest.mark.skipif(not LIBRARIES, reason="libfaketime is not installed (Debian's libfaketime)")
@pytest.mark.parametrize("jump", ["-400d", "+400d"])
def test_it_serves_and_replaces_workers_over_a_jump(jump: str, tmp_path: Path) -> None:
    offset = tmp_path / "offset"
    offset.write_text("+0")
    env = {
        "LD_PRELOAD": str(LIBRARIES[0]),
        "FAKETIME_TIMESTAMP_FILE": str(offset),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",  # as of a real clock that is set
    }
    flags = ("--workers", "2", "--drain-delay", "0.2")
    with LocalServer(["render_service", "serve", str(DEMO_MODEL), *flags], env=env) as server:
        pid = server.process.pid
        with httpx.Client(base_url=server.url) as client:
            before = client.get("/v1/models").json()["data"][0]["created"]
            offset.write_text(jump)
            after = client.get("/v1/models").json()["data"][0]["created"]
            assert abs(after - before) > 300 * 86400, "the clock did not jump"
            victim = min(until(lambda: children(pid)))
            os.kill(victim, signal.SIGKILL)
            until(lambda: victim not in (found := children(pid)) and len(found) == 2)
        assert tokenizes(server.port)
        server.process.terminate()
        assert server.process.wait(30) == 0
