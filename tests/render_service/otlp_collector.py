"""A receiver of OpenTelemetry traces: decodes what is sent to it by OTLP over HTTP."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Collector:
    """spans: all that have come. services: what sent them. paths: that they were sent to."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.spans: list[Any] = []
        self.services: set[str] = set()
        self.pids: set[int] = set()
        self.paths: set[str] = set()

    def take(self, path: str, body: bytes) -> None:
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
            ExportTraceServiceRequest,
        )

        self.paths.add(path)
        for group in ExportTraceServiceRequest.FromString(body).resource_spans:
            resource = attributes(group.resource)
            self.services.add(resource["service.name"])
            self.pids.add(resource["process.pid"])
            for scope in group.scope_spans:
                self.spans += scope.spans


def attributes(of: Any) -> dict[str, Any]:
    return {item.key: getattr(item.value, item.value.WhichOneof("value")) for item in of.attributes}


@contextmanager
def collector() -> Iterator[Collector]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers["content-encoding"] == "gzip":
                body = gzip.decompress(body)
            found.take(self.path, body)
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Collector(server.server_port)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
