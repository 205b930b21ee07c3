"""A server process on this machine: on a free port of 127.0.0.1, awaited, ended by its process ID.

The demo and the tests start the service and the token engine in the same way.
"""

from __future__ import annotations

import http.client
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO

HOST = "127.0.0.1"


class ServerFailed(Exception):
    """The process ended, or was not ready in time; the message holds what it printed."""


def program(name: str) -> str | None:
    """Its path, also where Debian has servers, which is not in the PATH of everyone."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin")


def free_port() -> int:
    """A TCP port that was free a moment ago; the system does not hand it out again at once."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


class LocalServer:
    """`python -m ARGUMENTS --host 127.0.0.1 --port PORT`, listening once the constructor returns.

    arguments: module and its arguments. ready: path that answers 200 when the server is ready.
    timeout: seconds until it must be. env: added to this process's environment.
    port: to listen on, None for a free one. log: file that what it prints is added to.
    Raises ServerFailed.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        ready: str = "/health",
        timeout: float = 60.0,
        env: Mapping[str, str] | None = None,
        port: int | None = None,
        log: Path | None = None,
    ) -> None:
        self.port = port or free_port()
        self.url = f"http://{HOST}:{self.port}"
        # Closed by stop().
        self._log: IO[bytes] = log.open("a+b") if log else tempfile.TemporaryFile()  # noqa: SIM115
        command = [sys.executable, "-m", *arguments, "--host", HOST, "--port", str(self.port)]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(env or {})},
        )
        try:
            self._wait(ready, time.monotonic() + timeout)
        except BaseException:
            self.stop()
            raise

    def _wait(self, path: str, deadline: float) -> None:
        while True:
            if (code := self.process.poll()) is not None:
                raise ServerFailed(f"server ended with exit code {code}:\n{self.output()}")
            if time.monotonic() > deadline:
                raise ServerFailed(f"server not ready in time:\n{self.output()}")
            connection = http.client.HTTPConnection(HOST, self.port, timeout=5)
            try:
                connection.request("GET", path)
                if connection.getresponse().status == 200:
                    return
            except (OSError, http.client.HTTPException):
                pass
            finally:
                connection.close()
            time.sleep(0.05)

    def output(self) -> str:
        """What the process has printed so far."""
        log = self._log.fileno()  # not read(): the process shares this file's position
        return os.pread(log, os.fstat(log).st_size, 0).decode(errors="replace")

    def stop(self, grace: float = 10.0) -> None:
        """End the process, by force after `grace` seconds; safe to call again."""
        if self._log.closed:
            return
        self.process.terminate()
        try:
            self.process.wait(grace)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._log.close()

    def __enter__(self) -> LocalServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
