"""What large requests needed goes back to the system."""

from __future__ import annotations

import asyncio
import platform
import subprocess
import sys

import pytest

from render_service import memory
from render_service.app import App
from render_service.loading import load_model
from render_service.metrics import Metrics
from render_service.server import TRIM_TICKS, Server
from render_service.settings import Settings

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


def test_a_server_gives_back_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []
    monkeypatch.setattr(memory, "give_back", lambda: given.append(1))
    model = load_model(Settings())
    server = Server(App(model, Metrics()), model.settings)

    async def ticks() -> None:
        for counter in range(2 * TRIM_TICKS):
            assert not await server.on_tick(counter)

    server.servers = []
    asyncio.run(ticks())
    assert len(given) == 2


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
