"""Supervises workers that do one odd thing: `stubborn`, `failing` or `failing-once FOLDER`."""

from __future__ import annotations

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


WORK = {"stubborn": stubborn, "failing": failing, "failing-once": failing_once}


def main() -> None:
    def stopping() -> None:
        print("stopping", flush=True)

    Supervisor(2, WORK[sys.argv[1]], timeout=0.5, stopping=stopping).run()
    print("ended", flush=True)


if __name__ == "__main__":
    main()
