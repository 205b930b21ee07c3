"""The exit codes of `serve` that docs/operations.md promises, those of a running service aside."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.render_service.waiting import until


def started(*words: str, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "render_service", "serve", "--port", "0", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **env},
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, errors = process.communicate(timeout=30)
    return process.returncode, errors


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_while_it_starts(number: signal.Signals, code: int, tmp_path: Path) -> None:
    fifo = tmp_path / "config.yaml"
    os.mkfifo(fifo)
    process = started("--config", str(fifo))
    with fifo.open("w"):  # it has begun to read, and waits
        process.send_signal(number)
        assert ended(process) == (code, "")


IN_A_DESTRUCTOR = """
import os, signal, sys
from render_service import cli, loading

load = loading.load_model

class Dying:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)

def late(settings):
    Dying()
    return load(settings)

loading.load_model = late
sys.exit(cli.main(sys.argv[1:]))
"""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_signal_where_python_ignores_what_it_raises(workers: str) -> None:
    command = [sys.executable, "-c", IN_A_DESTRUCTOR, "serve", "--port", "0", "--workers", workers]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert "Exception ignored in" in done.stderr
    assert done.returncode == 0


def test_a_mistake() -> None:
    code, errors = ended(started("/nowhere/at/all"))
    assert (code, errors.count("\n")) == (2, 1)


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_a_port_that_is_in_use(log_format: str) -> None:
    """A restart may mend it: the other process may have ended."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        where = ("--host", "127.0.0.1", "--port", str(other.getsockname()[1]))
        code, errors = ended(started(*where, "--log-format", log_format))
    assert (code, errors.count("\n")) == (1, 1)
    assert "cannot listen on 127.0.0.1 port" in errors


def test_a_hub_that_cannot_be_reached(tmp_path: Path) -> None:
    hub = {"HF_ENDPOINT": "http://127.0.0.1:1", "HF_HOME": str(tmp_path)}
    code, errors = ended(started("org/model", **hub, HF_HUB_OFFLINE="0"))
    assert code == 1
    assert "the hub cannot be reached" in errors
    code, errors = ended(started("org/model", **hub, HF_HUB_OFFLINE="1"))
    assert code == 2
    assert "HF_HUB_OFFLINE is set" in errors


def test_a_fault() -> None:
    code, errors = ended(started("--middleware", "tests.render_service.middlewares.Broken"))
    assert code == 1
    assert "RuntimeError: a fault of its own" in errors


def test_the_kernel_or_a_person_kills_it(tmp_path: Path) -> None:
    fifo = tmp_path / "config.yaml"
    os.mkfifo(fifo)
    process = started("--config", str(fifo))
    with fifo.open("w"):
        process.kill()
        assert ended(process)[0] == -signal.SIGKILL


def test_all_workers_fail() -> None:
    """They are tried again and again; only a signal ends it."""
    process = started("--workers", "2", "--middleware", "tests.render_service.middlewares.Broken")
    assert process.stderr is not None
    lines = iter(process.stderr.readline, "")
    until(lambda: "has died (exit code 1); replaced" in next(lines))
    process.terminate()
    assert ended(process)[0] == 0
