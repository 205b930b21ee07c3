"""`make fleet`: the compose file's topology as processes, that they work and that none is left."""

from __future__ import annotations

import importlib.util
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from render_service.local_server import program
from tests.conftest import ROOT
from tests.render_service.nginx import PROGRAM
from tests.render_service.processes import alive, children
from tests.render_service.waiting import until

SCRIPT = ROOT / "scripts" / "fleet.py"
needs_nginx = pytest.mark.skipif(
    PROGRAM is None, reason="nginx is not installed (Debian's package nginx-light)"
)


def started(*flags: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), *flags],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


class Running:
    """A fleet without a load. urls: of its parts, by name; pids: of their processes."""

    def __init__(self) -> None:
        self.process = started()
        self.urls: dict[str, str] = {}
        wanted = 5 if program("prometheus") else 4
        assert self.process.stdout is not None
        while len(self.urls) < wanted:
            line = self.process.stdout.readline()
            assert line, "the fleet ended"
            if found := re.match(r"(\S+) +(http://\S+)$", line):
                self.urls[found[1]] = found[2]
        self.pids = children(self.process.pid)

    def end(self, number: int) -> int:
        self.process.send_signal(number)
        self.process.communicate(timeout=60)
        return self.process.returncode


@pytest.fixture(scope="module")
def fleet() -> Iterator[Running]:
    running = Running()
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.end(signal.SIGTERM)


@needs_nginx
def test_nginx_serves_the_replicas_and_keeps_metrics_back(fleet: Running) -> None:
    with httpx.Client(base_url=fleet.urls["nginx"]) as client:
        chat = {"messages": [{"role": "user", "content": "Hi"}]}
        assert client.post("/v1/chat/completions/render", json=chat).json()["token_ids"]
        assert client.get("/metrics").status_code == 404
        assert client.get("/ready").status_code == 200


@needs_nginx
def test_replicas_are_alike(fleet: Running) -> None:
    replicas = [url for name, url in fleet.urls.items() if name.startswith("render-")]
    assert len(replicas) == 3
    found = {httpx.get(f"{url}/v1/fingerprint").json()["fingerprint"] for url in replicas}
    assert len(found) == 1


@needs_nginx
def test_prometheus_asks_each_replica(fleet: Running) -> None:
    if "prometheus" not in fleet.urls:
        pytest.skip("Prometheus is not installed (Debian's package prometheus)")

    def healthy() -> bool:
        answer = httpx.get(f"{fleet.urls['prometheus']}/api/v1/targets").json()
        return [target["health"] for target in answer["data"]["activeTargets"]] == ["up"] * 3

    assert until(healthy)


@needs_nginx
def test_ctrl_c_leaves_nothing_behind(fleet: Running) -> None:
    assert fleet.pids
    assert fleet.end(signal.SIGINT) == 0
    assert not [pid for pid in fleet.pids if alive(pid)]


@needs_nginx
def test_a_load_is_answered_while_replicas_restart() -> None:
    process = started("--load", "20", "--minutes", "0.1", "--pace", "0.2", "--restart-every", "1")
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0, output
    found = re.search(r"(\d+) streams, .*, 0 errors, 0 altered, 0 lost; .* (\d+) restarts", output)
    assert found, output
    assert int(found[1]) >= 20
    assert int(found[2]) >= 1


def load_module() -> Any:
    spec = importlib.util.spec_from_file_location("fleet_load", SCRIPT.parent / "fleet_load.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


def test_what_is_altered_or_lost_fails() -> None:
    load = load_module()
    choice = {"delta": {"content": "Tea"}, "finish_reason": "stop"}
    message = {"content": "Tea", "reasoning": None}
    answer = {"choices": [{"message": message, "finish_reason": "stop"}]}
    assert load.joined([{"chunk": {"choices": [choice]}}]) == load.whole(answer)
    message["content"] = "Tee"
    assert load.joined([{"chunk": {"choices": [choice]}}]) != load.whole(answer)
    assert load.Report(streams=1).exit_code == 0
    assert load.Report().exit_code == 1
    assert load.Report(streams=1, altered=1).exit_code == 1
    assert load.Report(streams=1, errors=["500"]).exit_code == 1
