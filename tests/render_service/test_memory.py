"""What large requests needed goes back to the system."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

from render_service import memory

HELD = """
from render_service import memory

def resident():
    with open("/proc/self/statm") as status:
        return int(status.read().split()[1]) * 4096

pieces = [bytes(500) for _ in range(200_000)]
kept = pieces[-1:]  # above all the rest
held = resident()
del pieces
memory.give_back()
print(held - resident())
"""


def test_anywhere_it_does_no_harm() -> None:
    memory.give_back()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc keeps what is freed")
def test_freed_memory_is_given_back() -> None:
    run = [sys.executable, "-c", HELD]
    # Python's own allocator would keep the pieces in places of its own.
    out = subprocess.run(
        run, env={"PYTHONMALLOC": "malloc"}, capture_output=True, text=True, check=True
    )
    assert int(out.stdout) > 50_000_000
