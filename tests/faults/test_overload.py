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


def hold(
    server: LocalServer, file: Path, key: str = "a", path: str = "/tokenize"
) -> httpx.Response:
    headers = {**JSON, "Authorization": f"Bearer {key}"}
    return httpx.post(server.url + path, content=str(file), headers=headers, timeout=60)


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


def test_of_several_keys_one_that_has_its_share_is_refused(tmp_path: Path) -> None:
    """On a path that asks for a key, which vLLM's own flag gives."""
    keyed, files = "/v1/completions/render", (tmp_path / "1", tmp_path / "2")
    shares = ("--max-key-reqs", "2", "--renderer-num-workers", "4", "--max-num-queued-reqs", "4")
    keys = ("--api-key", "first", "second", "third")
    with (
        LocalServer([HELD, str(DEMO_MODEL), *shares, *keys]) as server,
        ThreadPoolExecutor(4) as pool,
    ):
        held = [pool.submit(hold, server, file, "first", keyed) for file in files]
        until(lambda: all(Path(f"{file}.started").exists() for file in files))
        (free := tmp_path / "free").touch()
        refused(hold(server, free, "first", keyed), 429, "2 requests with this API key")
        other_spelling = {**JSON, "Authorization": "BEARER first"}
        again = httpx.post(server.url + keyed, content=str(free), headers=other_spelling)
        assert again.status_code == 429
        assert hold(server, free, "fourth", keyed).status_code == 401
        for key in ("second", "third"):
            assert hold(server, free, key, keyed).status_code == 200
        for file, answer in zip(files, held, strict=True):
            file.touch()
            assert answer.result().status_code == 200
        assert hold(server, free, "first", keyed).status_code == 200


def test_twice_the_capacity() -> None:
    found = drive(seconds=5, size=40_000, waiting=4)
    assert set(found.statuses) == {200, 503}, found
    assert found.wrong == 0
    assert found.recovered
