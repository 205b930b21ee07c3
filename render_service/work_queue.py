"""Threads for work that would hold up the event loop, and bounds on what may wait for them.

The cost of a request is the bytes of its body (a token is a few). What waits is held by its
coroutine only, so one that gives up leaves nothing behind. Everything but the work itself happens
on the event loop.

503 says that this replica has too much to do, and another may not; 429 that one client has.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import Any, NamedTuple, ParamSpec, TypeVar

from .body_budget import BodyBudget
from .errors import RequestError, overloaded, unavailable
from .give_way import give_way

SWITCH_INTERVAL = 0.0002
"""Seconds that a thread keeps Python from others that want it; Python's own 5 ms are the time of
many chunks. Beside renders of 100,000 tokens, 0.2 ms in place of 0.5 took the p99 of a chunk from
2.3 to 1.9 ms; most of what is left are single calls, such as the one that reads a body.
"""

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Bounds(NamedTuple):
    """requests: that wait. wait: seconds until a thread is free. time: seconds in the thread.
    client_requests: of one client, waiting and in work. 0: no bound, but for `requests`."""

    requests: int
    wait: float = 0.0
    time: float = 0.0
    client_requests: int = 0


class Ticket(NamedTuple):
    """client: whose share a request counts for, None: nobody's. cost: in bytes.
    left: returns when nobody wants the result any more; only awaited where a thread must be.
    """

    client: bytes | None
    cost: int
    left: Callable[[], Awaitable[object]]


class Abandoned(Exception):
    """Nobody waits for the result any more, and the work has not begun."""


class WorkQueue:
    """threads: run at once. First come, first served. watch: is told each new depth."""

    def __init__(
        self,
        threads: int,
        bounds: Bounds,
        budget: BodyBudget,
        watch: Callable[[int], object] = lambda depth: None,
    ) -> None:
        self._watch = watch
        sys.setswitchinterval(SWITCH_INTERVAL)
        self._pool = ThreadPoolExecutor(threads, "render", give_way)
        self._threads = asyncio.Semaphore(threads)
        self._places = threads + bounds.requests
        self._bounds = bounds
        self._budget = budget
        self._clients: Counter[bytes | None] = Counter()  # requests waiting and in work
        self._running: set[Future[Any]] = set()

    @property
    def depth(self) -> int:
        """Requests that wait for a thread."""
        return self._clients.total() - len(self._running)

    async def run(
        self,
        ticket: Ticket,
        function: Callable[Arguments, Result],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Result:
        """What `function` returns or raises.

        Raises RequestError: 503 where too much waits, or it waits or takes too long; 429 where the
        client has too many itself. Raises Abandoned.
        """
        self._enter(ticket)
        try:
            future = await self._started(ticket, function, *args, **kwargs)
        except BaseException:
            self._leave(ticket)
            raise
        loop = asyncio.get_running_loop()
        # Called when the work is over, also for a caller that has gone away.
        future.add_done_callback(lambda done: self._over(loop, ticket, done))
        waiting = asyncio.wrap_future(future)
        try:
            async with asyncio.timeout(self._bounds.time or None):
                return await waiting
        except TimeoutError as error:
            if not waiting.cancelled():
                raise  # the work's own
            why = f"The request took longer than {self._bounds.time:g} seconds (--request-timeout)."
            raise unavailable(why) from error
        finally:
            # What it raised holds this frame. If this frame held it, both, and with them the body
            # of the request, would stay until Python looks for garbage.
            del future, waiting

    async def _started(
        self,
        ticket: Ticket,
        function: Callable[Arguments, Result],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Future[Result]:
        """Running, as soon as a thread is free."""
        if self._threads.locked():
            await self._wait_for_thread(ticket)
        else:
            await self._threads.acquire()
        work: Callable[[], Result] = partial(function, *args, **kwargs)
        future = self._pool.submit(copy_context().run, work)
        self._running.add(future)
        self._watch(self.depth)
        return future

    async def _wait_for_thread(self, ticket: Ticket) -> None:
        abandoned = False
        try:
            async with asyncio.timeout(self._bounds.wait or None) as bound:
                watching = asyncio.create_task(_watch(ticket, bound))
                try:
                    await self._threads.acquire()
                finally:
                    abandoned = not watching.cancel()
        except TimeoutError:
            if abandoned:
                raise Abandoned from None
            raise overloaded(f"no thread was free for {self._bounds.wait:g} seconds") from None

    def _enter(self, ticket: Ticket) -> None:
        client = ticket.client
        if self._clients.total() >= self._places:
            raise overloaded(f"{self._bounds.requests} requests are waiting")
        share = self._bounds.client_requests
        if client is not None and 0 < share <= self._clients[client]:
            raise RequestError(
                f"{share} requests with this API key are in work or waiting. Retry later.",
                status=429,
                type="RateLimitError",
            )
        self._budget.take(ticket.cost)
        self._clients[client] += 1
        self._watch(self.depth)

    def _leave(self, ticket: Ticket) -> None:
        self._budget.give(ticket.cost)
        self._clients[ticket.client] -= 1
        if not self._clients[ticket.client]:
            del self._clients[ticket.client]
        self._watch(self.depth)

    def _over(self, loop: asyncio.AbstractEventLoop, ticket: Ticket, done: Future[Any]) -> None:
        """In the work's thread."""
        with suppress(RuntimeError):  # the loop has ended before the work
            loop.call_soon_threadsafe(self._free, ticket, done)

    def _free(self, ticket: Ticket, done: Future[Any]) -> None:
        self._running.discard(done)
        self._leave(ticket)
        self._threads.release()

    def close(self) -> bool:
        """Nothing waiting is started any more. True: nothing runs; else it is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        return all(future.done() for future in self._running)


async def _watch(ticket: Ticket, bound: asyncio.Timeout) -> None:
    """Ends the wait when the client leaves."""
    await ticket.left()
    bound.reschedule(0)
