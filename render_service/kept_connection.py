"""One HTTP/1.1 connection, kept alive, for load generators: little work for a request.

For servers that answer with Content-Length, which all render servers do.
"""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit


class KeptConnection:
    """url: `http://HOST:PORT`, with a path before every other if there is one, or `unix:SOCKET`;
    ValueError for another scheme. key: for `Authorization: Bearer`. Opened with the first request.
    """

    def __init__(self, url: str, key: str | None = None) -> None:
        address = urlsplit(url)
        if address.scheme not in ("http", "unix"):
            raise ValueError("not an http:// address")
        self._socket = address.path if address.scheme == "unix" else None
        self._host, self._port = address.hostname or "", address.port or 80
        self._path = "" if self._socket else address.path.rstrip("/")
        bearer = f"Authorization: Bearer {key}\r\n" if key else ""
        self._head = f"Host: {self._host}\r\nContent-Type: application/json\r\n{bearer}".encode()
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, path: str, body: bytes | None) -> tuple[int, bytes]:
        """Status and body of the answer to a POST of JSON, or to a GET without a body.

        Raises OSError, EOFError, or ValueError for what is no such answer.
        """
        if self._streams is None or self.ended():
            self.close()
            self._streams = await self._open()
        reader, writer = self._streams
        method, content = ("GET", b"") if body is None else ("POST", body)
        line = (
            f"{method} {self._path}{path} HTTP/1.1\r\nContent-Length: {len(content)}\r\n".encode()
        )
        writer.write(line + self._head + b"\r\n" + content)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        _, found, length = head.partition(b"\r\ncontent-length:")
        if not found:
            raise ValueError("an answer without Content-Length")
        return int(head[9:12]), await reader.readexactly(int(length.split(b"\r\n", 1)[0]))

    def ended(self) -> bool:
        """The server has closed it, as servers do with those that are idle."""
        return self._streams is not None and self._streams[0].at_eof()

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._socket is not None:
            return await asyncio.open_unix_connection(self._socket)
        return await asyncio.open_connection(self._host, self._port)

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
