"""Supervises workers that do one odd thing: `stubborn`, `failing`, `failing-once FOLDER`.

`unborn`: the system refuses the first three processes.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from pathlib import Path

from render_service.supervisor import Supervisor


def stubborn(number: int, parent: int) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print(f"worker {number} runs", flush=True)
    os.read(parent, 1)


def failing(number: int, parent: int) -> None:
    raise RuntimeError("worker fails")


def failing_once(number: int, parent: int) -> None:
    file = Path(sys.argv[2]) / str(number)
    if not file.exists():
        file.touch()
        os._exit(3)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    print(f"worker {number} runs", flush=True)
    os.read(parent, 1)


def unborn(number: int, parent: int) -> None:
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    print(f"worker {number} runs", flush=True)
    os.read(parent, 1)


def refuse_processes(count: int) -> None:
    fork, refusals = os.fork, iter(range(count))

    def refusing() -> int:
        if next(refusals, None) is not None:
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return fork()

    os.fork = refusing


WORK = {"stubborn": stubborn, "failing": failing, "failing-once": failing_once, "unborn": unborn}


def main() -> None:
    def stopping() -> None:
        print("stopping", flush=True)

    if sys.argv[1] == "unborn":
        refuse_processes(3)
    Supervisor(2, WORK[sys.argv[1]], timeout=0.5, stopping=stopping).run()
    print("ended", flush=True)


if __name__ == "__main__":
    main()
