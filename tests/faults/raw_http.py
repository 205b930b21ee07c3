"""Requests as bytes on sockets, for clients that do not behave."""

from __future__ import annotations

import socket
from http.client import HTTPResponse

import orjson

TOKENIZE = "/tokenize"


def connect(port: int, timeout: float = 30.0) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout)


def post(path: str, body: bytes) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    return head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body


def text(size: int) -> bytes:
    """A body of /tokenize with a prompt of so many characters."""
    return orjson.dumps({"prompt": "word " * (size // 5)})


def answered(client: socket.socket) -> tuple[int, bytes]:
    """Status and body of the next answer."""
    response = HTTPResponse(client)
    response.begin()
    return response.status, response.read()


def tokenizes(port: int) -> bool:
    """Whether the service does its work for a client that behaves."""
    with connect(port) as client:
        client.sendall(post(TOKENIZE, b'{"prompt": "a"}'))
        status, body = answered(client)
        return status == 200 and orjson.loads(body)["count"] == 1
