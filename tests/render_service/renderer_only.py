"""A server that only renders, as vLLM's Rust renderer: it passes on what it knows to another.

python -m tests.render_service.renderer_only URL --host 127.0.0.1 --port 9000
"""

from __future__ import annotations

import argparse
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from render_service.http_client import HttpClient

PATHS = ("/health", "/v1/models", "/v1/chat/completions/render")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    url = ""

    def do_GET(self) -> None:
        self._answer(None)

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, body: bytes | None) -> None:
        status, content = 404, b""
        if self.path in PATHS:
            status, content = HttpClient(self.url, timeout=30).ask(self.path, body)
        if self.path == "/v1/models":
            models = json.loads(content)
            models["data"][0]["max_model_len"] = None
            content = json.dumps(models).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--host")
    parser.add_argument("--port", type=int)
    args = parser.parse_args()
    Handler.url = args.url
    ThreadingHTTPServer((args.host, args.port), Handler).serve_forever()


if __name__ == "__main__":
    main()
