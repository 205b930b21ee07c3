"""Clients that are slow, go away or break off: they keep nobody else from an answer."""

from __future__ import annotations

import socket
import struct
from contextlib import ExitStack

from render_service.local_server import LocalServer
from tests.conftest import DEMO_MODEL, Serve
from tests.long.hostile import resident

from .raw_http import TOKENIZE, answered, connect, post, text, tokenizes

MANY = 200
MB = 1_000_000


def test_half_sent_heads_and_bodies_hold_up_nobody(serve: Serve) -> None:
    server = serve()
    request = post(TOKENIZE, text(2000))
    with ExitStack() as clients:
        for number in range(MANY):
            client = clients.enter_context(connect(server.port))
            client.sendall(request[: 1 + number * 10])
        assert tokenizes(server.port)
    assert tokenizes(server.port)


def test_bodies_in_receipt_are_bounded_together() -> None:
    """Forty halves of 8 MB each would be 160 MB."""
    flags = ("--max-body-bytes", "8M", "--max-queued-bytes", "16M")
    with LocalServer(["render_service", "serve", str(DEMO_MODEL), *flags]) as server:
        before = resident(server.process.pid)
        half = post(TOKENIZE, text(8 * MB))[: 4 * MB]
        refused = 0
        with ExitStack() as clients:
            for _ in range(40):
                client = clients.enter_context(connect(server.port, 2))
                try:
                    client.sendall(half)
                except OSError:  # refused and closed while we sent
                    refused += 1
            assert resident(server.process.pid) - before < 64 * MB
            assert tokenizes(server.port)
        with connect(server.port) as client:  # what they held is free again
            client.sendall(post(TOKENIZE, text(6 * MB)))
            assert answered(client)[0] in (200, 400)  # longer than the model's context


def test_a_client_that_sends_byte_by_byte_is_answered(serve: Serve) -> None:
    server = serve()
    with connect(server.port) as client:
        for byte in post(TOKENIZE, b'{"prompt": "a"}'):
            client.sendall(bytes([byte]))
            assert tokenizes(server.port)
        assert answered(client)[0] == 200


def test_clients_that_do_not_read_hold_up_nobody(serve: Serve) -> None:
    """Pipelined requests whose answers nobody reads: the connection stops, not the service."""
    server = serve()
    request = post(TOKENIZE, text(8000))
    with ExitStack() as clients:
        for _ in range(20):
            client = clients.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", server.port))
            client.settimeout(0.2)
            try:
                for _ in range(400):
                    client.sendall(request)
            except TimeoutError:
                pass
        assert tokenizes(server.port)
        assert resident(server.process.pid) < 500 * MB


def test_resets_are_no_errors(serve: Serve) -> None:
    server = serve()
    request = post(TOKENIZE, text(2000))
    for number in range(MANY):
        with connect(server.port) as client:
            client.sendall(request[: len(request) * (number % 11) // 10])
            # Closing then sends RST.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert tokenizes(server.port)
    assert "Traceback" not in server.output()
