"""Where it listens: Unix sockets, TLS, IPv6."""

from __future__ import annotations

import socket
import ssl
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from render_service.local_server import free_port
from tests.conftest import DEMO_MODEL
from tests.render_service.certificates import make_certificate
from tests.render_service.waiting import until


def run(*words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "render_service", "serve", str(DEMO_MODEL), *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def stopped(process: subprocess.Popen[bytes]) -> str:
    process.terminate()
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    return output.decode()


def answers(path: Path) -> bool:
    try:
        with httpx.Client(transport=httpx.HTTPTransport(uds=str(path))) as client:
            return client.get("http://service/health").status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.parametrize("workers", ["1", "2"])
def test_unix_socket(workers: str, tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))  # left over by a process that was killed
    process = run("--uds", str(path), "--workers", workers)
    until(lambda: answers(path))
    second = run("--uds", str(path))
    output, _ = second.communicate(timeout=30)
    assert second.returncode == 1  # it may be over at the next start
    assert f"cannot listen on unix:{path}" in output.decode()
    assert answers(path)
    assert f"unix:{path}" in stopped(process)
    assert not path.exists()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tls")
    make_certificate(folder)
    return folder


def served_over_tls(port: int, folder: Path) -> bool:
    context = ssl.create_default_context(cafile=str(folder / "cert.pem"))
    try:
        answer = httpx.get(f"https://127.0.0.1:{port}/health", verify=context)
    except httpx.TransportError:
        return False
    return answer.status_code == 200


@pytest.mark.parametrize("workers", ["1", "2"])
def test_tls(certificate: Path, workers: str) -> None:
    port = free_port()
    files = ["--ssl-certfile", str(certificate / "cert.pem")]
    files += ["--ssl-keyfile", str(certificate / "key.pem"), "--ssl-ciphers", "ECDHE+AESGCM"]
    where = ("--host", "127.0.0.1", "--port", str(port), "--workers", workers)
    process = run(*where, *files, "--enable-ssl-refresh")
    until(lambda: served_over_tls(port, certificate))
    with socket.create_connection(("127.0.0.1", port)) as plain:
        plain.sendall(b"GET /health HTTP/1.1\r\n\r\n")
        assert plain.recv(1) == b""  # no TLS
    assert served_over_tls(port, certificate)
    assert f"https://127.0.0.1:{port}" in stopped(process)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_idle_tls_client_does_not_hold_up_the_end(certificate: Path, workers: str) -> None:
    port = free_port()
    cert, key = str(certificate / "cert.pem"), str(certificate / "key.pem")
    where = ("--host", "127.0.0.1", "--port", str(port), "--workers", workers)
    files = ("--ssl-certfile", cert, "--ssl-keyfile", key)
    process = run(*where, *files, "--shutdown-timeout", "600")
    until(lambda: served_over_tls(port, certificate))
    with httpx.Client(verify=ssl.create_default_context(cafile=cert)) as client:
        assert client.get(f"https://127.0.0.1:{port}/health").status_code == 200
        assert "Traceback" not in stopped(process)  # the client keeps its connection, unread


def test_client_certificates(certificate: Path) -> None:
    port = free_port()
    cert, key = str(certificate / "cert.pem"), str(certificate / "key.pem")
    files = ["--ssl-certfile", cert, "--ssl-keyfile", key, "--ssl-ca-certs", cert]
    process = run("--host", "127.0.0.1", "--port", str(port), *files, "--ssl-cert-reqs", "2")
    context = ssl.create_default_context(cafile=cert)
    context.load_cert_chain(cert, key)
    until(lambda: not_refused(port))
    assert httpx.get(f"https://127.0.0.1:{port}/health", verify=context).status_code == 200
    assert not served_over_tls(port, certificate)
    stopped(process)


def not_refused(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionRefusedError:
        return False
    return True


def test_ipv6() -> None:
    port = free_port()
    process = run("--host", "::1", "--port", str(port))
    until(lambda: get(f"http://[::1]:{port}/health") == 200)
    assert f"http://[::1]:{port}" in stopped(process)


def get(url: str) -> int | None:
    try:
        return httpx.get(url).status_code
    except httpx.TransportError:
        return None
