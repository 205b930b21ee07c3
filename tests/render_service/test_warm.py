"""The first request finds everything built, and none is answered before."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from render_service.local_server import free_port
from tests.conftest import DEMO_MODEL
from tests.render_service.waiting import until

# What each request builds that stays, in a process that has only been warmed.
BUILT = """
import gc, re, sys
from collections import Counter

import jinja2, orjson
from render_service import anthropic, derender, loading, render, responses, tokenize, warm
from render_service.settings import Settings

parsers = {"reasoning_parser": "qwen3", "tool_call_parser": "hermes"}
model = loading.load_model(Settings(**parsers, enable_auto_tool_choice=True))
compiled = []
compile_template = jinja2.Environment.compile
jinja2.Environment.compile = lambda *a, **k: (compiled.append(1), compile_template(*a, **k))[1]
warm.warm(model)

KEPT = {"Decoder", "Encoder", "StructInfo", "StrLookup", "LiteralInfo", "Template", "Environment"}

def built():
    kinds = Counter(type(found).__name__ for found in gc.get_objects())
    kinds = {name: kinds[name] for name in KEPT}
    counts = {"modules": sys.modules, "patterns": re._cache, "compiled": compiled}
    return {**kinds, **{name: len(found) for name, found in counts.items()}}

chat = {"messages": [{"role": "user", "content": "Hi"}], "tools": [
    {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]}
before = built()
assert before["Decoder"], "nothing is counted"
found = orjson.loads(render.chat(model, orjson.dumps(chat), None).body)
choice = {"index": 0, "token_ids": found["token_ids"][:3], "finish_reason": "stop"}
output = {"request_id": found["request_id"], "choices": [choice]}
of_it = {"chat_request": chat, "prompt_token_ids": found["token_ids"]}
derender.chat(model, orjson.dumps({**of_it, "stream": True, "generate_chunk": output}), None)
derender.chat(model, orjson.dumps({**of_it, "generate_response": output}), None)
derender.completion(model, orjson.dumps({"generate_responses": [output]}), None)
render.completion(model, b'{"prompt": "Hi"}', None)
responses.responses(model, b'{"input": "Hi"}', None)
claude = {"messages": chat["messages"], "max_tokens": 1, "model": "demo"}
anthropic.messages(model, orjson.dumps(claude), None)
tokenize.tokenize(model, b'{"prompt": "Hi"}', None)
tokenize.detokenize(model, b'{"tokens": [1]}', None)
print(before == built(), before, built())
"""

# The service, whose warm-up waits until the file named first exists.
WAITING = """
import sys, time
from pathlib import Path
from render_service import cli, warm

file, warm_up = Path(sys.argv[1]), warm.warm

def waits(model):
    Path(f"{file}.started").touch()
    while not file.exists():
        time.sleep(0.01)
    warm_up(model)

warm.warm = waits
sys.exit(cli.main(["serve", *sys.argv[2:]]))
"""


def test_nothing_is_left_to_build() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", BUILT], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("True"), ended.stdout


@pytest.mark.parametrize("workers", ["1", "2"])
def test_none_is_answered_before(workers: str, tmp_path: Path) -> None:
    file, port = tmp_path / "go", str(free_port())
    words = [str(DEMO_MODEL), "--host", "127.0.0.1", "--port", port, "--workers", workers]
    process = subprocess.Popen([sys.executable, "-c", WAITING, str(file), *words])
    try:
        until(Path(f"{file}.started").exists)
        with ThreadPoolExecutor(1) as pool:
            url = f"http://127.0.0.1:{port}/ready"
            with pytest.raises(httpx.TimeoutException):
                httpx.get(url, timeout=0.3)
            answer = pool.submit(httpx.get, url, timeout=60)
            file.touch()
            assert answer.result().status_code == 200
    finally:
        process.terminate()
        assert process.wait(30) == 0
