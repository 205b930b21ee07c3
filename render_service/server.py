"""One process that serves: uvicorn on uvloop and httptools, and how it ends.

Each SIGTERM or SIGINT moves on by one stage: drain (`/ready` is 503, requests are still served, for
--drain-delay seconds), stop (no new connections; what is in flight finishes, for at most
--shutdown-timeout seconds), force.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
from collections.abc import Generator

import uvicorn
import uvloop

from . import memory, tls
from .app import App
from .fair_accept import FairServer, Share
from .http_protocol import BoundedHttpProtocol, HttpConfig
from .inline_protocol import InlineHttpProtocol
from .metrics import Metrics
from .settings import Settings
from .sockets import BACKLOG

logger = logging.getLogger("render_service")

TRIM_TICKS = 300
"""Tenths of a second between two looks at the heap: what small requests free lies between what is
in use, and an allocator left alone keeps a fifth more than it needs.
"""


class Server(uvicorn.Server):
    """parent: file descriptor that reads as ended when the parent process has died.

    share: of the connections, where other workers listen on the same socket.
    """

    def __init__(
        self, app: App, settings: Settings, parent: int | None = None, share: Share | None = None
    ) -> None:
        super().__init__(uvicorn_config(app, settings))
        self._share = share
        self._app = app
        self._settings = settings
        self._parent = parent

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup([])
        self._tls = tls.of_connections(self.config.ssl)
        for listener in sockets or ():
            self.servers.append(await self._server(listener))  # type: ignore[arg-type]  # only closed

    async def _server(self, listener: socket.socket) -> asyncio.AbstractServer | FairServer:
        """uvicorn only closes them."""
        if self._share is not None:
            connections = self.server_state.connections
            return FairServer(listener, self._connect, connections, self._share)
        loop = asyncio.get_running_loop()
        return await loop.create_server(self._protocol, sock=listener, backlog=BACKLOG, **self._tls)

    def _protocol(self) -> asyncio.Protocol:
        of_config = self.config.http_protocol_class
        return of_config(  # type: ignore[call-arg]  # as uvicorn does
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )

    def _connect(self, connection: socket.socket) -> tuple[asyncio.Protocol, asyncio.Task[None]]:
        protocol = self._protocol()
        return protocol, asyncio.create_task(self._connected(protocol, connection))

    async def _connected(self, protocol: asyncio.Protocol, connection: socket.socket) -> None:
        with contextlib.suppress(OSError):  # it was reset, or its TLS failed
            loop = asyncio.get_running_loop()
            await loop.connect_accepted_socket(lambda: protocol, connection, **self._tls)

    async def on_tick(self, counter: int) -> bool:
        for server in self.servers:
            if isinstance(server, FairServer):
                server.refresh()
        if counter % TRIM_TICKS == TRIM_TICKS - 1:
            await asyncio.to_thread(memory.give_back)
        return await super().on_tick(counter)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Not uvicorn's handlers, which raise the signal again at the end: we exit with 0."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self.next_stage)
        if self._parent is None:
            loop.add_signal_handler(signal.SIGINT, self.next_stage)
        else:
            # Ctrl-C reaches the whole group; the parent tells the workers what to do.
            loop.add_signal_handler(signal.SIGINT, lambda: None)
            loop.add_reader(self._parent, self._orphaned, self._parent)
        yield

    def next_stage(self) -> None:
        if self.should_exit:
            self.force_exit = True
        elif self._app.draining or not self._settings.drain_delay:
            self._app.draining = True
            self.should_exit = True
        else:
            self._app.draining = True
            if self._parent is None:  # which has said so for all workers
                log_draining(self._settings)
            asyncio.get_running_loop().call_later(self._settings.drain_delay, self._stop)

    def _stop(self) -> None:
        self.should_exit = True

    def _orphaned(self, parent: int) -> None:
        asyncio.get_running_loop().remove_reader(parent)
        self._app.draining = True
        self._stop()


def log_draining(settings: Settings) -> None:
    """Without --drain-delay the end itself is logged."""
    if settings.drain_delay:
        logger.info(
            "draining: /ready answers 503; new work is served for %g s more", settings.drain_delay
        )


def protocol(app: App) -> type[BoundedHttpProtocol]:
    """Wrappers around the application must see each request."""
    if app.asgi is not app:
        return BoundedHttpProtocol
    return type("AppProtocol", (InlineHttpProtocol,), {"choose": staticmethod(app.at_once)})


def uvicorn_config(app: App, settings: Settings) -> HttpConfig:
    return HttpConfig(
        app.asgi,
        interface="asgi3",
        loop="uvloop",
        http=protocol(app),
        ws="none",
        lifespan="off",
        backlog=BACKLOG,
        server_header=False,
        # Costs on every request, and only changes the address that is logged.
        proxy_headers="FORWARDED_ALLOW_IPS" in os.environ,
        access_log=settings.log_format == "text" and not settings.disable_uvicorn_access_log,
        log_level=settings.uvicorn_log_level,
        log_config=None,  # logs.configure has been called
        timeout_keep_alive=settings.timeout_keep_alive,
        timeout_graceful_shutdown=settings.shutdown_timeout,
        ssl_keyfile=settings.ssl_keyfile,
        ssl_certfile=settings.ssl_certfile,
        ssl_ca_certs=settings.ssl_ca_certs,
        ssl_cert_reqs=settings.ssl_cert_reqs,
        ssl_ciphers=settings.ssl_ciphers or "",
        h11_max_incomplete_event_size=settings.h11_max_incomplete_event_size,
        max_headers=settings.h11_max_header_count,
    )


def serve(
    app: App,
    settings: Settings,
    listener: socket.socket,
    parent: int | None = None,
    share: Share | None = None,
) -> bool:
    """Serve until a signal ends it. listener: bound; closed afterwards.

    False: work that took longer than --shutdown-timeout is still running in a thread.
    """
    uvloop.run(_serve(Server(app, settings, parent, share), settings, listener, app.metrics))
    return app.queue.close()


async def _serve(
    server: Server, settings: Settings, listener: socket.socket, metrics: Metrics
) -> None:
    background = [asyncio.create_task(metrics.keep_written())]
    server.config.load()
    if settings.enable_ssl_refresh and server.config.ssl is not None:
        background.append(asyncio.create_task(tls.refresh(server.config.ssl, settings)))
    await server.serve(sockets=[listener])
    for task in background:
        task.cancel()
    metrics.write()
