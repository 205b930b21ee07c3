"""What /metrics shows: counts by endpoint and status, times, tokens, outcomes, state sizes."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from render_service.answer import Answer
from render_service.local_server import LocalServer
from render_service.meters import Meter
from render_service.metrics import Metrics
from tests.conftest import DEMO_MODEL
from tests.render_service.processes import children
from tests.render_service.waiting import until

JSON = {"Content-Type": "application/json"}
ECHO = "/v1/chat/completions/render"


@pytest.fixture(scope="module")
def service() -> Iterator[LocalServer]:
    flags = ("--max-body-bytes", "1K", "--api-key", "k")
    with LocalServer(["tests.render_service.held_service", str(DEMO_MODEL), *flags]) as server:
        yield server


def samples(text: str) -> dict[tuple[str, ...], float]:
    """(name, label values by label name) -> value."""
    return {
        (sample.name, *(sample.labels[name] for name in sorted(sample.labels))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_over_http(service: LocalServer) -> None:
    key = JSON | {"Authorization": "Bearer k"}
    for content in (b"{}", b"{}", b"x" * 2000):
        httpx.post(service.url + ECHO, content=content, headers=key)
    httpx.post(service.url + ECHO, content=b"{}", headers=JSON)
    httpx.post(service.url + ECHO, content=b"{}", headers={"Authorization": "Bearer k"})
    httpx.post(service.url + "/detokenize", content=b"{}", headers=JSON)
    httpx.get(service.url + ECHO, headers=key)
    httpx.get(service.url + "/v1/models", headers=key)
    for path in ("/nothing", "/nothing/else", "/v1/nothing"):
        httpx.get(service.url + path, headers=key)
    answer = httpx.get(service.url + "/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    found = samples(answer.text)
    requests = {
        (labels[0], labels[1]): value
        for (name, *labels), value in found.items()
        if name == "render_service_requests_total" and labels[0] != "/health"
    }
    assert requests == {
        (ECHO, "200"): 2,
        (ECHO, "400"): 1,
        (ECHO, "401"): 1,
        (ECHO, "405"): 1,
        (ECHO, "413"): 1,
        ("/detokenize", "500"): 1,
        ("/v1/models", "200"): 1,
        ("other", "404"): 3,
    }
    seconds = "render_service_request_duration_seconds_count"
    assert found[seconds, ECHO, "200"] == 2
    assert found[seconds, "/detokenize", "500"] == 1
    assert (seconds, ECHO, "401") not in found
    assert found["render_service_tokens_total", "rendered", ECHO] == 6
    assert found["render_service_parse_outcomes_total", ECHO, "content"] == 2
    assert found["render_service_stream_state_bytes_count",] == 2
    assert found["render_service_stream_state_bytes_bucket", "64.0"] == 0
    assert found["render_service_stream_state_bytes_bucket", "128.0"] == 2
    assert found["process_resident_memory_bytes",] > 0


def test_real_endpoints_are_counted() -> None:
    with LocalServer(["render_service", "serve", str(DEMO_MODEL)]) as server:
        body = {"messages": [{"role": "user", "content": "hello"}]}
        rendered = httpx.post(server.url + ECHO, json=body).json()
        text = {"prompt": "hello"}
        assert httpx.post(server.url + "/tokenize", json=text).status_code == 200
        found = samples(httpx.get(server.url + "/metrics").text)
    count = len(rendered["token_ids"])
    assert found["render_service_tokens_total", "rendered", ECHO] == count > 0
    assert found["render_service_requests_total", "/tokenize", "200"] == 1


def test_workers_are_added_up_and_those_that_died_count_on() -> None:
    """What a dead worker has written stays; what it held in its cache is gone."""
    bytes_held = "render_service_parser_cache_bytes"
    flags = ("--workers", "2", "--tool-call-parser", "hermes", "--enable-auto-tool-choice")
    with LocalServer(["render_service", "serve", str(DEMO_MODEL), *flags]) as server:

        def found() -> dict[tuple[str, ...], float]:
            return samples(httpx.get(server.url + "/metrics").text)

        for _ in range(20):
            assert httpx.post(server.url + "/tokenize", json={"prompt": "hello"}).is_success
        count = ("render_service_requests_total", "/tokenize", "200")
        until(lambda: found()[count] == 20)
        assert found()["render_service_worker_restarts_total",] == 0
        assert found()["render_service_queue_depth",] == 0
        ids = httpx.post(server.url + "/tokenize", json={"prompt": "hello"}).json()["tokens"]
        chat = {"messages": [{"role": "user", "content": "hello"}]}
        body = {
            "stream": True,
            "chat_request": chat,
            "prompt_token_ids": ids,
            "generate_chunk": {"request_id": "a", "choices": [{"index": 0, "token_ids": ids}]},
        }
        path = server.url + "/v1/chat/completions/derender"
        assert httpx.post(path, json=body).is_success
        until(lambda: found()[bytes_held,] > 0 and found()[count] == 21)
        for pid in children(server.process.pid):
            os.kill(pid, signal.SIGKILL)
        until(lambda: len(children(server.process.pid)) == 2)
        until(lambda: found()["render_service_worker_restarts_total",] == 2)
        assert found()[count] == 21
        assert found()[bytes_held,] == 0


def test_what_an_answer_does_not_have_is_not_counted() -> None:
    metrics = Metrics()
    Meter(metrics, "/tokenize").answer(Answer(b"{}"))
    text = metrics.exposition().decode()
    assert not re.search(r"^render_service_(tokens|parse_outcomes)_total", text, re.MULTILINE)
    assert "render_service_stream_state_bytes_count 0.0" in text


def test_metrics_of_two_services_in_one_process_are_apart() -> None:
    first, second = Metrics(), Metrics()
    Meter(first, "/a").refused(401)
    assert "/a" in first.exposition().decode()
    assert "/a" not in second.exposition().decode()
