"""What the system is told to send, as the kernel saw it: by its sockets' packets of one write."""

from __future__ import annotations

import asyncio
import socket

import pytest

from render_service.whole_answer import WholeAnswers

HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n"


class Packets(asyncio.Transport):
    """A transport over a socket that keeps the bounds of writes."""

    def __init__(self, end: socket.socket) -> None:
        super().__init__()
        self._end = end

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self._end.send(data)

    def close(self) -> None:
        self._end.close()

    def is_closing(self) -> bool:
        return self._end.fileno() < 0


def sent(*steps: bytes | str) -> list[bytes]:
    """The packets that these writes, and calls by name, come to."""
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    transport = WholeAnswers(Packets(near))
    for step in steps:
        if isinstance(step, str):
            getattr(transport, step)()
        else:
            transport.write(step)
    near.close()
    packets = []
    with far:
        while packet := far.recv(1 << 16):
            packets.append(packet)
    return packets


@pytest.mark.parametrize(
    ("steps", "packets"),
    [
        ((HEAD, b"body"), [HEAD + b"body"]),
        ((HEAD, b"bo", b"dy", HEAD, b"body"), [HEAD + b"bo", b"dy", HEAD + b"body"]),
        ((HEAD, "flush", "flush", HEAD, b"body"), [HEAD, HEAD + b"body"]),
        ((HEAD, "close"), [HEAD]),
        ((HEAD, b"body", "close", HEAD, "flush", HEAD, b"body", b"more"), [HEAD + b"body"]),
        ((HEAD,), []),
        ((HEAD, b"HTTP/1.1 as text"), [HEAD + b"HTTP/1.1 as text"]),
        ((b"HTTP/1.1 100 Continue\r\n\r\n",), [b"HTTP/1.1 100 Continue\r\n\r\n"]),
    ],
)
def test_a_head_goes_with_its_body(steps: tuple[bytes | str, ...], packets: list[bytes]) -> None:
    assert sent(*steps) == packets


def test_the_rest_is_the_transports_own() -> None:
    near, far = socket.socketpair()
    with near, far:
        transport = WholeAnswers(Packets(near))
        assert transport.get_extra_info("socket", "none") == "none"
        assert not transport.is_closing()
        transport.close()
        assert transport.is_closing()
