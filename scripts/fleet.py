"""docker/compose.yaml as plain processes of this machine: nginx, the replicas, Prometheus.

    python scripts/fleet.py                                            until Ctrl-C
    python scripts/fleet.py --load 500 --minutes 5 --restart-every 30  see fleet_load.py

The files of docker/ are run as they are but for addresses and folders, which `localized` replaces:
what holds here holds for the containers. Everything listens on 127.0.0.1 alone. Prometheus is left
out where it is not installed (Debian's package prometheus); nginx must be (nginx-light).
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fleet_load
import yaml

from render_service.local_server import HOST, LocalServer, ServerFailed, free_port, program

DOCKER = Path(__file__).parent.parent / "docker"
INSIDE = 8000  # a replica's port in its container
STOP_SECONDS = 45.0  # as stop_grace_period


class Replica:
    """A service of the compose file. name: its host name there. log: file for what it prints."""

    def __init__(self, name: str, service: dict[str, Any], log: Path) -> None:
        self.name = name
        self._log = log
        self._arguments = ["render_service", *service["command"]]
        self._environment = {
            # Those without a value are taken from the shell, as compose does.
            key: str(value)
            for key, value in service["environment"].items()
            if value is not None
        }
        self._server = self._start(free_port())
        self.port, self.url = self._server.port, self._server.url

    def _start(self, port: int) -> LocalServer:
        environment = self._environment
        return LocalServer(
            self._arguments, ready="/ready", env=environment, port=port, log=self._log
        )

    def restart(self, kill: bool) -> None:
        """As an upgrade does it, or as the kernel does out of memory. Raises ServerFailed."""
        if kill:
            self._server.process.kill()
        self.stop()
        self._server = self._start(self.port)

    def stop(self) -> None:
        self._server.stop(STOP_SECONDS)

    def end(self) -> None:
        """Begin to stop, without waiting; `stop` does."""
        self._server.process.terminate()


class Fleet:
    """All of it, until `close`. folder: for configurations and data. Raises ServerFailed."""

    def __init__(self, folder: Path) -> None:
        services = yaml.safe_load((DOCKER / "compose.yaml").read_text("utf-8"))["services"]
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self.replicas: list[Replica] = []
        self.urls: dict[str, str] = {}
        try:
            for name, service in services.items():
                if service["image"].partition(":")[0] == "render-service":
                    self.replicas.append(Replica(name, service, folder / f"{name}.log"))
                    self.urls[name] = self.replicas[-1].url
            self._start_nginx()
            self._start_prometheus()
        except BaseException:
            self.close()
            raise

    def localized(self, name: str, port: int = 0) -> Path:
        """A copy of a file of docker/ with this fleet's addresses. port: for nginx to listen on."""
        text = (DOCKER / name).read_text("utf-8")
        for replica in self.replicas:
            text = text.replace(f"{replica.name}:{INSIDE}", f"{HOST}:{replica.port}")
        text = text.replace("listen 8080", f"listen {HOST}:{port}").replace("/tmp/", "tmp/")
        copy = self._folder / name
        copy.write_text(text, "utf-8")
        return copy

    def _start_nginx(self) -> None:
        nginx = program("nginx")
        if nginx is None:
            raise ServerFailed("nginx is not installed (Debian's package nginx-light)")
        port = free_port()
        config = self.localized("nginx.conf", port)
        (self._folder / "tmp").mkdir()
        command = [nginx, "-p", str(self._folder), "-c", str(config), "-e", "stderr"]
        self._run("nginx", [*command, "-g", "daemon off;"], port)

    def _start_prometheus(self) -> None:
        prometheus = program("prometheus")
        if prometheus is None:
            print("Prometheus is left out: it is not installed (Debian's package prometheus)")
            return
        port = free_port()
        shutil.copy(DOCKER / "alerts.yml", self._folder)
        command = [
            prometheus,
            f"--config.file={self.localized('prometheus.yml')}",
            f"--storage.tsdb.path={self._folder / 'series'}",
            f"--web.listen-address={HOST}:{port}",
            "--log.level=warn",
        ]
        self._run("prometheus", command, port)

    def _run(self, name: str, command: list[str], port: int) -> None:
        """What it prints goes to a file: nginx has a line for each time that it tries again."""
        log = self._folder / f"{name}.log"
        with log.open("wb") as printed:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT
            )
        self._processes.append(process)
        self.urls[name] = f"http://{HOST}:{port}"
        deadline = time.monotonic() + 30
        while process.poll() is None and time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex((HOST, port)) == 0:
                    return
            time.sleep(0.05)
        raise ServerFailed(f"{name} does not listen on port {port}:\n{log.read_text('utf-8')}")

    def close(self) -> None:
        for process in self._processes:
            process.terminate()
        for replica in self.replicas:
            replica.end()
        for process in self._processes:
            process.wait(STOP_SECONDS)
        for replica in self.replicas:
            replica.stop()


@contextlib.contextmanager
def restarts(replicas: list[Replica], every: float) -> Iterator[list[str]]:
    """One replica after another each `every` seconds (0: none), by turns asked to end and killed.

    Yields what was restarted, to be read afterwards.
    """
    done: list[str] = []
    over = threading.Event()

    def run() -> None:
        while not over.wait(every):
            turn = len(done)
            replica = replicas[turn % len(replicas)]
            replica.restart(kill=turn % 2 == 1)
            done.append(replica.name)

    thread = threading.Thread(target=run)
    if every:
        thread.start()
    try:
        yield done
    finally:
        over.set()
        if every:
            thread.join()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make fleet", description="See docs/operations.md.")
    add = parser.add_argument
    add("--load", type=int, default=0, metavar="N", help="send N streams at once, then end")
    add("--minutes", type=float, default=1.0, help="how long (default: 1)")
    add("--pace", type=float, default=0.5, help="seconds between chunks of a stream (default: 0.5)")
    add("--restart-every", type=float, default=0.0, metavar="SECONDS", help="restart a replica")
    return parser.parse_args()


def main() -> int:
    args = arguments()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="render-fleet-") as folder:
        try:
            with contextlib.closing(Fleet(Path(folder))) as fleet:
                for name, url in fleet.urls.items():
                    print(f"{name:12}{url}", flush=True)
                print(f"{'logs':12}{folder}/*.log", flush=True)
                if not args.load:
                    threading.Event().wait()
                with restarts(fleet.replicas, args.restart_every) as restarted:
                    report = fleet_load.run(
                        fleet.urls["nginx"], args.load, args.minutes * 60, args.pace
                    )
        except (ServerFailed, fleet_load.Refused) as error:
            print(error, file=sys.stderr)
            return 2
        except KeyboardInterrupt:
            return 0
    print(f"{report}, {len(restarted)} restarts")
    return report.exit_code


if __name__ == "__main__":
    sys.exit(main())
