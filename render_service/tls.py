"""TLS files: checked before the model is loaded, loaded again when they change."""

from __future__ import annotations

import asyncio
import logging
import os
import ssl
from collections.abc import Sequence
from typing import Any

from .settings import Settings
from .usage_error import UsageError

logger = logging.getLogger("render_service")

INTERVAL = 10.0  # seconds between looks at the files
FAREWELL = 5.0
"""Seconds that a closed connection waits for the client to have read all and close it as well: a
client that is idle may never do so, and would hold up the end of the service.
"""


def check(settings: Settings) -> None:
    """Raises UsageError for a file that is missing or does not fit, or for unknown ciphers."""
    if settings.ssl_certfile is None:
        return
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    for flag, path in (
        ("--ssl-certfile", settings.ssl_certfile),
        ("--ssl-keyfile", settings.ssl_keyfile),
        ("--ssl-ca-certs", settings.ssl_ca_certs),
    ):
        if path is not None and not os.access(path, os.R_OK):
            raise UsageError(f"{flag}: cannot read {path}")
    try:
        _load(context, settings)
    except (ssl.SSLError, OSError) as error:
        raise UsageError(f"the TLS certificate and key cannot be used: {error}") from error
    if settings.ssl_ciphers is not None:
        try:
            context.set_ciphers(settings.ssl_ciphers)
        except ssl.SSLError as error:
            raise UsageError(f"--ssl-ciphers: {error}") from error


def of_connections(context: ssl.SSLContext | None) -> dict[str, Any]:
    """What servers and accepted connections of the event loop take; nothing without TLS."""
    return {} if context is None else {"ssl": context, "ssl_shutdown_timeout": FAREWELL}


def _load(context: ssl.SSLContext, settings: Settings) -> None:
    assert settings.ssl_certfile is not None
    # An encrypted key must not ask at the terminal: without a password it is an error.
    context.load_cert_chain(settings.ssl_certfile, settings.ssl_keyfile, password=lambda: b"")
    if settings.ssl_ca_certs is not None:
        context.load_verify_locations(settings.ssl_ca_certs)


async def refresh(context: ssl.SSLContext, settings: Settings, interval: float = INTERVAL) -> None:
    """New connections use changed files; files that do not fit (yet) are tried again."""
    files = [
        path
        for path in (settings.ssl_certfile, settings.ssl_keyfile, settings.ssl_ca_certs)
        if path is not None
    ]
    loaded = _stamps(files)
    while True:
        await asyncio.sleep(interval)
        present = _stamps(files)
        if present == loaded:
            continue
        try:
            _load(context, settings)
        except (ssl.SSLError, OSError) as error:
            logger.warning("TLS files have changed but cannot be used: %s", error)
        else:
            loaded = present
            logger.info("TLS files have been loaded again")


def _stamps(files: Sequence[str]) -> list[int]:
    return [os.stat(path).st_mtime_ns if os.path.exists(path) else 0 for path in files]
