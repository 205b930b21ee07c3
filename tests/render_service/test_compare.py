"""`render-service compare` between real servers: alike, configured otherwise, broken off."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from render_service import cli
from render_service.http_client import HttpClient
from render_service.local_server import LocalServer
from tests.conftest import DEMO_MODEL, Serve

from .derender_client import PARSERS

CHAT = {"messages": [{"role": "user", "content": "Hi"}]}


@pytest.fixture(scope="module")
def service(serve: Serve) -> LocalServer:
    return serve(DEMO_MODEL, *PARSERS, "--served-model-name", "demo")


@pytest.fixture(scope="module")
def other(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> LocalServer:
    """Another template, another parser, a key and a base path."""
    template = tmp_path_factory.mktemp("template") / "other.jinja"
    template.write_text("{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}")
    flags = ("--chat-template", str(template), "--api-key", "secret", "--root-path", "/base")
    return serve(DEMO_MODEL, *flags)


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def compare(capsys: pytest.CaptureFixture[str]) -> Run:
    """Exit code, and what was printed on both streams."""

    def run(*words: str) -> tuple[int, str, str]:
        try:
            code = cli.main(["compare", *words])
        except SystemExit as ended:
            code = int(str(ended.code))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def test_a_server_is_like_itself(service: LocalServer, compare: Run) -> None:
    code, printed, _ = compare(service.url, service.url, "--json")
    found = json.loads(printed)
    assert code == 0, found["differences"][:3]
    assert not found["differences"]
    assert found["lost"] is None
    steps = {step: count["equal"] for step, count in found["steps"].items()}
    assert steps["render"] > 1000
    assert min(steps["tokenize"], steps["derender"], steps["stream"]) > 50
    assert not any(count["skipped"] for count in found["steps"].values())


def test_another_template_is_found(service: LocalServer, other: LocalServer, compare: Run) -> None:
    words = (service.url, f"{other.url}/base", "--api-key", "secret", "--case", "question, g*")
    code, printed, _ = compare(*words)
    assert code == 1
    assert "render 'question, german'\n" in printed
    assert "  token_ids: [" in printed
    code, printed, _ = compare(*words, "--ignore", "token_ids", "sampling_params", "--json")
    fields = {one["path"] for one in json.loads(printed)["differences"]}
    assert fields == {"reasoning_parser_kwargs", "reasoning_ended"}
    ignored = ("token_ids", "sampling_params", "reasoning_parser_kwargs", "reasoning_ended")
    code, printed, _ = compare(*words, "--ignore", *ignored)
    assert code == 0
    assert printed.splitlines()[0].split() == ["step", "equal", "different", "known", "skipped"]


def test_another_parser_is_found(service: LocalServer, other: LocalServer, compare: Run) -> None:
    words = (service.url, f"{other.url}/base", "--api-key", "secret", "--case", "output, content")
    code, printed, _ = compare(*words, "--only", "derender", "stream", "--chunk", "3", "--json")
    found = json.loads(printed)
    assert code == 1
    assert set(found["steps"]) == {"derender", "stream"}
    paths = {(one["step"], one["path"]) for one in found["differences"]}
    assert ("derender", "choices[0].message.reasoning") in paths
    assert ("stream", "choices.0.reasoning") in paths


def test_an_operator_s_own_requests(service: LocalServer, compare: Run, tmp_path: Path) -> None:
    chat: dict[str, Any] = {**CHAT, "model": "elsewhere"}
    lines = [
        {"custom_id": "one", "method": "POST", "url": "/v1/chat/completions", "body": chat},
        {**chat, "outputs": ["<think>\nHm.\n</think>\n\nHello."]},
        {**chat, "n": 2, "outputs": [{"text": [5, 6], "finish_reason": "length"}, "Hi"]},
        {"prompt": "Once", "model": "elsewhere", "outputs": [" upon"]},
        {"tokens": [5, 6]},
        {"url": "/tokenize", "body": {"prompt": "a"}},
    ]
    path = tmp_path / "requests.jsonl"
    path.write_text("\n\n".join(map(json.dumps, lines)), encoding="utf-8")
    words = (service.url, service.url, "--requests", str(path), "--json")
    code, printed, _ = compare(*words)
    steps = json.loads(printed)["steps"]
    assert code == 0
    assert steps["render"] == {"equal": 4, "different": 0, "known": 0, "skipped": 0}
    assert steps["derender"]["skipped"] == 3  # no such model
    code, printed, _ = compare(*words, "--model", "demo", "--limit", "4")
    steps = json.loads(printed)["steps"]
    assert code == 0
    assert steps["derender"] == {"equal": 3, "different": 0, "known": 0, "skipped": 0}
    assert steps["stream"]["equal"] == 2 * (1 + 2 + 1)


def test_recorded_derender_requests(service: LocalServer, compare: Run, tmp_path: Path) -> None:
    response = {
        "request_id": "chatcmpl-1-rf0123456789ab",  # another configuration's
        "choices": [{"index": 0, "token_ids": [5, 6, 7], "finish_reason": "stop"}],
    }
    chunk = {"stream": True, "generate_chunk": response, "stream_state": {"v": 1}}
    whole = {"generate_response": response, "chat_request": CHAT, "prompt_token_ids": [1, 2]}
    completion = {"generate_responses": [response], "completion_request": {"prompt": "a"}}
    (tmp_path / "inner").mkdir()
    for name, body in {"a": whole, "b": chunk, "inner/c": completion, "d": {}}.items():
        entry = {"url": "/v1/chat/completions/derender", "body": body} if name == "d" else body
        (tmp_path / f"{name}.json").write_text(json.dumps(entry))
    code, printed, _ = compare(
        service.url, service.url, "--requests", str(tmp_path), "--json", "--chunk", "2"
    )
    assert code == 0
    steps = json.loads(printed)["steps"]
    assert steps["derender"] == {"equal": 3, "different": 0, "known": 0, "skipped": 1}
    assert steps["stream"] == {"equal": 2, "different": 0, "known": 0, "skipped": 0}


@contextmanager
def dying(answers: list[bytes]) -> Iterator[str]:
    """A server that gives these answers, one a connection, and cuts every later one off."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for number in range(100):
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65536)
                    if number < len(answers):
                        connection.sendall(answers[number])

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


Change = Callable[[str, Any, bytes], tuple[int, bytes] | None]


@contextmanager
def altered(service: LocalServer, change: Change) -> Iterator[str]:
    """The service behind a proxy that changes some answers: `change(path, body, answer)`."""

    class Proxy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer(200, b"{}")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            status, answer = HttpClient(service.url, timeout=60).ask(self.path, body)
            found = change(self.path, json.loads(body), answer)
            self.answer(*(found or (status, answer)))

        def answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *words: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def counts(printed: str, step: str) -> dict[str, int]:
    found: dict[str, int] = json.loads(printed)["steps"][step]
    return found


def test_a_stream_that_is_not_its_whole(service: LocalServer, compare: Run) -> None:
    def lossy(path: str, body: Any, answer: bytes) -> tuple[int, bytes] | None:
        if not body.get("stream"):
            return None
        streamed = json.loads(answer)
        for choice in streamed["chunk"]["choices"]:
            choice["delta"]["content"] = None
        return 200, json.dumps(streamed).encode()

    words = ("--case", "output, content", "--json")
    with altered(service, lossy) as url:
        code, printed, _ = compare(url, service.url, *words)
        assert (code, counts(printed, "stream")["known"]) == (0, 2)
        (first, _) = json.loads(printed)["known"]
        assert first["case"] == "output, content, stream 0 by 1"
        assert "something else than its answer to the whole" in first["reason"]
        code, printed, _ = compare(service.url, url, *words)  # ours may not
        assert (code, counts(printed, "stream")["different"]) == (1, 2)


def test_differences_on_purpose(service: LocalServer, compare: Run) -> None:
    def reworded(path: str, body: Any, answer: bytes) -> tuple[int, bytes] | None:
        refused = json.loads(answer)
        if "error" not in refused:
            return None
        refused["error"]["message"] = "None of them."
        return 400, json.dumps(refused).encode()

    with altered(service, reworded) as url:
        words = (url, service.url, "--json", "--case")
        code, printed, _ = compare(*words, "structured_outputs={}")
        assert (code, counts(printed, "render")["known"]) == (0, 1)
        code, printed, _ = compare(*words, "n=-1")
        assert (code, counts(printed, "render")["different"]) == (1, 1)


def test_answers_that_are_no_json(service: LocalServer, compare: Run) -> None:
    def broken(path: str, body: Any, answer: bytes) -> tuple[int, bytes] | None:
        return (502, b"Bad gateway\x1b[31m") if path == "/tokenize" else None

    with altered(service, broken) as url:
        code, printed, _ = compare(url, service.url, "--case", "output, content", "--json")
        assert code == 1
        assert counts(printed, "derender")["skipped"] == 1
        code, printed, _ = compare(url, service.url, "--case", "output, content")
        assert "  status: 502 | 200\n" in printed
        assert "\x1b" not in printed


def test_answers_of_another_form(service: LocalServer, compare: Run) -> None:
    def other(path: str, body: Any, answer: bytes) -> tuple[int, bytes] | None:
        return (200, b'{"chunk": {"choices": [{}]}}') if "stream" in body else None

    with altered(service, other) as url:
        words = ("--case", "output, content", "--only", "stream")
        code, printed, _ = compare(url, service.url, *words)
    assert code == 1
    assert "  form: " in printed


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"


def test_a_server_that_dies(service: LocalServer, compare: Run) -> None:
    with dying([OK, OK]) as url:
        code, printed, error = compare(url, service.url, "--case", "question, *", "--json")
    assert code == 2
    assert f"{url} does not answer /v1/chat/completions/render" in error
    found = json.loads(printed)
    assert found["lost"].startswith(url)
    assert found["steps"]["render"]["different"] == 1


def test_a_server_that_closes_kept_connections(service: LocalServer, compare: Run) -> None:
    kept = OK.replace(b"Connection: close\r\n", b"")
    with dying([kept] * 4) as url:
        code, _, _ = compare(service.url, url, "--limit", "2", "--case", "question, *")
    assert code == 1


def test_a_server_that_does_not_answer_in_time(service: LocalServer, compare: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        code, _, error = compare(url, service.url, "--timeout", "0.1")
    assert code == 2
    assert error == f"render-service compare: error: {url} does not answer: timed out\n"


def test_what_is_no_server(service: LocalServer, other: LocalServer, compare: Run) -> None:
    with dying([b"SSH-2.0-x\r\n"] * 2) as url:
        code, _, error = compare(service.url, url)
        assert (code, "does not answer" in error) == (2, True)
    code, _, error = compare(service.url, "http://")
    assert (code, "is not a server's address" in error) == (2, True)
    code, _, error = compare(service.url, f"{other.url}/base", "--peer-api-key", "x")
    assert (code, "wants another API key" in error) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--case", "nothing like it"], "no request to compare"),
        (["--requests", "nowhere"], "no file or folder nowhere"),
        (["--limit", "0"], "argument --limit: expected a positive integer, not '0'"),
        (["--chunk", "x"], "argument --chunk: expected a positive integer, not 'x'"),
        (["--timeout", "0"], "argument --timeout: expected seconds, not '0'"),
        (["--only", "all"], "argument --only: invalid choice: 'all'"),
    ],
)
def test_mistakes(words: list[str], said: str, service: LocalServer, compare: Run) -> None:
    code, _, error = compare(service.url, service.url, *words)
    assert code == 2
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"{", "is not JSON"),
        (b"[]", "is not a JSON object"),
        (b"\xff", "is not UTF-8"),
        (b"{}", "it needs a `url`"),
        (b'{"url": "/v2", "body": {}}', "'/v2' is not one of"),
        (b'{"prompt": "a", "outputs": [5]}', "an output is a text"),
    ],
)
def test_requests_that_are_none(
    text: bytes, said: str, service: LocalServer, compare: Run, tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"\n" + text)
    code, _, error = compare(service.url, service.url, "--requests", str(tmp_path))
    assert code == 2
    assert said in error
    assert "a.jsonl" in error
    assert compare(service.url, service.url, "--requests", str(tmp_path / "a.jsonl"))[0] == 2


def test_a_folder_without_requests(service: LocalServer, compare: Run, tmp_path: Path) -> None:
    code, _, error = compare(service.url, service.url, "--requests", str(tmp_path))
    assert (code, "no .json or .jsonl file" in error) == (2, True)
