"""TLS files that change under a running service."""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest

from render_service import tls
from render_service.settings import Settings
from tests.render_service.certificates import make_certificate


async def presented(context: ssl.SSLContext) -> bytes:
    """The certificate that a client of this context's server is shown."""
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", ssl=context)
    port = server.sockets[0].getsockname()[1]
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trusting)
    shown: bytes = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    server.close()
    return shown


async def eventually(check: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not check():
            await asyncio.sleep(0.01)


def changed_later(path: Path) -> None:
    stamp = path.stat().st_mtime_ns + 1_000_000_000
    os.utime(path, ns=(stamp, stamp))


def test_changed_files_are_used(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    make_certificate(tmp_path)
    settings = Settings(
        ssl_certfile=str(cert),
        ssl_keyfile=str(key),
        ssl_ca_certs=str(cert),
        enable_ssl_refresh=True,
    )
    caplog.set_level("INFO", "render_service")

    def said(text: str) -> bool:
        return any(text in record.getMessage() for record in caplog.records)

    async def scenario() -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        before = await presented(context)
        task = asyncio.create_task(tls.refresh(context, settings, interval=0.01))
        await asyncio.sleep(0.05)
        good = key.read_text()
        key.write_text("half written")
        changed_later(key)
        await eventually(lambda: said("cannot be used"))
        assert await presented(context) == before
        key.write_text(good)
        make_certificate(tmp_path)
        changed_later(cert)
        await eventually(lambda: said("loaded again"))
        assert await presented(context) != before
        task.cancel()

    asyncio.run(scenario())


def test_nothing_to_check_without_a_certificate() -> None:
    tls.check(Settings())
