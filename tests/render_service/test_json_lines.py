"""--log-format json: whoever writes a line, it is an object."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

import httpx
import pytest

from render_service.local_server import LocalServer, free_port
from tests.conftest import DEMO_MODEL
from tests.render_service.processes import children
from tests.render_service.waiting import until

JSON = ("--log-format", "json")
RENDER = "/v1/chat/completions/render"


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def messages(server: LocalServer) -> str:
    return "\n".join(str(line.get("message")) for line in lines(server.output()))


def test_all_lines_of_a_service_with_faults() -> None:
    """A client's error, a worker that is killed, a collector that is not there."""
    pytest.importorskip("opentelemetry.sdk", reason="the extra `otel` is not installed")
    nowhere = f"http://127.0.0.1:{free_port()}"
    flags = ("--workers", "2", "--otlp-traces-endpoint", nowhere, "--dtype", "auto")
    env = {"OTEL_BSP_SCHEDULE_DELAY": "100"}
    with LocalServer(
        ["render_service", "serve", str(DEMO_MODEL), *JSON, *flags], env=env
    ) as server:
        assert httpx.post(server.url + RENDER, json={"messages": 1}).status_code == 400
        until(lambda: [x for x in lines(server.output()) if x.get("status") == 400])
        until(lambda: "retrying" in messages(server))
        until(lambda: len(children(server.process.pid)) == 2)
        os.kill(min(children(server.process.pid)), signal.SIGKILL)
        until(lambda: "has died (exit code -9); replaced" in messages(server))
        server.process.terminate()
        assert server.process.wait(30) == 0
        found = lines(server.output())
    assert any("without effect here: --dtype" in str(line.get("message")) for line in found)
    assert {"opentelemetry.exporter.otlp.proto.http.trace_exporter", "uvicorn.error"} <= {
        line.get("logger") for line in found
    }
    assert all({"time", "level"} <= line.keys() for line in found)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["/nowhere/at/all"], 2, "/nowhere/at/all"),
        (["--middleware", "tests.render_service.middlewares.Broken"], 1, "Failed"),
    ],
)
def test_a_start_that_fails(words: list[str], code: int, message: str) -> None:
    command = [sys.executable, "-m", "render_service", "serve", *JSON, "--port", "0", *words]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == code
    line = lines(ended.stderr)[-1]
    assert line["level"] == "critical"
    assert message in line["message"]
    assert ("a fault of its own" in line.get("exception", "")) == (code == 1)


# Libraries bring handlers of their own, warn, and fail in threads.
LIBRARY = """
import logging, threading, warnings
from render_service import logs
from render_service.settings import Settings

logs.configure(Settings(log_format="json"))
own = logging.getLogger("a.library")
handler = logging.StreamHandler()
handler.setFormatter(logging.Formatter("plain: %(message)s"))
own.addHandler(handler)
own.propagate = False
own.warning("its own handler")
logging.getLogger("another").error("no handler")
warnings.warn("a\\nwarning")
thread = threading.Thread(target=lambda: 1 / 0)
thread.start()
thread.join()
"""


def test_lines_of_libraries() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", LIBRARY], capture_output=True, text=True, timeout=60, check=True
    )
    found = [(line["logger"], line["message"].splitlines()[0]) for line in lines(ended.stderr)]
    assert found[:2] == [("a.library", "its own handler"), ("another", "no handler")]
    assert found[2][0] == "py.warnings"
    assert found[3] == ("render_service", "Failed")
    assert "ZeroDivisionError" in ended.stderr
