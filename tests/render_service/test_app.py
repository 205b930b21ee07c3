"""The application around the endpoints: bodies, threads, errors, logs, over real HTTP."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import httpx
import pytest

from render_service.local_server import LocalServer
from tests.conftest import DEMO_MODEL, Serve
from tests.render_service.waiting import until

MODULE = "tests.render_service.held_service"
ECHO = "/v1/chat/completions/render"
FLAGS = ("--max-body-bytes", "4K", "--max-num-queued-reqs", "1", "--h11-max-header-count", "20")
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def service() -> Iterator[LocalServer]:
    heads = ("--h11-max-incomplete-event-size", "2K", "--enable-log-requests", "--max-log-len", "9")
    with LocalServer([MODULE, str(DEMO_MODEL), *FLAGS, *heads]) as server:
        yield server


def post(service: LocalServer, path: str, body: bytes) -> httpx.Response:
    return httpx.post(service.url + path, content=body, headers=JSON, timeout=60)


@pytest.mark.parametrize("size", [0, 5, 1024, 1025, 4094])
def test_bodies_are_answered(service: LocalServer, size: int) -> None:
    body = json.dumps("x" * size).encode()[: size + 2] if size else b"0"
    answer = post(service, ECHO, body)
    assert (answer.status_code, answer.content) == (200, body)
    assert answer.headers["content-type"] == "application/json"


def chunks(size: int) -> Iterator[bytes]:
    yield b'"'
    for _ in range(size):
        yield b"x" * 1000
    yield b'"'


def test_chunked_body(service: LocalServer) -> None:
    answer = httpx.post(service.url + ECHO, content=chunks(4), headers=JSON)
    assert (answer.status_code, len(answer.content)) == (200, 4002)


@pytest.mark.parametrize("content", [b"x" * 4097, chunks(5)], ids=["declared", "chunked"])
def test_body_over_the_bound(service: LocalServer, content: Any) -> None:
    answer = httpx.post(service.url + ECHO, content=content, headers=JSON)
    assert answer.status_code == 413
    error = answer.json()["error"]
    assert error["type"] == "RequestEntityTooLargeError"
    assert error["code"] == 413
    assert "4096 bytes" in error["message"]


def test_unhandled_error_tells_nothing(service: LocalServer) -> None:
    before = service.output().count("RuntimeError: a secret")
    answer = post(service, "/detokenize", b"{}")
    assert answer.status_code == 500
    assert answer.json() == {
        "error": {
            "message": "Internal server error",
            "type": "InternalServerError",
            "param": None,
            "code": 500,
        }
    }
    assert service.output().count("RuntimeError: a secret") == before + 1


def test_client_that_leaves_amid_its_body(service: LocalServer) -> None:
    before = service.output().count("Traceback")
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", service.port)) as client:
            head = f"POST {ECHO} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            client.sendall(head.encode() + b"Content-Length: 100\r\n\r\n{")
    assert post(service, ECHO, b"{}").status_code == 200
    assert service.output().count("Traceback") == before
    assert "ASGI" not in service.output()


def test_overload(service: LocalServer, tmp_path: Path) -> None:
    """One thread and one place to wait: of three more requests, two are refused at once."""
    file = tmp_path / "go"
    with ThreadPoolExecutor(4) as pool:
        running = pool.submit(post, service, "/tokenize", str(file).encode())
        until(Path(f"{file}.started").exists)
        more = [pool.submit(post, service, "/tokenize", str(file).encode()) for _ in range(3)]
        done = as_completed(more)
        refused = [next(done).result(), next(done).result()]
        assert post(service, ECHO, b"{}").status_code == 200  # small ones need no thread
        file.touch()
        assert next(done).result().json() == running.result().json() == {"held": True}
    for answer in refused:
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        error = answer.json()["error"]
        assert (error["type"], error["code"]) == ("ServiceUnavailableError", 503)


def test_too_many_headers(service: LocalServer) -> None:
    answer = httpx.get(service.url + "/health", headers={f"x-{n}": "1" for n in range(30)})
    assert answer.status_code == 431
    assert answer.json()["error"]["code"] == 431


@pytest.mark.parametrize("part", [b"x-a: " + b"b" * 4000, b"x-a: b\r\n" * 500])
def test_head_without_an_end(service: LocalServer, part: bytes) -> None:
    with socket.create_connection(("127.0.0.1", service.port)) as client:
        client.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n" + part)
        assert client.recv(4096).startswith(b"HTTP/1.1 400 ")
        assert client.recv(4096) == b""


def test_heads_of_one_connection_are_counted_apart(service: LocalServer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", service.port)
    for _ in range(5):
        connection.request("POST", ECHO, body=b" " * 3000, headers=JSON | {"x-a": "b" * 900})
        assert connection.getresponse().read() == b" " * 3000
    connection.close()


def test_pipelined_requests(service: LocalServer) -> None:
    with socket.create_connection(("127.0.0.1", service.port)) as client:
        client.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n" * 3)
        received = b""
        while received.count(b"HTTP/1.1 200 OK") < 3:
            received += client.recv(4096)


def test_no_web_sockets(service: LocalServer) -> None:
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": "x",
        "Sec-WebSocket-Version": "13",
    }
    answer = httpx.get(service.url + "/v1/nothing", headers=upgrade)
    assert answer.status_code == 404


def test_requests_are_logged_when_asked(service: LocalServer) -> None:
    post(service, ECHO, b'{"messages": "a long story", "seed": 7, "id": "given"}')
    (line,) = [line for line in service.output().splitlines() if '"seed":7' in line]
    assert line.endswith(
        'given /v1/chat/completions/render: params: {"seed":7,"id":"given"}, text: {"message'
    )


def test_the_id_that_is_logged_is_the_answers(serve: Serve) -> None:
    service = serve(DEMO_MODEL, "--enable-log-requests")
    (rendered,) = post(service, "/v1/completions/render", b'{"prompt": "a", "seed": 8}').json()
    body = json.dumps({"messages": [{"role": "user", "content": "a"}], "seed": 9}).encode()
    chat = post(service, ECHO, body).json()
    post(service, "/detokenize", b'{"tokens": [1], "model": null}')
    output = service.output()
    assert f'{rendered["request_id"]} /v1/completions/render: params: {{"seed":8}}' in output
    assert f'{chat["request_id"]} {ECHO}: params: {{"seed":9}}' in output
    assert '- /detokenize: params: {"model":null}, text: {"tokens":[1]}' in output


def test_a_request_id_cannot_write_lines_of_the_log(service: LocalServer) -> None:
    post(service, ECHO, json.dumps({"seed": 11, "id": "a\nINFO: all is well\x1b[2J"}).encode())
    (line,) = [line for line in service.output().splitlines() if '"seed":11' in line]
    assert r"a\nINFO: all is well\u001b[2J" in line.partition(ECHO)[0]


def test_text_is_not_logged_unasked(serve: Serve) -> None:
    service = serve()
    post(service, "/tokenize", b'{"prompt": "a long story"}')
    assert "POST /tokenize" in service.output()
    assert "story" not in service.output()
