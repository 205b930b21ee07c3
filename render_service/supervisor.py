"""Several worker processes: forked from one that has loaded the model, replaced when they die.

Forking shares the memory of the model, and a replacement serves at once. Threads do not survive a
fork: the parent runs no event loop and none of its own, `tokenizers` does without its pool in the
workers (TOKENIZERS_PARALLELISM), and whatever else starts threads must do so in a worker.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import time
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

from .stdout import flush

logger = logging.getLogger("render_service")

ENDING = (signal.SIGTERM, signal.SIGINT)
RESTART_PAUSE = 1.0  # seconds between the start of a worker and that of its replacement, at least

Work = Callable[[int, int], object]  # (worker number, descriptor that ends with the parent)


class Supervisor:
    """work: what a worker process does until it ends.

    timeout: seconds from the last signal to stop until workers that have not ended are killed.
    stopping: called once, when the first signal to stop has come.
    died: called with the process ID of each worker that ends before that.
    """

    def __init__(
        self,
        workers: int,
        work: Work,
        *,
        timeout: float,
        stopping: Callable[[], None],
        died: Callable[[int], None] = lambda pid: None,
    ) -> None:
        self._work = work
        self._timeout = timeout
        self._stopping = stopping
        self._died = died
        self._workers: dict[int, tuple[int, float]] = {}  # process ID -> worker number, started at
        self._waiting: dict[int, float] = dict.fromkeys(range(workers), 0.0)  # number -> start at
        self._stop_by: float | None = None
        self._alive, self._alive_writer = os.pipe()
        self._wake, self._wake_writer = os.pipe2(os.O_NONBLOCK)

    def run(self) -> None:
        """Until a signal ends it and all workers have ended."""
        signal.set_wakeup_fd(self._wake_writer)
        for number in (*ENDING, signal.SIGCHLD):
            signal.signal(number, _noted)
        while self._workers or self._stop_by is None:
            self._start_due()
            self._await_signals()
            self._reap()
        signal.set_wakeup_fd(-1)

    def _start_due(self) -> None:
        if self._stop_by is not None:
            return
        now = time.monotonic()
        for number in [number for number, at in self._waiting.items() if at <= now]:
            del self._waiting[number]
            self._start(number)

    def _start(self, number: int) -> None:
        flush()
        # A signal waits until the child has handlers of its own.
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
        try:
            pid = os.fork()
        except OSError as error:
            logger.error("A worker process cannot be started: %s", error.strerror)
            self._waiting[number] = time.monotonic() + RESTART_PAUSE
        else:
            if not pid:
                self._child(number)
            self._workers[pid] = (number, time.monotonic())
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)

    def _child(self, number: int) -> NoReturn:
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            for name in (*ENDING, signal.SIGCHLD):
                signal.signal(name, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
            for descriptor in (self._alive_writer, self._wake, self._wake_writer):
                os.close(descriptor)
            self._work(number, self._alive)
            code = 0
        except BaseException:
            logger.exception("Worker failed")
        finally:
            # Not sys.exit: nothing of the parent's may run twice.
            flush_and_exit(code)

    def _await_signals(self) -> None:
        due = [*self._waiting.values()] if self._stop_by is None else [self._stop_by]
        pause = max(0.0, min(due) - time.monotonic()) if due else None
        ready, _, _ = select.select([self._wake], [], [], pause)
        received = os.read(self._wake, 1024) if ready else b""
        for number in received:
            if number in ENDING:
                if self._stop_by is None:
                    self._stopping()
                self._stop_by = time.monotonic() + self._timeout
                self._tell(signal.SIGTERM)
        if self._stop_by is not None and time.monotonic() >= self._stop_by:
            self._tell(signal.SIGKILL)

    def _tell(self, number: signal.Signals) -> None:
        for pid in self._workers:
            os.kill(pid, number)

    def _reap(self) -> None:
        for pid in list(self._workers):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if not ended:
                continue
            number, started = self._workers.pop(pid)
            if self._stop_by is None:
                code = os.waitstatus_to_exitcode(status)
                logger.error("Worker process %d has died (exit code %d); replaced", pid, code)
                self._waiting[number] = started + RESTART_PAUSE
                self._died(pid)


def _noted(number: int, frame: FrameType | None) -> None:
    """The wake-up descriptor tells the loop."""


def flush_and_exit(code: int) -> NoReturn:
    """End this process now: no clean-up, no waiting for threads."""
    flush()
    os._exit(code)
