"""The ASGI application: keys, CORS and routes by dict look-up. No middleware touches a body.

Routes, statuses and error bodies are those of vLLM 0.33.0's render server (tests/golden/server).
The order is vLLM's as well: request ID around keys around CORS around routes, so that a refused
key is answered without CORS headers and a preflight needs no key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from . import pages
from .auth import ApiKeys
from .body_budget import BodyBudget
from .endpoints import ENDPOINTS, Endpoint, EndpointHandler, error_reply
from .errors import RequestError
from .meters import Meter, watch_cache
from .metrics import Metrics
from .middleware import wrapped
from .reply import NOT_FOUND, UNAUTHORIZED, Reply, method_not_allowed
from .request_id import RequestIdHeader
from .request_log import RequestLog
from .work_queue import Bounds, WorkQueue

if TYPE_CHECKING:
    from .model import Model

OTHER = "other"  # the label of every path that is no route
TOO_MANY_HEADERS = error_reply(
    RequestError("Too many request headers.", status=431, type="RequestHeaderFieldsTooLargeError")
)


class PageHandler:
    """Answers without looking at the request, and counts."""

    def __init__(self, page: Callable[[], Reply], meter: Meter) -> None:
        self._page = page
        self._meter = meter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = perf_counter()
        reply = self._page()
        await reply.send(send)
        self._meter.request(reply.status, perf_counter() - start)


class App:
    """asgi: what a server calls, the wrappers around this application included.

    draining: set at the first signal to stop; `/ready` answers 503 from then on.
    queue: where the work of large bodies is done. metrics: what it counts.
    """

    def __init__(
        self, model: Model, metrics: Metrics, rows: Sequence[Endpoint] = ENDPOINTS
    ) -> None:
        settings = model.settings
        self.metrics = metrics
        self.draining = False
        # One body alone is never too much: it has a bound of its own.
        limit = settings.max_queued_bytes and max(
            settings.max_queued_bytes, settings.max_body_bytes
        )
        self._budget = BodyBudget(limit)
        bounds = Bounds(
            requests=settings.max_num_queued_reqs,
            wait=settings.max_queue_wait,
            time=settings.request_timeout,
            client_requests=settings.max_key_reqs,
        )
        self.queue = WorkQueue(
            settings.renderer_num_workers, bounds, self._budget, metrics.queue_depth.set
        )
        self._root_path = settings.root_path.rstrip("/")
        self._max_headers = settings.h11_max_header_count
        self._keys = ApiKeys(settings.api_key)
        self._meters: dict[str, Meter] = {}
        self._other = Meter(metrics, OTHER)
        self._routes = self._table(model, metrics, rows)
        watch_cache(metrics, model.streams)
        self._cors = CORSMiddleware(
            self._route,
            allow_origins=settings.allowed_origins,
            allow_methods=settings.allowed_methods,
            allow_headers=settings.allowed_headers,
            allow_credentials=settings.allow_credentials,
        )
        self._at_once = self._inline_table()
        self.asgi: ASGIApp = wrapped(self, settings.middleware)
        if settings.enable_request_id_headers:
            self.asgi = RequestIdHeader(self.asgi)

    def _table(
        self, model: Model, metrics: Metrics, rows: Sequence[Endpoint]
    ) -> Mapping[str, Mapping[str, ASGIApp]]:
        settings = model.settings
        log = RequestLog(settings.max_log_len) if settings.enable_log_requests else None
        table: dict[str, dict[str, ASGIApp]] = {}
        for row in rows:
            meter = self._meters[row.path] = Meter(metrics, row.path, row.direction)
            table[row.path] = {
                "POST": EndpointHandler(
                    row,
                    model,
                    max_body_bytes=settings.max_body_bytes,
                    budget=self._budget,
                    queue=self.queue,
                    meter=meter,
                    log=log,
                )
            }
        for path, methods, page in (
            ("/v1/models", ("GET",), lambda: pages.models(model)),
            ("/v1/fingerprint", ("GET",), lambda: pages.fingerprint(model)),
            ("/health", ("GET",), lambda: pages.EMPTY),
            ("/ping", ("GET", "POST"), lambda: pages.EMPTY),
            ("/version", ("GET",), lambda: pages.VERSION),
            ("/ready", ("GET",), lambda: pages.DRAINING if self.draining else pages.READY),
            ("/metrics", ("GET",), lambda: pages.exposition(metrics)),
            ("/openapi.json", ("GET", "HEAD"), pages.openapi),
        ):
            if path == "/openapi.json" and settings.disable_fastapi_docs:
                continue
            meter = self._meters[path] = Meter(metrics, path)
            table[path] = dict.fromkeys(methods, PageHandler(page, meter))
        return table

    def _inline_table(self) -> Mapping[bytes, tuple[str, EndpointHandler]]:
        """The handlers of POSTs by target, with the root path and without."""
        found: dict[bytes, tuple[str, EndpointHandler]] = {}
        for path, methods in self._routes.items():
            handler = methods.get("POST")
            if isinstance(handler, EndpointHandler):
                for target in (path, self._root_path + path):
                    found[target.encode()] = (path, handler)
        return found

    def at_once(
        self, target: bytes, headers: Mapping[bytes, bytes], length: int
    ) -> EndpointHandler | None:
        """The handler of a small POST that needs nothing else of this application; see
        `inline_protocol.py`. Not to be asked where `asgi` has wrappers.
        """
        path, handler = self._at_once.get(target, ("", None))
        if handler is None or not handler.is_small(length) or b"origin" in headers:
            return None
        if self._keys and self._keys.refuse("POST", path, headers):
            return None
        return handler

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        if len(scope["headers"]) > self._max_headers:
            await self._refuse(OTHER, TOO_MANY_HEADERS, send)
        elif self._keys and self._keys.refuse(scope["method"], self._path(scope), headers):
            await self._refuse(self._path(scope), UNAUTHORIZED, send)
        elif b"origin" in headers:
            await self._cors(scope, receive, send)
        else:
            await self._route(scope, receive, send)

    async def _route(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = self._path(scope)
        methods = self._routes.get(path)
        if methods is None:
            await self._refuse(path, self._elsewhere(scope, path), send)
            return
        handler = methods.get(scope["method"])
        if handler is None:
            await self._refuse(path, method_not_allowed(methods), send)
            return
        await handler(scope, receive, send)

    def _path(self, scope: Scope) -> str:
        """Without the root path, whether or not the proxy has removed it."""
        path: str = scope["path"]
        root = self._root_path
        return path[len(root) :] if root and path.startswith(root + "/") else path

    def _elsewhere(self, scope: Scope, path: str) -> Reply:
        """A path with a slash too many is redirected, as Starlette's router does."""
        if path.rstrip("/") not in self._routes:
            return NOT_FOUND
        query = scope["query_string"]
        where = scope["path"].rstrip("/").encode() + (b"?" + query if query else b"")
        return Reply(307, headers=((b"location", where),))

    async def _refuse(self, path: str, reply: Reply, send: Send) -> None:
        await reply.send(send)
        self._meters.get(path, self._other).refused(reply.status)
