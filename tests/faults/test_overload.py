"""Twice what it can do: what is answered is right, the rest is refused in time, nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx

from render_service.local_server import LocalServer
from tests.conftest import DEMO_MODEL
from tests.long.overload import drive
from tests.render_service.waiting import until

JSON = {"Content-Type": "application/json"}
HELD = "tests.render_service.held_service"


def hold(server: LocalServer, file: Path, key: str = "a") -> httpx.Response:
    headers = {**JSON, "Authorization": f"Bearer {key}"}
    return httpx.post(server.url + "/tokenize", content=str(file), headers=headers, timeout=60)


def refused(answer: httpx.Response, status: int, words: str) -> None:
    assert answer.status_code == status
    assert words in answer.json()["error"]["message"]
    assert answer.headers["retry-after"] == "1"


@contextmanager
def held(folder: Path, *flags: str) -> Iterator[LocalServer]:
    """A service with one request in work, until the file `go` is there; then there is room."""
    with LocalServer([HELD, str(DEMO_MODEL), *flags]) as server, ThreadPoolExecutor(1) as pool:
        running = pool.submit(hold, server, folder / "go")
        until((folder / "go.started").exists)
        yield server
        (folder / "go").touch()
        assert running.result().status_code == 200
        assert hold(server, folder / "go").status_code == 200


def test_waiting_is_bounded_and_leaves_its_place(tmp_path: Path) -> None:
    with held(tmp_path, "--max-queue-wait", "0.2", "--max-num-queued-reqs", "1") as server:
        for _ in range(3):
            refused(hold(server, tmp_path / "other"), 503, "no thread was free")
    assert not (tmp_path / "other.started").exists()  # nobody waits for it any more


def test_time_is_bounded(tmp_path: Path) -> None:
    flags = ("--request-timeout", "0.2", "--shutdown-timeout", "0")
    with LocalServer([HELD, str(DEMO_MODEL), *flags]) as server:
        refused(hold(server, tmp_path / "go"), 503, "took longer than 0.2 seconds")
        (tmp_path / "go").touch()  # until then the thread is not free
        assert hold(server, tmp_path / "go").status_code == 200


def test_a_key_has_a_share(tmp_path: Path) -> None:
    with held(tmp_path, "--max-key-reqs", "1", "--renderer-num-workers", "2") as server:
        refused(hold(server, tmp_path / "go"), 429, "with this API key")
        (tmp_path / "free").touch()
        assert hold(server, tmp_path / "free", "b").status_code == 200


def test_twice_the_capacity() -> None:
    found = drive(seconds=5, size=40_000, waiting=4)
    assert set(found.statuses) == {200, 503}, found
    assert found.wrong == 0
    assert found.recovered
