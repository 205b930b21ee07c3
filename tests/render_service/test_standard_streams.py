"""A service whose standard streams are closed or full serves and ends all the same."""

from __future__ import annotations

import subprocess
import sys

import httpx
import pytest

from render_service.local_server import free_port
from tests.conftest import DEMO_MODEL
from tests.render_service.waiting import until


def answers(url: str) -> bool:
    try:
        return httpx.get(url + "/health").status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("streams", ["<&- >&- 2>&-", ">&-", ">/dev/full", ">/dev/full 2>/dev/full"])
def test_it_serves(streams: str, workers: int) -> None:
    port = free_port()
    flags = f"--host 127.0.0.1 --port {port} --workers {workers}"
    line = f'exec "{sys.executable}" -m render_service serve "{DEMO_MODEL}" {flags} {streams}'
    process = subprocess.Popen(["sh", "-c", line], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    url = f"http://127.0.0.1:{port}"
    try:
        until(lambda: answers(url) or process.poll() is not None)
        answer = httpx.post(url + "/tokenize", json={"prompt": "a"})
        assert answer.json()["count"] == 1
    finally:
        process.terminate()
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 0
    assert b"Traceback" not in errors
