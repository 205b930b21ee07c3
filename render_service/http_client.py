"""A client of one server, with the standard library alone: one connection, kept alive.

Commands that look at running servers use it; whatever it is answered with is an answer.
"""

from __future__ import annotations

import http.client
from urllib.parse import SplitResult, urlsplit

from .usage_error import UsageError


class Unreachable(Exception):
    """No answer: refused, cut off, too late, or not HTTP. The message says which."""


class HttpClient:
    """url: `http://HOST:PORT`, with a path before every other if there is one.

    timeout: seconds without a byte of the answer. key: for `Authorization: Bearer`.
    Raises UsageError for what is no URL of a server.
    """

    def __init__(self, url: str, *, timeout: float, key: str | None = None) -> None:
        self.url = url
        address = _address(url)
        secure = address.scheme == "https"
        connect = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        self._connection = connect(address.hostname or "", address.port, timeout=timeout)
        self._path = address.path.rstrip("/")
        self._headers = {} if key is None else {"Authorization": f"Bearer {key}"}

    def ask(self, path: str, body: bytes | None = None, limit: int = -1) -> tuple[int, bytes]:
        """Status and body of a GET, or of a POST of JSON. limit: bytes that are read of it, or -1.

        A kept connection that the server has closed meanwhile is opened once more. Raises
        Unreachable.
        """
        fresh = self._connection.sock is None
        try:
            return self._ask(path, body, limit)
        except (ConnectionError, http.client.BadStatusLine) as error:
            self.close()
            if fresh:
                raise Unreachable(_words(error)) from None
        # ValueError: what cannot be a host's name or a header.
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            raise Unreachable(_words(error)) from None
        return self.ask(path, body, limit)

    def _ask(self, path: str, body: bytes | None, limit: int) -> tuple[int, bytes]:
        headers = self._headers
        if body is not None:
            headers = {**headers, "Content-Type": "application/json"}
        method = "GET" if body is None else "POST"
        self._connection.request(method, self._path + path, body, headers)
        answer = self._connection.getresponse()
        content = answer.read() if limit < 0 else answer.read(limit)
        if not answer.isclosed():  # more of it would stand before the next answer
            self.close()
        return answer.status, content

    def close(self) -> None:
        self._connection.close()


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__


def _address(url: str) -> SplitResult:
    try:
        address = urlsplit(url if "://" in url else f"http://{url}")
        usable = address.scheme in ("http", "https") and address.hostname and address.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(f"{url!r} is not a server's address, as http://10.0.0.7:8000")
    return address
