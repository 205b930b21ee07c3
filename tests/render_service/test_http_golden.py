"""The HTTP layer answers as vLLM's: keys, CORS, routes, content types (tests/golden/server)."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from typing import Any

import pytest

from render_service import __version__
from render_service.local_server import LocalServer
from tests.conftest import DEMO_MODEL, Serve

CASES = json.loads((Path(__file__).parent.parent / "golden" / "server" / "http.json").read_text())
FLAGS = (
    *("--served-model-name", "first", "second", "--enable-request-id-headers"),
    *("--api-key", "key-one", "key-two", "--root-path", "/prefix"),
    *("--allowed-origins", '["https://ok.example"]'),
)


@pytest.fixture(scope="module")
def service(serve: Serve) -> LocalServer:
    return serve(DEMO_MODEL, *FLAGS)


def ask(service: LocalServer, request: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
    try:
        body, headers = request["body"], request["headers"]
        connection.request(request["method"], request["path"], body=body, headers=headers)
        answer = connection.getresponse()
        text = answer.read().decode()
    finally:
        connection.close()
    headers = {name.lower(): value for name, value in answer.getheaders()}
    try:
        return answer.status, headers, json.loads(text)
    except ValueError:
        return answer.status, headers, text


def comparable(body: Any) -> Any:
    """Without what differs by model, by time, or by release."""
    if not isinstance(body, dict):
        return body
    if "version" in body:
        return {"version": str}
    if "tokens" in body:
        return sorted(body)
    for card in body.get("data", ()):
        for part in (card, *card["permission"]):
            for name in ("created", "root", "max_model_len"):
                part.pop(name, None)
        for permission in card["permission"]:
            permission["id"] = permission["id"].partition("-")[0], len(permission["id"])
    return body


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_as_vllm(case: dict[str, Any], service: LocalServer) -> None:
    status, headers, body = ask(service, case["request"])
    expected = case["answer"]
    assert status == expected["status"]
    if isinstance(body, dict) and case["name"] in ("empty body", "bad JSON"):
        assert body["error"].pop("message")
        expected["body"]["error"].pop("message")
    assert comparable(body) == comparable(expected["body"])
    for name, value in expected["headers"].items():
        # `Vary: Origin` on answers to requests that have no Origin says nothing.
        if name != "content-length" and (name != "vary" or "Origin" in case["request"]["headers"]):
            assert headers[name] == value
    assert "content-length" in headers


@pytest.mark.parametrize("origin", [None, "https://ok.example"])
def test_headers_that_are_not_sent(service: LocalServer, origin: str | None) -> None:
    headers = {} if origin is None else {"Origin": origin}
    request = {"method": "GET", "path": "/health", "headers": headers, "body": None}
    found = ask(service, request)[1]
    assert "server" not in found
    assert ("vary" in found) == (origin is not None)


def test_version_is_ours(service: LocalServer) -> None:
    request = {"method": "GET", "path": "/version", "headers": {}, "body": None}
    assert ask(service, request)[2] == {"version": __version__}


def test_a_request_without_an_id_gets_one(service: LocalServer) -> None:
    request = {"method": "GET", "path": "/health", "headers": {}, "body": None}
    first, second = (ask(service, request)[1]["x-request-id"] for _ in range(2))
    assert len(first) == 32
    assert first != second


def test_redirects_keep_the_prefix_and_the_query(service: LocalServer) -> None:
    request = {"method": "GET", "path": "/prefix/health/?a=1", "headers": {}, "body": None}
    status, headers, _ = ask(service, request)
    assert (status, headers["location"]) == (307, "/prefix/health?a=1")
    for path in ("//health/", "/prefix//health/", "//evil.example/health/"):
        assert ask(service, request | {"path": path})[0] == 404
