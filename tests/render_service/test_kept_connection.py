"""A load generator's connection: over TCP or a Unix socket, kept, and nothing but HTTP."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from render_service.kept_connection import KeptConnection


async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """The request's first line and its body, again and again."""
    while head := await reader.readuntil(b"\r\n\r\n"):
        length = int(head.partition(b"Content-Length: ")[2].split(b"\r\n")[0])
        answer = head.split(b"\r\n")[0] + b" | " + await reader.readexactly(length)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(answer), answer))


async def asked(kept: KeptConnection) -> list[bytes]:
    answers = [await kept.ask("/x", b"{}"), await kept.ask("/y", None)]
    kept.close()
    assert [status for status, _ in answers] == [200, 200]
    return [answer for _, answer in answers]


def test_it_asks_over_a_unix_socket_and_over_tcp(tmp_path: Path) -> None:
    async def both() -> None:
        path = str(tmp_path / "socket")
        unix = await asyncio.start_unix_server(served, path)
        tcp = await asyncio.start_server(served, "127.0.0.1", 0)
        port = tcp.sockets[0].getsockname()[1]
        assert await asked(KeptConnection(f"unix:{path}")) == [
            b"POST /x HTTP/1.1 | {}", b"GET /y HTTP/1.1 | ",
        ]  # fmt: skip
        assert await asked(KeptConnection(f"http://127.0.0.1:{port}/v0/")) == [
            b"POST /v0/x HTTP/1.1 | {}", b"GET /v0/y HTTP/1.1 | ",
        ]  # fmt: skip
        unix.close()
        tcp.close()

    asyncio.run(both())


def test_a_connection_that_was_closed_while_it_was_idle_is_opened_again() -> None:
    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
        writer.close()

    async def twice() -> None:
        server = await asyncio.start_server(once, "127.0.0.1", 0)
        kept = KeptConnection(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        for _ in range(2):
            assert await kept.ask("/", None) == (200, b"")
            while not kept.ended():
                await asyncio.sleep(0.001)
        kept.close()
        server.close()

    asyncio.run(twice())


def test_it_takes_no_other_scheme() -> None:
    with pytest.raises(ValueError, match="http://"):
        KeptConnection("https://127.0.0.1")
