"""The queue before the threads: what is abandoned while it waits is not begun."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Awaitable, Callable

import pytest

from render_service.body_budget import BodyBudget
from render_service.errors import RequestError
from render_service.give_way import NICER
from render_service.work_queue import SWITCH_INTERVAL, Abandoned, Bounds, Ticket, WorkQueue

BEGUN: list[str] = []


def work(name: str, go: threading.Event) -> str:
    BEGUN.append(name)
    go.wait(30)
    return name


async def never() -> None:
    await asyncio.Event().wait()


class Scene:
    """A queue with one thread, which is taken until `go`; one request waits for it."""

    def __init__(self, wait: float = 0.0) -> None:
        BEGUN.clear()
        self.go = threading.Event()
        self.budget = BodyBudget(0)
        self.queue = WorkQueue(1, Bounds(2, wait=wait), self.budget)
        self.left = asyncio.Event()
        self.first = self.run("first", never)

    def run(self, name: str, left: Callable[[], Awaitable[object]]) -> asyncio.Task[str]:
        ticket = Ticket(None, 10, left)
        return asyncio.create_task(self.queue.run(ticket, work, name, self.go))

    async def waiting(self) -> asyncio.Task[str]:
        task = self.run("second", self.left.wait)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert (self.queue.depth, self.budget.held) == (1, 20)
        return task


def test_what_is_abandoned_is_not_begun() -> None:
    async def scene() -> None:
        here = Scene()
        second = await here.waiting()
        here.left.set()
        with pytest.raises(Abandoned):
            await second
        assert (here.queue.depth, here.budget.held) == (0, 10)
        third = here.run("third", never)
        here.go.set()
        assert [await here.first, await third] == ["first", "third"]
        assert BEGUN == ["first", "third"]

    asyncio.run(scene())


def test_the_bound_on_waiting_still_holds() -> None:
    async def scene() -> None:
        here = Scene(wait=0.01)
        second = await here.waiting()
        with pytest.raises(RequestError, match="no thread was free"):
            await second
        here.go.set()
        await here.first

    asyncio.run(scene())


def test_work_that_has_begun_is_finished() -> None:
    async def scene() -> None:
        here = Scene()
        second = await here.waiting()
        here.go.set()
        assert await second == "second"
        here.left.set()
        await asyncio.sleep(0)
        assert (here.queue.depth, here.budget.held) == (0, 0)

    asyncio.run(scene())


def test_nobody_is_watched_where_a_thread_is_free() -> None:
    asked: list[bool] = []

    async def left() -> None:
        asked.append(True)

    async def scene() -> None:
        here = Scene()
        here.go.set()
        await here.first
        assert await here.run("again", left) == "again"
        assert not asked

    asyncio.run(scene())


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no priority of their own")
def test_threads_give_way_to_the_event_loop() -> None:
    def seen() -> tuple[int, int]:
        thread = threading.get_native_id()
        return os.sched_getscheduler(thread), os.getpriority(os.PRIO_PROCESS, thread)

    async def both() -> list[tuple[int, int]]:
        queue = WorkQueue(1, Bounds(2), BodyBudget(0))
        return [seen(), await queue.run(Ticket(None, 10, never), seen)]

    own, thread = asyncio.run(both())
    assert thread == (os.SCHED_BATCH, min(own[1] + NICER, 19))
    assert own[0] == os.SCHED_OTHER


def test_threads_take_short_turns() -> None:
    WorkQueue(1, Bounds(1), BodyBudget(1)).close()
    assert sys.getswitchinterval() == pytest.approx(SWITCH_INTERVAL)
