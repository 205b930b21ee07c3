"""--otlp-traces-endpoint: a span a request and one for each stage, sent by OpenTelemetry's SDK.

The SDK is an extra (`otel`) and is imported only for this flag. Its thread does not survive a fork:
`Tracing` is made in the process that serves.
"""

from __future__ import annotations

import importlib
import os
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from .hub import StartupError

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

    from .telemetry import Finished

INSTALL = "pip install 'render-service[otel]'"
TIMEOUT = 3  # seconds for a batch, and for what is left at the end: a trace may be lost
SDK = ("opentelemetry.sdk.trace", "opentelemetry.exporter.otlp.proto.http.trace_exporter")


def check(endpoint: str | None) -> None:
    """Raises StartupError, before anything is loaded."""
    if endpoint is None:
        return
    url = urlsplit(endpoint)
    if url.scheme not in ("http", "https") or not url.netloc:
        raise StartupError(
            f"--otlp-traces-endpoint {endpoint}: expected the URL of an OTLP receiver over HTTP, "
            "as http://collector:4318/v1/traces (gRPC is not supported)"
        )
    try:
        for module in SDK:
            importlib.import_module(module)
    except ImportError as error:
        raise StartupError(f"--otlp-traces-endpoint needs OpenTelemetry: {INSTALL}") from error


class Tracing:
    """Continues the trace of the header `traceparent`, or begins one.

    Of the SDK's variables OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_TRACES_SAMPLER,
    OTEL_BSP_* and OTEL_EXPORTER_OTLP_HEADERS hold.
    """

    def __init__(self, endpoint: str, model: str) -> None:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        name = os.environ.get("OTEL_SERVICE_NAME", "render-service")
        resource = Resource.create({"service.name": name, "process.pid": os.getpid()})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        exporter = OTLPSpanExporter(endpoint=_with_path(endpoint), timeout=TIMEOUT)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer: Tracer = self._provider.get_tracer("render_service")
        self._model = model

    def finished(self, request: Finished) -> None:
        """Only requests to the endpoints have a span, not probes."""
        from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        record = request.record
        if record.route is None:
            return
        headers = {
            key.decode("latin-1"): v.decode("latin-1") for key, v in request.scope["headers"]
        }
        to_wall = time.time_ns() - time.perf_counter_ns()
        span = self._tracer.start_span(
            f"{request.scope['method']} {record.route}",
            TraceContextTextMapPropagator().extract(headers),
            SpanKind.SERVER,
            self._attributes(request, record.route),
            start_time=record.start + to_wall,
        )
        inside = set_span_in_context(span)
        for stage, start, end in record.spans:
            part = self._tracer.start_span(stage, inside, start_time=start + to_wall)
            part.end(end + to_wall)
        if request.status >= 500:
            span.set_status(Status(StatusCode.ERROR))
        span.end(request.end + to_wall)

    def _attributes(self, request: Finished, route: str) -> dict[str, str | int]:
        """Named as OpenTelemetry's conventions and vLLM name them."""
        answer, direction = request.record.answer, request.record.direction
        found: dict[str, str | int] = {
            "http.request.method": request.scope["method"],
            "http.route": route,
            "http.response.status_code": request.status,
            "gen_ai.response.model": self._model,
        }
        if request.request_id is not None:
            found["gen_ai.request.id"] = request.request_id
        if answer is not None and direction is not None:
            kind = "prompt" if direction == "rendered" else "completion"
            found[f"gen_ai.usage.{kind}_tokens"] = answer.tokens
        return found

    def close(self) -> None:
        """Sends what is left."""
        self._provider.shutdown()


def _with_path(endpoint: str) -> str:
    """A bare host means the path that the protocol gives to traces."""
    url = urlsplit(endpoint)
    return url._replace(path="/v1/traces").geturl() if url.path in ("", "/") else endpoint
