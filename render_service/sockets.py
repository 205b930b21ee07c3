"""The listening socket: bound before the model is loaded, listening when it is."""

from __future__ import annotations

import errno
import os
import socket
import stat
from typing import NamedTuple

from .settings import Settings
from .usage_error import MISTAKE, PASSING, UsageError

BACKLOG = 2048

# Another process may end, an interface or a name server come up.
_PASSING = (errno.EADDRINUSE, errno.EADDRNOTAVAIL, socket.EAI_AGAIN)


class Listener(NamedTuple):
    """One for all workers. address: what clients connect to, http://HOST:PORT or unix:PATH."""

    socket: socket.socket
    address: str

    def listen(self) -> None:
        """Raises UsageError when another process has begun to listen on the port meanwhile."""
        try:
            self.socket.listen(BACKLOG)
        except OSError as error:
            raise _refused(self.address, error) from error

    def release(self) -> None:
        """In the parent: from now on it is open as long as the workers keep it."""
        self.socket.close()

    def close(self) -> None:
        self.release()
        if self.address.startswith("unix:"):
            os.unlink(self.address.removeprefix("unix:"))


def bind(settings: Settings) -> Listener:
    """Raises UsageError: port in use, address unknown, no permission."""
    if settings.uds is not None:
        return Listener(_bind_unix(settings.uds), f"unix:{settings.uds}")
    host = settings.host or ""
    listener = _bind_tcp(host, settings.port)
    port = listener.getsockname()[1]
    scheme = "https" if settings.ssl_certfile else "http"
    shown = f"[{host}]" if ":" in host else host or "0.0.0.0"
    return Listener(listener, f"{scheme}://{shown}:{port}")


def _bind_tcp(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except (OSError, TypeError, ValueError) as error:  # no address at all, by its text
        listener.close()
        raise _refused(f"{host or '0.0.0.0'} port {port}", error) from error
    return listener


def _bind_unix(path: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    try:
        if _left_over(path):
            os.unlink(path)
        listener.bind(path)
    except (OSError, ValueError) as error:
        listener.close()
        raise _refused(f"unix:{path}", error) from error
    return listener


def _refused(where: str, error: Exception) -> UsageError:
    reason = getattr(error, "strerror", None) or error
    passing = getattr(error, "errno", None) in _PASSING
    return UsageError(f"cannot listen on {where}: {reason}", PASSING if passing else MISTAKE)


def _left_over(path: str) -> bool:
    """A socket that nobody listens on any more: its owner was killed. OSError for another file."""
    try:
        if not stat.S_ISSOCK(os.stat(path).st_mode):
            raise FileExistsError(errno.EEXIST, "it is no socket")
    except FileNotFoundError:
        return False
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            return True
    return False
