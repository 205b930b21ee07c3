"""Record how vLLM renders chats, into tests/golden/chat/*.jsonl.

    vllm launch render MODEL --port 8100 --trust-request-chat-template
        (vLLM 0.33.0, MODEL a folder with the Qwen3 tokenizer)
    python -m tests.record.chat http://127.0.0.1:8100

Each line holds a case, its request, and what
`/tokenize` answers: the prompt's text (its tokens, decoded), its tokens where the case is about
the model, or the error. Messages of pydantic are not kept: ours differ.
"""

from __future__ import annotations

import argparse
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from render_service.corpus.conversations import BASIC
from render_service.corpus.messages import MESSAGES, USER
from tests.record.chat_templates import PRINTS_PARTS, PRINTS_STRING, TEMPLATES

GOLDEN = Path(__file__).parent.parent / "golden" / "chat"


def post(url: str, body: Any) -> tuple[int, Any]:
    data = json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def rendered(url: str, request: dict[str, Any], *, tokens: bool = False) -> dict[str, Any]:
    status, answer = post(f"{url}/tokenize", request)
    if status != 200:
        error = answer["error"]
        message = error["message"]
        error["message"] = None if "validation error" in message else message
        return {"error": error}
    if tokens:
        return {"tokens": answer["tokens"]}
    status, text = post(f"{url}/detokenize", {"tokens": answer["tokens"]})
    assert status == 200, text
    return {"text": text["prompt"]}


def messages(url: str) -> Iterator[dict[str, Any]]:
    for name, items in MESSAGES.items():
        yield {
            "name": name,
            "messages": items,
            "string": rendered(url, {"messages": items, "chat_template": PRINTS_STRING}),
            "openai": rendered(url, {"messages": items, "chat_template": PRINTS_PARTS}),
        }


def templates(url: str) -> Iterator[dict[str, Any]]:
    for name, fields in TEMPLATES.items():
        request = {"messages": [USER], **fields}
        yield {"name": name, "request": request, **rendered(url, request)}


def model(url: str) -> Iterator[dict[str, Any]]:
    for name, request in BASIC.items():
        yield {"name": name, "request": request, **rendered(url, request, tokens=True)}
    for name, items in MESSAGES.items():
        request = {"messages": items, "tools": None}
        yield {"name": name, "request": request, **rendered(url, request, tokens=True)}


def write(name: str, lines: Iterator[dict[str, Any]]) -> None:
    GOLDEN.mkdir(parents=True, exist_ok=True)
    with open(GOLDEN / f"{name}.jsonl", "w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    options = parser.parse_args()
    write("messages", messages(options.url))
    write("templates", templates(options.url))
    write("qwen3", model(options.url))


if __name__ == "__main__":
    main()
