"""The fingerprint through an engine and back, and the commands that show and compare it."""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest

from render_service.local_server import LocalServer, free_port
from tests.conftest import DEMO_MODEL, Serve

FLAGS = (
    *("--reasoning-parser", "qwen3", "--tool-call-parser", "hermes"),
    *("--enable-auto-tool-choice", "--served-model-name", "demo"),
)
TEMPLATE = ("--chat-template", "{% for m in messages %}{{ m.content }}{% endfor %}")
CHAT: dict[str, Any] = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 20}
RENDER = "/v1/chat/completions/render"
DERENDER = "/v1/chat/completions/derender"
GENERATE = "/inference/v1/generate"


class Fleet(NamedTuple):
    """one and same are alike, other has another template, off and required other modes."""

    engine: LocalServer
    one: LocalServer
    same: LocalServer
    other: LocalServer
    off: LocalServer
    required: LocalServer


@pytest.fixture(scope="module")
def fleet(serve: Serve, engine: Serve) -> Fleet:
    key = ("--api-key", "secret")
    return Fleet(
        engine(),
        serve(DEMO_MODEL, *FLAGS),
        serve(DEMO_MODEL, *reversed_pairs(FLAGS)),
        serve(DEMO_MODEL, *FLAGS, *TEMPLATE),
        serve(DEMO_MODEL, *FLAGS, "--fingerprint", "off"),
        serve(DEMO_MODEL, *FLAGS, "--fingerprint", "require", *key),
    )


def reversed_pairs(flags: tuple[str, ...]) -> list[str]:
    """The same flags, the last one first."""
    groups: list[list[str]] = []
    for word in flags:
        if word.startswith("--"):
            groups.append([])
        groups[-1].append(word)
    return [word for group in reversed(groups) for word in group]


def post(server: LocalServer, path: str, body: Any) -> httpx.Response:
    headers = {"Authorization": "Bearer secret"}
    return httpx.post(server.url + path, json=body, headers=headers, timeout=60)


def generated(fleet: Fleet, **fields: Any) -> tuple[dict[str, Any], httpx.Response]:
    """The generate request that replica `one` renders, and the engine's answer to it."""
    request = post(fleet.one, RENDER, CHAT | fields).json()
    return request, post(fleet.engine, GENERATE, request)


def whole(output: httpx.Response, request: dict[str, Any]) -> dict[str, Any]:
    return {
        "generate_response": output.json(),
        "chat_request": CHAT,
        "prompt_token_ids": request["token_ids"],
    }


def chunks(output: httpx.Response) -> Iterator[dict[str, Any]]:
    for line in output.text.splitlines():
        if line.startswith("data: {"):
            yield json.loads(line.removeprefix("data: "))


def value_of(server: LocalServer) -> str:
    headers = {"Authorization": "Bearer secret"}
    answer = httpx.get(server.url + "/v1/fingerprint", headers=headers).json()
    return str(answer["fingerprint"])


def test_it_comes_back_from_the_engine(fleet: Fleet) -> None:
    request, output = generated(fleet)
    value = value_of(fleet.one)
    assert request["request_id"].endswith(f"-rf{value}")
    assert output.json()["request_id"] == f"generate-tokens-{request['request_id']}"
    body = whole(output, request)
    for replica in (fleet.one, fleet.same, fleet.off, fleet.required):
        answer = post(replica, DERENDER, body)
        assert answer.status_code == 200
        assert answer.json()["id"] == output.json()["request_id"]
    answer = post(fleet.other, DERENDER, body)
    assert answer.status_code == 409
    error = answer.json()["error"]
    assert (error["type"], error["code"]) == ("ConfigFingerprintMismatch", 409)
    assert value in error["message"]
    assert value_of(fleet.other) in error["message"]


def test_a_stream_over_replicas(fleet: Fleet) -> None:
    request, output = generated(fleet, stream=True)
    state, finished = None, False
    for number, event in enumerate(chunks(output)):
        body = {"stream": True, "generate_chunk": event, "stream_state": state}
        body |= {"chat_request": CHAT, "prompt_token_ids": request["token_ids"]}
        assert post(fleet.other, DERENDER, body).status_code == 409
        if state is not None:
            anonymous = body | {"generate_chunk": event | {"request_id": ""}}
            assert post(fleet.other, DERENDER, anonymous).status_code == 409
            assert post(fleet.required, DERENDER, anonymous).status_code == 200
        replica = (fleet.one, fleet.same, fleet.required)[number % 3]
        answer = post(replica, DERENDER, body).json()
        state = answer["stream_state"]
        finished = answer["chunk"]["choices"][0]["finish_reason"] is not None
    assert finished
    assert number > 3


def test_a_replica_that_is_off(fleet: Fleet) -> None:
    answer = post(fleet.off, RENDER, CHAT)
    assert "-rf" not in answer.json()["request_id"]
    assert "x-render-fingerprint" not in answer.headers
    request = answer.json()
    body = whole(post(fleet.engine, GENERATE, request), request)
    assert post(fleet.one, DERENDER, body).status_code == 200
    refused = post(fleet.required, DERENDER, body)
    assert refused.status_code == 409
    assert "--fingerprint off" in refused.json()["error"]["message"]


def test_the_header(fleet: Fleet) -> None:
    value = value_of(fleet.one)
    assert post(fleet.one, RENDER, CHAT).headers["x-render-fingerprint"] == value
    answer = post(fleet.one, "/v1/completions/render", {"prompt": ["a", "b"], "request_id": "c"})
    assert answer.headers["x-render-fingerprint"] == value
    ids = [request["request_id"] for request in answer.json()]
    assert ids == [f"cmpl-c-0-rf{value}", f"cmpl-c-1-rf{value}"]
    refused = post(fleet.one, RENDER, {"messages": 5})
    assert "x-render-fingerprint" not in refused.headers
    tokenized = post(fleet.one, "/tokenize", {"prompt": "a"})
    assert "x-render-fingerprint" not in tokenized.headers


def test_the_page(fleet: Fleet) -> None:
    assert httpx.get(fleet.required.url + "/v1/fingerprint").status_code == 401
    for server, mode in ((fleet.one, "check"), (fleet.off, "off"), (fleet.required, "require")):
        headers = {"Authorization": "Bearer secret"}
        answer = httpx.get(server.url + "/v1/fingerprint", headers=headers).json()
        assert answer["mode"] == mode
        assert answer["fingerprint"] == value_of(fleet.one)
        assert "chat_template" in answer["components"]
    assert httpx.post(fleet.one.url + "/v1/fingerprint").status_code == 405


def test_the_start_up_block(fleet: Fleet) -> None:
    assert f"fingerprint {value_of(fleet.one)} (check)" in fleet.one.output()


# Commands


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "render_service", *words], capture_output=True, text=True, timeout=60
    )


def test_fingerprint_without_serving(fleet: Fleet) -> None:
    words = ["fingerprint", str(DEMO_MODEL), *FLAGS, "--port", "1", "--dtype", "auto"]
    ended = command(*words)
    assert (ended.returncode, ended.stdout) == (0, value_of(fleet.one) + "\n")
    ended = command(*words, "--json")
    assert json.loads(ended.stdout) == httpx.get(fleet.one.url + "/v1/fingerprint").json()
    ended = command("fingerprint", "/nowhere/at/all")
    assert ended.returncode == 2
    assert ended.stderr.startswith("render-service fingerprint: error: ")
    assert ended.stderr.count("\n") == 1


def test_a_fleet_that_is_alike(fleet: Fleet) -> None:
    urls = [fleet.one.url, f"127.0.0.1:{fleet.same.port}", fleet.off.url + "/"]
    ended = command("fleet-check", *urls)
    assert (ended.returncode, ended.stderr) == (0, "")
    head, *rows = ended.stdout.splitlines()
    assert head.split() == ["replica", "fingerprint", "mode", "differs", "in"]
    value = value_of(fleet.one)
    modes = ("check", "check", "off")
    assert [row.split() for row in rows] == [
        [url, value, mode] for url, mode in zip(urls, modes, strict=True)
    ]


def test_a_fleet_with_another_template(fleet: Fleet) -> None:
    urls = [fleet.other.url, fleet.one.url, fleet.same.url]
    ended = command("fleet-check", *urls)
    assert ended.returncode == 1
    _, *rows = [line.split() for line in ended.stdout.splitlines()]
    assert rows[0] == [urls[0], value_of(fleet.other), "check", "chat_template"]
    assert rows[1:] == [[url, value_of(fleet.one), "check"] for url in urls[1:]]
    # Of equally many, the first one is right.
    ended = command("fleet-check", "--json", *urls[:2])
    assert ended.returncode == 1
    found = json.loads(ended.stdout)
    assert found["fingerprint"] == value_of(fleet.other)
    one, two = found["replicas"]
    assert (one["url"], one["differing"]) == (urls[0], [])
    assert (two["url"], two["differing"]) == (urls[1], ["chat_template"])
    assert two["components"] == httpx.get(urls[1] + "/v1/fingerprint").json()["components"]


def test_a_fleet_with_a_key(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    urls = [fleet.one.url, fleet.required.url]
    ended = command("fleet-check", *urls)
    assert ended.returncode == 2
    assert "cannot be asked: it wants another API key (--api-key)" in ended.stdout
    assert command("fleet-check", *urls, "--api-key", "secret").returncode == 0
    monkeypatch.setenv("VLLM_API_KEY", "secret")
    assert command("fleet-check", *urls).returncode == 0


ANSWERS = {
    "/gone": (404, b"{}", "status 404 for /v1/fingerprint"),
    "/html": (200, b"<html>", "its answer is not a fingerprint"),
    "/terminal": (
        200,
        b'{"fingerprint": "\\u001b[2J", "components": {}, "mode": "check"}',
        "its answer is not a fingerprint",
    ),
    "/endless": (200, b'"' + b"x" * 10**6, "its answer is not a fingerprint"),
}


class Stranger(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status, body, _ = ANSWERS[self.path.removesuffix("/v1/fingerprint")]
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def stranger() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stranger) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_fleet_of_which_some_cannot_be_asked(fleet: Fleet, stranger: str) -> None:
    down = f"http://127.0.0.1:{free_port()}"
    strange = [stranger + path for path in ANSWERS]
    nowhere = ["http://no.such.host.invalid", "http://a..b"]
    ended = command("fleet-check", fleet.one.url, fleet.other.url, down, *strange, *nowhere)
    assert (ended.returncode, ended.stderr) == (2, "")
    rows = dict(line.split(maxsplit=1) for line in ended.stdout.splitlines()[1:])
    assert rows[fleet.other.url].endswith("chat_template"), "what can be compared is compared"
    for url, (_, _, error) in zip(strange, ANSWERS.values(), strict=True):
        assert rows[url].endswith(f"cannot be asked: {error}")
    for url in (down, *nowhere):
        assert "cannot be asked: " in rows[url]
    ended = command("fleet-check", "--json", down)
    found = json.loads(ended.stdout)
    assert (ended.returncode, found["fingerprint"]) == (2, None)
    assert "refused" in found["replicas"][0]["error"]


@pytest.mark.parametrize("url", ["ftp://a", "http://", "http://a:99999", "http://a:x", "[", "a:0"])
def test_what_is_no_address(url: str) -> None:
    ended = command("fleet-check", url)
    assert ended.returncode == 2
    assert "is not a server's address" in ended.stderr
    assert ended.stderr.count("\n") == 1
