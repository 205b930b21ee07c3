"""A real nginx in front of replicas, as docs/operations.md has it."""

from __future__ import annotations

import getpass
import re
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

from render_service.local_server import HOST, free_port, program
from tests.conftest import ROOT

from .waiting import until

PROGRAM = program("nginx")

CONFIG = """
daemon off;
user {user};
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log warn;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {upstream}
    server {{
        listen {host}:{port};
        add_header X-Upstream $upstream_addr always;
        {location}
    }}
}}
"""


def documented() -> tuple[str, str]:
    """The `upstream` and `location` blocks that the operators' page recommends."""
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    found = re.search(r"```nginx\n(upstream .*?\n}\n)\n*(location .*?\n}\n)```", page, re.DOTALL)
    assert found, "docs/operations.md shows no nginx configuration"
    return found[1], found[2]


def one_side(ports: Sequence[int]) -> tuple[str, str]:
    """The blocks for replicas on these ports of this machine."""
    upstream, location = documented()
    servers = "\n".join(f"    server {HOST}:{port} max_fails=0;" for port in ports)
    return re.sub(r"(?:    server .*\n)+", servers + "\n", upstream), location


def two_sides(new: Sequence[int], old: Sequence[int], fingerprint: str) -> tuple[str, str]:
    """The same for two configurations. fingerprint: that of the old one."""
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    found = re.search(
        r"```nginx\n(map .*?\n}\n)\nlocation / {\n    (proxy_pass .*?)\n", page, re.DOTALL
    )
    assert found, "docs/operations.md shows no choice by fingerprint"
    choice, count = re.subn(r"[0-9a-f]{12}", fingerprint, found[1])
    assert count == 1
    sides = [one_side(ports)[0].replace("replicas", n) for n, ports in (("new", new), ("old", old))]
    location = re.sub(r"proxy_pass .*", found[2], documented()[1])
    return "\n".join((choice, *sides)), location


class Nginx:
    """With these blocks, until `stop`."""

    def __init__(self, folder: Path, upstream: str, location: str) -> None:
        assert PROGRAM is not None
        self.port = free_port()
        self.url = f"http://{HOST}:{self.port}"
        config = folder / "nginx.conf"
        config.write_text(
            CONFIG.format(
                folder=folder,
                user=getpass.getuser(),
                host=HOST,
                port=self.port,
                upstream=upstream,
                location=location,
            )
        )
        self._process = subprocess.Popen(
            [PROGRAM, "-p", str(folder), "-c", str(config), "-e", str(folder / "error.log")],
            stdin=subprocess.DEVNULL,
        )
        until(self._listens)

    def _listens(self) -> bool:
        assert self._process.poll() is None, "nginx ended"
        with socket.socket() as probe:
            return probe.connect_ex((HOST, self.port)) == 0

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(10)
