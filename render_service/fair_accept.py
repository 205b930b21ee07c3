"""Workers that share one listening socket: the one with the fewest connections takes the next.

Connections live long and clients have few of them, so chance, as the kernel's spreading over
sockets of the same port, leaves some workers with twice the work of others. The numbers are in
memory that all workers share. A worker that is not next looks again a little later, a few times,
and then takes the connection, as whoever is next may be busy or dead.
"""

from __future__ import annotations

import asyncio
import mmap
import socket
from collections.abc import Callable, Collection

PATIENCE, LATER = 50, 0.001  # times, and seconds between them
SLACK = 8
"""The more connections there are, the less an exact balance matters: a worker may have an eighth
more than another one.
"""
PAUSE = 1.0  # seconds until it is tried again where the process may open no more files


class Share:
    """How many connections a worker has, beside the others. counts: by worker number, shared."""

    def __init__(self, counts: memoryview[int], number: int) -> None:
        self._counts, self._number = counts, number

    def tell(self, count: int) -> None:
        self._counts[self._number] = count

    def is_next(self) -> bool:
        """No worker has fewer, by much."""
        fewest = min(self._counts)
        return self._counts[self._number] <= fewest + fewest // SLACK


def shares(workers: int) -> list[Share]:
    """One a worker, to be made before they are forked."""
    counts = memoryview(mmap.mmap(-1, 8 * workers)).cast("q")
    return [Share(counts, number) for number in range(workers)]


class FairServer:
    """In place of what `loop.create_server` returns. connections: the protocols of this worker that
    have one. connect: gives a protocol its connection; done when it has it, or never will.
    """

    def __init__(
        self,
        listener: socket.socket,
        connect: Callable[[socket.socket], tuple[object, asyncio.Task[object]]],
        connections: Collection[object],
        share: Share,
    ) -> None:
        self._listener, self._connect = listener, connect
        self._connections, self._share = connections, share
        self._looked_away, self._looked = 0, 0.0
        self._pending: dict[asyncio.Task[object], object] = {}
        self._loop = asyncio.get_running_loop()
        self._open = True
        self.refresh()
        self._listen()

    def refresh(self) -> None:
        """For the other workers, when connections may have ended."""
        known = self._connections
        pending = sum(protocol not in known for protocol in self._pending.values())
        self._share.tell(len(known) + pending)

    def close(self) -> None:
        self._open = False
        self._loop.remove_reader(self._listener)

    async def wait_closed(self) -> None:
        """Connections are waited for by who has them."""

    def _listen(self) -> None:
        if self._open:
            self._loop.add_reader(self._listener, self._ready)

    def _waits(self) -> bool:
        """A little longer. What has come since it last looked is another connection."""
        last, self._looked = self._looked, self._loop.time()
        self._looked_away = self._looked_away + 1 if self._looked - last < 10 * LATER else 0
        return self._looked_away < PATIENCE

    def _pause(self, seconds: float) -> None:
        self._loop.remove_reader(self._listener)
        self._loop.call_later(seconds, self._listen)

    def _ready(self) -> None:
        self.refresh()
        if not self._share.is_next() and self._waits():
            self._pause(LATER)
            return
        self._looked_away = 0
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return  # another worker has it
        except OSError:
            self._pause(PAUSE)
            return
        connection.setblocking(False)
        protocol, task = self._connect(connection)
        self._pending[task] = protocol
        task.add_done_callback(self._pending.pop)
        self.refresh()
