"""Workers that do not end, that fail, and that die early."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.render_service.processes import children
from tests.render_service.waiting import until

Process = subprocess.Popen[str]


def start(file: Path, *words: str) -> tuple[Process, Callable[[], str]]:
    """The process, and what it has printed so far."""
    with file.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.render_service.odd_workers", *words],
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
        )
    return process, file.read_text


def test_workers_that_do_not_end_are_killed(tmp_path: Path) -> None:
    process, output = start(tmp_path / "output", "stubborn")
    until(lambda: output().count("runs") == 2)
    workers = children(process.pid)
    process.terminate()
    assert process.wait(30) == 0
    assert output().count("stopping") == 1
    assert output().endswith("ended\n")
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)


def test_workers_that_fail_are_replaced_without_haste(tmp_path: Path) -> None:
    """A worker that fails at once is started again after a pause, and the failure is logged."""
    process, output = start(tmp_path / "output", "failing")
    until(lambda: output().count("RuntimeError: worker fails") >= 4)
    process.terminate()
    assert process.wait(30) == 0
    assert "has died (exit code 1)" in output()


def test_workers_that_die_early_come_back(tmp_path: Path) -> None:
    process, output = start(tmp_path / "output", "failing-once", str(tmp_path))
    until(lambda: output().count("runs") == 2)
    assert output().count("has died (exit code 3)") == 2
    process.terminate()
    assert process.wait(30) == 0
    assert "killed" not in output()


def test_workers_that_cannot_be_started_are_tried_again(tmp_path: Path) -> None:
    process, output = start(tmp_path / "output", "unborn")
    until(lambda: output().count("runs") == 2)
    assert output().count("A worker process cannot be started: Resource temporarily") == 3
    process.terminate()
    assert process.wait(30) == 0
