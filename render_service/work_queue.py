"""Threads for work that would hold up the event loop, and a bound on how much may wait for them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from .errors import RequestError

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class WorkQueue:
    """threads: run at once. waiting: how many may wait for one; the next is refused with 503."""

    def __init__(self, threads: int, waiting: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="render")
        self._places = threading.BoundedSemaphore(threads + waiting)
        self._limit = waiting
        self._running: set[Future[Any]] = set()

    async def run(
        self,
        function: Callable[Arguments, Result],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Result:
        """What `function` returns or raises. Raises RequestError (503) when too many wait."""
        if not self._places.acquire(blocking=False):
            raise RequestError(
                f"The server is overloaded: {self._limit} requests are waiting. Retry later.",
                status=503,
                type="ServiceUnavailableError",
            )
        future = self._pool.submit(function, *args, **kwargs)
        self._running.add(future)
        # Called when the work is over, also for a caller that has gone away.
        future.add_done_callback(self._leave)
        waiting = asyncio.wrap_future(future)
        try:
            return await waiting
        finally:
            # What it raised holds this frame. If this frame held it, both, and with them the body
            # of the request, would stay until Python looks for garbage.
            del future, waiting

    def _leave(self, future: Future[Any]) -> None:
        self._running.discard(future)
        self._places.release()

    def close(self) -> bool:
        """Nothing waiting is started any more. True: nothing runs; else it is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        return not self._running
