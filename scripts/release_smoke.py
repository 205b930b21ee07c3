"""Does an installed release serve? Run by the Python of the environment that it is installed in.

    ENVIRONMENT/bin/python scripts/release_smoke.py VERSION

It serves the bundled demo model on a free port of 127.0.0.1, renders a chat, derenders tokens, and
ends it with SIGTERM. Exit code 0: all of it went well; else the message says what did not.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import render_service
from render_service.http_client import HttpClient
from render_service.local_server import LocalServer

TEXT = "Tea at four."


def check(held: object, what: str) -> None:
    if not held:
        sys.exit(f"smoke test: {what}")


def post(client: HttpClient, path: str, body: Any) -> Any:
    status, answer = client.ask(path, json.dumps(body).encode())
    check(status == 200, f"{path} answered {status}: {answer.decode(errors='replace')}")
    return json.loads(answer)


def exchange(client: HttpClient) -> None:
    """A chat to token IDs, and token IDs back to a chat."""
    chat = {"messages": [{"role": "user", "content": TEXT}]}
    generate = post(client, "/v1/chat/completions/render", chat)
    prompt = post(client, "/detokenize", {"tokens": generate["token_ids"]})["prompt"]
    check(TEXT in prompt, f"the prompt does not hold the message: {prompt!r}")
    sampled = post(client, "/tokenize", {"prompt": TEXT, "add_special_tokens": False})["tokens"]
    choice = {"index": 0, "token_ids": sampled, "finish_reason": "stop"}
    response = {"request_id": generate["request_id"], "choices": [choice]}
    body = {"generate_response": response, "prompt_token_ids": generate["token_ids"]}
    answer = post(client, "/v1/chat/completions/derender", body)
    content = answer["choices"][0]["message"]["content"]
    check(content == TEXT, f"derendered {content!r}")


def main(version: str) -> None:
    folder = Path(render_service.__file__)
    check(folder.is_relative_to(sys.prefix), f"{folder} is not what was installed")
    script = Path(sys.prefix, "bin", "render-service")
    shown = subprocess.run([script, "--version"], capture_output=True, text=True).stdout
    check(version in shown.split(), f"render-service --version prints {shown!r}, not {version}")
    with LocalServer(["render_service", "serve"], ready="/ready") as server:
        client = HttpClient(server.url, timeout=30)
        exchange(client)
        client.close()
        server.stop()
        code = server.process.returncode
    check(code == 0, f"exit code {code} after SIGTERM")


if __name__ == "__main__":
    main(sys.argv[1])
