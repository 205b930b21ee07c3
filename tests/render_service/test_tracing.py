"""Traces, as a collector gets them from real processes."""

from __future__ import annotations

import subprocess
import sys

import httpx
import pytest

from render_service.local_server import LocalServer
from tests.conftest import DEMO_MODEL
from tests.render_service.otlp_collector import Collector, attributes, collector
from tests.render_service.waiting import until

pytest.importorskip("opentelemetry.sdk", reason="the extra `otel` is not installed")

RENDER = "/v1/chat/completions/render"
DERENDER = "/v1/chat/completions/derender"
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
CHAT = {"messages": [{"role": "user", "content": "a secret"}]}


def serve(at: Collector, *flags: str) -> LocalServer:
    words = ["render_service", "serve", str(DEMO_MODEL), "--otlp-traces-endpoint", at.url]
    return LocalServer([*words, *flags])


def exchange(url: str) -> None:
    headers = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
    rendered = httpx.post(url + RENDER, json=CHAT, headers=headers).json()
    chunk = {
        "request_id": rendered["request_id"],
        "choices": [{"index": 0, "token_ids": rendered["token_ids"][:3]}],
    }
    body = {"stream": True, "chat_request": CHAT, "generate_chunk": chunk}
    httpx.post(url + DERENDER, json=body).raise_for_status()
    assert httpx.post(url + RENDER, json={"messages": 1}).status_code == 400


def test_a_trace_goes_on_with_a_span_for_each_stage() -> None:
    with collector() as found:
        with serve(found) as server:
            exchange(server.url)
        spans = list(found.spans)  # what was left was sent at the end
    assert found.paths == {"/v1/traces"}
    assert found.services == {"render-service"}
    rendered = next(span for span in spans if span.parent_span_id.hex() == PARENT)
    assert rendered.name == f"POST {RENDER}"
    assert rendered.trace_id.hex() == TRACE
    of_it = attributes(rendered)
    assert of_it["http.response.status_code"] == 200
    assert of_it["gen_ai.usage.prompt_tokens"] > 0
    assert of_it["gen_ai.request.id"].startswith("chatcmpl-")
    stages = {
        span.name: span
        for span in spans
        if span.parent_span_id == rendered.span_id and span.trace_id == rendered.trace_id
    }
    assert stages.keys() == {"template", "tokenize"}
    for span in stages.values():
        first, last = rendered.start_time_unix_nano, rendered.end_time_unix_nano
        assert first <= span.start_time_unix_nano <= span.end_time_unix_nano <= last
    chunk = next(span for span in spans if span.name == f"POST {DERENDER}")
    names = {span.name for span in spans if span.parent_span_id == chunk.span_id}
    assert names == {"detokenize", "parse"}
    assert {attributes(span)["http.response.status_code"] for span in spans if span.kind == 2} == {
        200,
        400,
    }
    assert "secret" not in repr(spans)


def test_each_worker_sends_its_own() -> None:
    with collector() as found, serve(found, "--workers", "2") as server:

        def both() -> bool:
            httpx.post(server.url + RENDER, json=CHAT)
            return len(found.pids) == 2

        until(both)


def test_a_collector_that_is_not_there_changes_no_answer() -> None:
    with collector() as found:
        pass
    with serve(found) as server:
        assert httpx.post(server.url + RENDER, json=CHAT).status_code == 200


@pytest.mark.parametrize("url", ["grpc://127.0.0.1:4317", "collector:4318"])
def test_only_http(url: str) -> None:
    words = [sys.executable, "-m", "render_service", "serve", "--otlp-traces-endpoint", url]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert "expected the URL of an OTLP receiver over HTTP" in ended.stderr


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )


def test_without_the_extra_start_up_says_what_to_install() -> None:
    ended = run(
        "import sys; sys.modules['opentelemetry'] = None\n"
        "from render_service.cli import main\n"
        "sys.exit(main(['serve', '--otlp-traces-endpoint', 'http://127.0.0.1:4318']))"
    )
    assert ended.returncode == 2, ended.stderr
    assert "pip install 'render-service[otel]'" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_nothing_of_it_is_imported_without_the_flag() -> None:
    ended = run(
        "import sys\n"
        "import render_service.serve, render_service.telemetry, render_service.loading\n"
        "from render_service.settings import Settings\n"
        "from render_service.metrics import Metrics\n"
        "model = render_service.loading.load_model(Settings())\n"
        "from render_service import endpoints\n"
        "from render_service.detokenizer import DetokenizerStream\n"
        "plain = DetokenizerStream.feed\n"
        "with render_service.telemetry.observed(model, Metrics()) as app:\n"
        "    assert app.asgi is app and DetokenizerStream.feed is plain\n"
        "assert not [name for name in sys.modules if name.startswith('opentelemetry')]\n"
    )
    assert ended.returncode == 0, ended.stderr
