"""The table of where the time goes has all parts, and they are all of the time."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from bench.profile import FULL_SIZES, KERNEL, LONG, Profile, profiled, table
from bench.sampled import HTTP, part_of
from render_service.local_server import LocalServer
from tests.render_service.derender_client import PARSERS


def test_time_is_told_by_part(tmp_path: Path) -> None:
    command = ["bench.sampled", str(tmp_path / "samples"), "serve", *PARSERS]
    with LocalServer(command, ready="/ready") as server:
        sizes = FULL_SIZES._replace(short=200, requests=200, whole=500)
        found = list(profiled(Profile(server, tmp_path / "samples"), sizes, streams=1))
    assert [one.kind for one in found] == [
        "chunk", "render, short, 200", f"render, long, {LONG:,}", "derender, whole, 500",
    ]  # fmt: skip
    assert all(one.us[KERNEL] >= 0 for one in found)
    assert sum(one.samples for one in found) > 10
    rows = table(found).splitlines()
    kinds = ("µs of CPU", "chunk", "render, short, 200", "render, long, 3,000")
    assert rows[0] == f"| {' | '.join(kinds)} | derender, whole, 500 |"
    assert {len(row.split("|")) for row in rows} == {7}
    assert f"| {HTTP} |" in rows[3]


@pytest.mark.parametrize(
    ("file", "part"),
    [
        ("/x/parsers/scanner.py", "parser"),
        ("/x/render_service/stream_state.py", "state and caches"),
        ("/x/site-packages/jinja2/runtime.py", "template"),
        ("/x/site-packages/uvicorn/server.py", HTTP),
        ("/x/render_service/protocol/decode.py", "JSON decode"),
    ],
)
def test_a_frame_is_of_the_part_that_its_file_is_of(file: str, part: str) -> None:
    scope: dict[str, object] = {"inspect": inspect}
    exec(compile("frame = inspect.currentframe()", file, "exec"), scope)
    frame = scope["frame"]
    assert inspect.isframe(frame)
    assert part_of(frame) == part
