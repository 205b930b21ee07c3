"""Record what vLLM's HTTP layer answers around the endpoints: routing, keys, CORS, content types.

    vllm launch render MODEL --port PORT --served-model-name first second \
        --enable-request-id-headers --api-key key-one key-two \
        --allowed-origins '["https://ok.example"]' --root-path /prefix
    python tests/record/http_layer.py http://127.0.0.1:PORT > tests/golden/server/http.json

Recorded with vLLM 0.33.0. Each case: the request, then the status, the headers named in HEADERS and
the body (JSON where it is JSON; the model's folder is written as MODEL).
"""

from __future__ import annotations

import http.client
import json
import sys
import urllib.parse
from typing import Any

HEADERS = (
    "allow",
    "content-type",
    "content-length",
    "location",
    "vary",
    "x-request-id",
    "access-control-allow-origin",
    "access-control-allow-credentials",
    "access-control-allow-methods",
    "access-control-allow-headers",
    "access-control-max-age",
)
KEY = {"Authorization": "Bearer key-one"}
JSON = {"Content-Type": "application/json"}
ID = {"X-Request-Id": "mine"}
PREFLIGHT = {"Access-Control-Request-Method": "POST"}
RENDER = "/v1/chat/completions/render"
BODY = '{"messages": [{"role": "user", "content": "hi"}]}'

CASES: tuple[tuple[str, str, str, dict[str, str], str | None], ...] = (
    ("health", "GET", "/health", ID, None),
    ("health head", "HEAD", "/health", ID, None),
    ("health post", "POST", "/health", ID, None),
    ("health slash", "GET", "/health/", ID, None),
    ("ping get", "GET", "/ping", ID, None),
    ("ping post", "POST", "/ping", ID, None),
    ("version", "GET", "/version", ID, None),
    ("models", "GET", "/v1/models", KEY | ID, None),
    ("models below the root path", "GET", "/prefix/v1/models", KEY | ID, None),
    ("models post", "POST", "/v1/models", KEY | ID, None),
    ("unknown path", "GET", "/nothing", ID, None),
    ("unknown path, options", "OPTIONS", "/nothing", ID, None),
    ("unknown guarded path", "GET", "/v1/nothing", ID, None),
    ("no key", "POST", RENDER, JSON | ID, BODY),
    ("no key below the root path", "POST", "/prefix" + RENDER, JSON | ID, BODY),
    ("wrong key", "POST", RENDER, JSON | ID | {"Authorization": "Bearer nope"}, BODY),
    ("wrong scheme", "POST", RENDER, JSON | ID | {"Authorization": "Basic key-one"}, BODY),
    ("scheme in capitals", "GET", "/v1/models", ID | {"Authorization": "BEARER key-two"}, None),
    ("key with two spaces", "GET", "/v1/models", ID | {"Authorization": "Bearer  key-two"}, None),
    ("get on render", "GET", RENDER, KEY | ID, None),
    ("no content type", "POST", RENDER, KEY | ID, BODY),
    ("text content type", "POST", RENDER, KEY | ID | {"Content-Type": "text/plain"}, BODY),
    ("vendor JSON", "POST", RENDER, KEY | ID | {"Content-Type": "application/x+json"}, BODY),
    (
        "JSON with charset",
        "POST",
        "/tokenize",
        ID | {"Content-Type": "Application/JSON; charset=utf-8"},
        '{"prompt": "a", "add_special_tokens": false}',
    ),
    (
        "JSON and a space",
        "POST",
        "/tokenize",
        ID | {"Content-Type": "application/json ;charset=utf-8"},
        '{"prompt": "a"}',
    ),
    ("empty body", "POST", RENDER, KEY | ID | JSON, ""),
    ("bad JSON", "POST", RENDER, KEY | ID | JSON, "{"),
    ("origin allowed", "GET", "/health", ID | {"Origin": "https://ok.example"}, None),
    ("origin not allowed", "GET", "/health", ID | {"Origin": "https://no.example"}, None),
    ("origin without key", "GET", "/v1/models", ID | {"Origin": "https://ok.example"}, None),
    (
        "preflight allowed",
        "OPTIONS",
        RENDER,
        ID | PREFLIGHT | {"Origin": "https://ok.example"},
        None,
    ),
    (
        "preflight not allowed",
        "OPTIONS",
        RENDER,
        ID | PREFLIGHT | {"Origin": "https://no.example"},
        None,
    ),
    ("options without origin", "OPTIONS", RENDER, ID | PREFLIGHT, None),
)


def ask(base: str, method: str, path: str, headers: dict[str, str], body: str | None) -> Any:
    where = urllib.parse.urlsplit(base)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=30)
    try:
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        kept = {name: answer.headers[name] for name in HEADERS if answer.headers[name] is not None}
    finally:
        connection.close()
    try:
        content = json.loads(text)
    except ValueError:
        content = text
    if isinstance(content, dict):
        for card in content.get("data", ()):
            card["root"] = "MODEL"
    return {"status": answer.status, "headers": kept, "body": content}


def main() -> None:
    base = sys.argv[1]
    cases = []
    for name, method, path, headers, body in CASES:
        request = {"method": method, "path": path, "headers": headers, "body": body}
        answer = ask(base, method, path, headers, body)
        if location := answer["headers"].get("location"):
            answer["headers"]["location"] = location.removeprefix(base)
        cases.append({"name": name, "request": request, "answer": answer})
    json.dump(cases, sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
