"""The client that docs/protocol.md shows does what the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from render_service.local_server import LocalServer
from tests.conftest import DEMO_MODEL, ROOT, Serve

from .derender_client import TOOL, Json, joined

PAGE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
FLAGS = (
    *("--reasoning-parser", "qwen3", "--tool-call-parser", "qwen3_coder"),
    *("--enable-auto-tool-choice", "--fingerprint", "require", "--state-key", "a"),
)
LONG: Json = {
    "type": "function",
    "function": {
        "name": "long",
        "parameters": {"properties": {f"parameter_{n}": {"type": "string"} for n in range(60)}},
    },
}


@pytest.fixture(scope="module")
def code() -> str:
    found = re.search(r'```python\n("""python client.py.*?)```', PAGE, re.DOTALL)
    assert found
    assert len([line for line in found[1].splitlines() if line.strip()]) <= 40
    return found[1]


@pytest.fixture(scope="module")
def client(code: str) -> Any:
    names: dict[str, Any] = {"__name__": "client"}
    exec(compile(code, "<docs/protocol.md>", "exec"), names)
    return names["stream"]


@pytest.fixture(scope="module")
def server(serve: Serve) -> LocalServer:
    return serve(DEMO_MODEL, *FLAGS)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"n": 2, "seed": 3},
        {"tools": [TOOL]},
        {"tools": [TOOL, LONG]},
        {"stream_options": {"include_usage": True}},
    ],
)
def test_a_stream(client: Any, server: LocalServer, engine: Serve, more: Json) -> None:
    request = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 60, **more}
    with httpx.Client(timeout=60) as http:
        chunks = list(client(http, server.url, engine().url, request))
    for index in range(request.get("n", 1)):
        own = [c for c in chunks if c["choices"] and c["choices"][0]["index"] == index]
        assert joined({"chunk": chunk} for chunk in own)["finish_reason"] is not None
    if "stream_options" in more:
        assert chunks[-1]["usage"]["prompt_tokens"] > 0


def test_as_a_program(code: str, server: LocalServer, engine: Serve, tmp_path: Path) -> None:
    program = tmp_path / "client.py"
    program.write_text(code, encoding="utf-8")
    command = [sys.executable, str(program), server.url, engine().url, "Hi"]
    printed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert '"finish_reason": "' in printed.stdout.splitlines()[-1]


def test_an_engine_that_refuses_is_told(client: Any, server: LocalServer) -> None:
    request = {"messages": [{"role": "user", "content": "Hi"}]}
    with httpx.Client(timeout=60) as http, pytest.raises(httpx.HTTPStatusError):
        list(client(http, server.url, server.url, request))
