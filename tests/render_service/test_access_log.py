"""--log-format json: each line is an object, and none holds what a client wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from render_service import __version__
from render_service.local_server import LocalServer
from tests.conftest import DEMO_MODEL
from tests.render_service.waiting import until

RENDER = "/v1/chat/completions/render"
DERENDER = "/v1/chat/completions/derender"
CHAT = {"messages": [{"role": "user", "content": "a secret"}]}
FLAGS = ("--log-format", "json", "--uvicorn-log-level", "warning")


def serve(*flags: str) -> LocalServer:
    return LocalServer(["render_service", "serve", str(DEMO_MODEL), *FLAGS, *flags])


def lines(server: LocalServer) -> list[dict[str, Any]]:
    """All of them, but for the one that says what is served."""
    found = [json.loads(line) for line in server.output().splitlines()]
    return [line for line in found if line.get("message") != f"render-service {__version__}"]


def test_a_line_for_each_request() -> None:
    without = ("--disable-access-log-for-endpoints", "/health")
    with serve(*without) as server:
        ids = {"X-Request-Id": "abc"}
        rendered = httpx.post(server.url + RENDER, json=CHAT, headers=ids).json()
        chunk = {
            "request_id": rendered["request_id"],
            "choices": [{"index": 0, "token_ids": rendered["token_ids"][:3]}],
        }
        body = {"stream": True, "chat_request": CHAT, "generate_chunk": chunk}
        httpx.post(server.url + DERENDER, json=body).raise_for_status()
        httpx.post(server.url + RENDER, json={"messages": "a secret"}, headers=ids)
        chunk["request_id"] = "chatcmpl-abc-rf" + "0" * 12
        assert httpx.post(server.url + DERENDER, json=body).status_code == 409
        httpx.get(server.url + '/a"\u00e9?secret')
        until(lambda: len(lines(server)) == 5)
        found = lines(server)
        assert "secret" not in server.output()
    first, second, bad, mismatch, nothing = found
    assert mismatch["request_id"] == chunk["request_id"]
    assert first["time"].endswith("Z")
    assert first["level"] == "info"
    assert first["request_id"] == second["request_id"] == rendered["request_id"]
    assert (first["method"], first["path"], first["status"]) == ("POST", RENDER, 200)
    assert first["model"] == str(DEMO_MODEL)
    assert (first["prompt_tokens"], first["output_tokens"]) == (len(rendered["token_ids"]), None)
    assert (second["prompt_tokens"], second["output_tokens"]) == (None, 3)
    spent = first["microseconds"]
    assert spent.keys() == {"total", "waiting", "template", "tokenize", "other"}
    assert sum(spent.values()) <= 2 * spent["total"]
    assert second["microseconds"].keys() == {"total", "waiting", "detokenize", "parse", "other"}
    assert (bad["status"], bad["request_id"], bad["error"]) == (400, "abc", "Bad Request")
    assert "message" not in bad
    assert (mismatch["status"], mismatch["error"]) == (409, "ConfigFingerprintMismatch")
    assert "fingerprint" in mismatch["message"]
    assert (nothing["status"], nothing["path"]) == (404, '/a"\u00e9')
    assert nothing["error"] == "Not Found"
    assert not {"error", "message"} & first.keys()


def test_refusals_that_no_endpoint_makes(tmp_path: Path) -> None:
    """Keys, sizes, one client's share, load: what was wrong, and never what the client wrote."""
    limits = ("--max-key-reqs", "1", "--max-num-queued-reqs", "0", "--renderer-num-workers", "2")
    words = (*limits, "--max-body-bytes", "1k", "--api-key", "secret")
    held = LocalServer(["tests.render_service.held_service", str(DEMO_MODEL), *FLAGS, *words])
    with held as server, ThreadPoolExecutor(2) as pool:

        def post(key: str, content: str, path: str = "/tokenize") -> int:
            headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
            where = server.url + path
            return httpx.post(where, content=content, headers=headers, timeout=60).status_code

        files = [tmp_path / "1", tmp_path / "2"]
        running = []
        for file in files:
            running.append(pool.submit(post, f"secret of {file.name}", str(file)))
            until(Path(f"{file}.started").exists)
            if len(running) == 1:
                assert post("secret of 1", "a secret") == 429
        assert post("secret of 3", "a secret") == 503
        for file in files:
            file.touch()
        assert [one.result() for one in running] == [200, 200]
        assert post("a secret", "{}", "/v1/completions/render") == 401
        assert post("secret of 4", "a secret" * 1000) == 413
        assert post("secret of 4", "a secret", "/detokenize") == 500
        found = until(lambda: by_status(server, {401, 413, 429, 500, 503}))
        text = server.output().replace("RuntimeError: a secret", "")
    assert "secret" not in text.replace('raise RuntimeError(\\"a secret\\")', "")
    assert {status: (line["error"], "message" in line) for status, line in found.items()} == {
        401: ("Unauthorized", False),
        413: ("RequestEntityTooLargeError", False),
        429: ("RateLimitError", True),
        500: ("InternalServerError", False),
        503: ("ServiceUnavailableError", True),
    }
    assert "1 requests with this API key" in found[429]["message"]
    assert "0 requests are waiting" in found[503]["message"]


def by_status(server: LocalServer, wanted: set[int]) -> dict[int, dict[str, Any]]:
    """A line of each status, when all are there."""
    found = {line["status"]: line for line in lines(server) if line.get("status") in wanted}
    return found if found.keys() == wanted else {}


def test_work_in_a_thread_is_timed_as_well() -> None:
    with serve() as server:
        big = {"messages": [{"role": "user", "content": "tea " * 10_000}]}
        httpx.post(server.url + RENDER, json=big).raise_for_status()
        spent = until(lambda: [x for x in lines(server) if x["path"] == RENDER])[0]
    assert spent["microseconds"]["tokenize"] > 0


def test_text_of_requests_only_if_asked_for() -> None:
    with serve("--enable-log-requests", "--uvicorn-log-level", "info") as server:
        httpx.post(server.url + RENDER, json=CHAT).raise_for_status()
        until(lambda: [x for x in lines(server) if x.get("path") == RENDER])
        logged = [x for x in lines(server) if "a secret" in x.get("message", "")]
    assert [x["logger"] for x in logged] == ["render_service"]


def test_no_lines_where_none_are_wanted() -> None:
    with serve("--disable-uvicorn-access-log") as server:
        httpx.post(server.url + RENDER, json=CHAT).raise_for_status()
        assert not lines(server)


OWN = "of-the-output"
REQUEST = {"messages": CHAT["messages"], "request_id": "of-the-chat", "note": '{"request_id": "b"}'}
CHUNK = {"choices": 1, "request_id": OWN}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"stream": True, "chat_request": REQUEST, "generate_chunk": CHUNK}, OWN),
        ({"stream": True, "generate_chunk": [CHUNK], "chat_request": REQUEST}, OWN),
        ({"chat_request": REQUEST, "generate_response": CHUNK}, OWN),
        ({"chat_request": REQUEST}, "of-the-chat"),
        ({"generate_chunk": {"request_id": "x" * 1000}}, "x" * 256),
        ({"generate_chunk": {"request_id": 1}}, "header"),
        ([], "header"),
    ],
)
def test_the_id_of_a_refused_output(refusing: LocalServer, body: Any, found: str) -> None:
    before = len(refused(refusing))
    answer = httpx.post(refusing.url + DERENDER, json=body, headers={"X-Request-Id": "header"})
    assert answer.status_code == 400
    assert until(lambda: refused(refusing)[before:])[0]["request_id"] == found


def refused(server: LocalServer) -> list[dict[str, Any]]:
    return [line for line in lines(server) if line.get("status") == 400]


@pytest.fixture(scope="module")
def refusing() -> Iterator[LocalServer]:
    with serve() as server:
        yield server
