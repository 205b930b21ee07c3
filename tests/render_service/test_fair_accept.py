"""Workers on one socket have as many connections each, and none waits for one that is stuck."""

from __future__ import annotations

import asyncio
import http.client
import os
import signal
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from render_service.fair_accept import FairServer, shares
from render_service.local_server import HOST, LocalServer
from tests.conftest import Serve
from tests.render_service.processes import children
from tests.render_service.waiting import until

WORKERS = ("--workers", "2")


def test_the_worker_with_the_fewest_is_next() -> None:
    one, two = shares(2)
    for mine, others, is_next in ((0, 0, True), (1, 0, False), (0, 1, True), (17, 16, True)):
        one.tell(mine)
        two.tell(others)
        assert one.is_next() is is_next


def test_few_connections_are_spread_evenly() -> None:
    """Two workers in one event loop; in place of what serves, a list of connections."""
    counts = asyncio.run(spread([8, -6, 6], workers=2))
    assert counts == [[4, 4], [1, 1], [4, 4]]


def test_who_is_next_and_does_not_come_is_not_waited_for() -> None:
    assert asyncio.run(spread([4], workers=1, of=2)) == [[4]]


async def spread(steps: list[int], *, workers: int, of: int = 0) -> list[list[int]]:
    """Connections by worker after so many were opened, or closed. of: workers, some not there."""
    listener = socket.create_server((HOST, 0))
    listener.setblocking(False)
    taken: list[list[socket.socket]] = [[] for _ in range(workers)]
    listeners = [listener.dup() for _ in taken]
    servers = [
        FairServer(own, partial(taking, has), has, share)
        for own, has, share in zip(listeners, taken, shares(of or workers), strict=False)
    ]
    clients: list[socket.socket] = []
    counts = []
    for step in steps:
        for _ in range(step):
            clients.append(socket.create_connection(listener.getsockname()))
        while len(clients) > sum(map(len, taken)):
            await asyncio.sleep(0.001)
        for _ in range(-step):
            clients.pop().close()
            fullest = max(taken, key=len)
            fullest.pop().close()
        for server in servers:
            server.refresh()
        counts.append([len(has) for has in taken])
    for server in servers:
        server.close()
    for open_socket in (*clients, *(one for has in taken for one in has), *listeners, listener):
        open_socket.close()
    return counts


def taking(
    has: list[socket.socket], connection: socket.socket
) -> tuple[object, asyncio.Task[object]]:
    """It is there for a while before the task is done, and counts once."""

    async def take() -> None:
        await asyncio.sleep(0)
        has.append(connection)
        await asyncio.sleep(0.01)

    return connection, asyncio.ensure_future(take())


def connections(server: LocalServer) -> Counter[int]:
    """Those to this server that are open, by the process that has them."""
    port, found = f":{server.port:04X}", Counter[int]()
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    inodes = {f"socket:[{row[9]}]" for row in rows if row[1].endswith(port) and row[3] == "01"}
    for pid in children(server.process.pid):
        links = (os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir())
        found[pid] = sum(link in inodes for link in links)
    return found


@contextmanager
def opened(server: LocalServer, count: int) -> Iterator[list[http.client.HTTPConnection]]:
    with ExitStack() as stack:
        found = []
        for _ in range(count):
            connection = http.client.HTTPConnection(HOST, server.port, timeout=10)
            stack.callback(connection.close)
            connection.connect()
            found.append(connection)
        yield found


def served(connection: http.client.HTTPConnection) -> bool:
    connection.request("GET", "/health")
    answer = connection.getresponse()
    answer.read()
    return answer.status == 200


def two_workers(serve: Serve) -> LocalServer:
    """Both have begun to serve."""
    server = serve("", *WORKERS)

    def both() -> bool:
        with opened(server, 2) as some:
            return all(map(served, some)) and sorted(connections(server).values()) == [1, 1]

    until(both)
    until(lambda: not sum(connections(server).values()))
    return server


def test_a_worker_that_is_stuck_keeps_no_connection_waiting(serve: Serve) -> None:
    server = two_workers(serve)
    stuck, _ = children(server.process.pid)
    os.kill(stuck, signal.SIGSTOP)
    try:
        with opened(server, 4) as some:
            assert all(map(served, some))
    finally:
        os.kill(stuck, signal.SIGCONT)


def test_a_worker_that_dies_takes_no_waiting_connection_with_it(serve: Serve) -> None:
    """They wait at the socket of all workers."""
    server = two_workers(serve)
    for pid in children(server.process.pid):
        os.kill(pid, signal.SIGSTOP)
    with opened(server, 4) as some:
        for connection in some:
            connection.request("GET", "/health")
        for pid in children(server.process.pid):
            os.kill(pid, signal.SIGKILL)
        assert [connection.getresponse().status for connection in some] == [200] * 4
