"""The command line as a person meets it: help, version, and one line for every mistake."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from render_service import __version__, cli
from tests.conftest import DEMO_MODEL
from tests.render_service.certificates import make_certificate


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "render_service", *words],
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )


def refused(*words: str, codes: tuple[int, ...] = (2,)) -> str:
    """What it says, when it says one line and ends with one of these codes."""
    ended = command(*words)
    assert ended.returncode in codes, ended
    assert ended.stderr.count("\n") == 1
    assert ended.stderr.startswith("render-service")
    assert "Traceback" not in ended.stdout + ended.stderr
    return ended.stderr


@pytest.mark.parametrize("words", [["--version"], ["-V"], ["-v"]])
def test_version(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(words) == 0
    assert capsys.readouterr().out == f"render-service {__version__}\n"


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["help"]])
def test_overview(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(words) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in cli.COMMANDS)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["parsers"], 0),
        (["fingerprint", "--json"], 0),
        (["fleet-check", "http://127.0.0.1:1"], 2),
    ],
)
def test_a_reader_that_leaves(words: list[str], code: int) -> None:
    """As `| head -1` does."""
    command = [sys.executable, "-m", "render_service", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as printing:
        assert printing.stdout
        assert printing.stderr
        printing.stdout.close()
        assert printing.stderr.read() == b""
    assert printing.returncode == code


def test_module_and_help() -> None:
    ended = command("serve", "--help")
    assert ended.returncode == 0
    for word in ("MODEL", "--chat-template", "server:", "logging:", "httptools", "Default: 8000."):
        assert word in ended.stdout


@pytest.mark.parametrize("name", ["fingerprint", "prefix-check"])
def test_commands_that_do_not_serve_show_no_flags_of_the_server(name: str) -> None:
    shown = command(name, "--help").stdout
    assert "--chat-template" in shown
    for word in ("--port", "--ssl-keyfile", "server:", "logging:"):
        assert word not in shown


def test_unknown_command() -> None:
    assert "unknown command 'serv'; one of serve," in refused("serv")


def test_unknown_flag() -> None:
    assert "did you mean --tool-call-parser" in refused("serve", "--tool-parser", "hermes")
    assert "unknown flag --served-model;" in refused("serve", "--served-model", "x")
    assert refused("serve", "--bogus").endswith("unknown flag --bogus (see --help)\n")


def test_bad_json() -> None:
    line = refused("serve", "--default-chat-template-kwargs", "{'a': 1}")
    assert "--default-chat-template-kwargs: not valid JSON" in line


def test_missing_model() -> None:
    assert "/nowhere/at/all" in refused("serve", "/nowhere/at/all", "--port", "0")


def test_unknown_parser() -> None:
    line = refused("serve", "--port", "0", "--reasoning-parser", "qwen33")
    assert "qwen3" in line
    # Also without --enable-auto-tool-choice, with which alone it has an effect.
    assert "did you mean hermes" in refused("serve", "--port", "0", "--tool-call-parser", "hermess")


def test_bad_template(tmp_path: Path) -> None:
    template = tmp_path / "template.jinja"
    template.write_text("{% if %}")
    assert "template" in refused("serve", "--port", "0", "--chat-template", str(template))


def test_port_in_use(tmp_path: Path) -> None:
    """Said before the model is looked at: this one does not exist."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for workers in ("1", "2"):
            words = ["--host", "127.0.0.1", "--port", port, "--workers", workers]
            line = refused("serve", "/nowhere/at/all", *words, codes=(1,))
            assert f"cannot listen on 127.0.0.1 port {port}: Address already in use" in line


def test_port_taken_while_loading(tmp_path: Path) -> None:
    """Two processes may bind a port that nobody listens on; the second to listen is told."""
    code = (
        "import socket, sys\n"
        "from render_service import cli, loading\n"
        "load, other = loading.load_model, socket.socket()\n"
        "other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)\n"
        "def late(settings):\n"
        "    other.bind(('127.0.0.1', settings.port))\n"
        "    other.listen()\n"
        "    return load(settings)\n"
        "loading.load_model = late\n"
        "sys.exit(cli.main(sys.argv[1:]))\n"
    )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    words = ["serve", str(DEMO_MODEL), "--host", "127.0.0.1", "--port", port]
    ended = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True)
    assert ended.returncode == 1
    assert f"cannot listen on http://127.0.0.1:{port}: Address already in use" in ended.stderr


@pytest.mark.parametrize(
    ("host", "codes"),
    [
        ("no.such.host.invalid", (1, 2)),  # whether or not a name server answers
        ("a..b", (2,)),
        ("203.0.113.77", (1,)),  # the interface may come up
    ],
)
def test_address_that_is_not_here(host: str, codes: tuple[int, ...]) -> None:
    line = refused("serve", "--host", host, "--port", "0", codes=codes)
    assert f"cannot listen on {host}" in line


def test_socket_path_that_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert "cannot listen on unix:" in refused("serve", "--uds", str(file))
    assert "cannot listen on unix:" in refused("serve", "--uds", str(tmp_path / "no" / "folder"))
    assert file.exists()


def test_tls_files(tmp_path: Path) -> None:
    make_certificate(tmp_path)
    cert, key = str(tmp_path / "cert.pem"), str(tmp_path / "key.pem")
    assert "--ssl-certfile: cannot read no.pem" in refused("serve", "--ssl-certfile", "no.pem")
    words = ["serve", "--ssl-certfile", cert]
    assert "cannot be used" in refused(*words, "--ssl-keyfile", cert)
    assert "cannot be used" in refused(*words, "--ssl-keyfile", key, "--ssl-ca-certs", key)
    assert "--ssl-ciphers" in refused(*words, "--ssl-keyfile", key, "--ssl-ciphers", "none")
    assert "--ssl-ca-certs: cannot read /no" in refused(
        *words, "--ssl-keyfile", key, "--ssl-ca-certs", "/no"
    )


def test_encrypted_key_does_not_ask(tmp_path: Path) -> None:
    make_certificate(tmp_path)
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    locked = tmp_path / "locked.pem"
    change = ["openssl", "pkcs8", "-topk8", "-in", str(key), "-out", str(locked)]
    subprocess.run([*change, "-passout", "pass:secret"], check=True, capture_output=True)
    words = ["--ssl-certfile", str(cert), "--ssl-keyfile", str(locked)]
    assert "cannot be used" in refused("serve", *words)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("no.such.module.App", "No module named"),
        ("tests.render_service.middlewares.Missing", "has no attribute"),
        ("tests.render_service.middlewares.NEITHER", "neither a class nor a coroutine function"),
        ("word", "expected an import path"),
    ],
)
def test_middleware_that_is_none(path: str, reason: str) -> None:
    assert reason in refused("serve", "--middleware", path, "--port", "0")


def test_config_file_mistakes(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("port: [")
    assert f"--config {file}: not valid YAML" in refused("serve", "--config", str(file))
    file.write_text(json.dumps({"prot": 1}))
    assert "unknown key prot; did you mean port" in refused("serve", "--config", str(file))


def start(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "render_service", "serve", "--port", "0", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_start_up_block_and_warning() -> None:
    words = ["--reasoning-parser", "qwen3", "--tensor-parallel-size", "2", "--dtype", "auto"]
    unsupported = ["--tokenizer-revision", "main", "--hf-config-path", "p"]
    process = start(*words, "--max-model-len", "1k", *unsupported)
    assert process.stdout is not None
    block = [process.stdout.readline() for _ in range(11)]
    process.terminate()
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 0
    assert block[0] == f"render-service {__version__}\n"
    facts = {line[2:14].strip(): line[14:].strip() for line in block[1:]}
    assert facts["model"] == "the bundled demo model, because no MODEL was given"
    assert facts["served as"] == "demo"
    assert facts["parsers"] == "reasoning qwen3, tool calls none"
    assert facts["limits"].startswith("1000 tokens a sequence, 20 logprobs, 64 MiB a body")
    assert facts["workers"] == "1 x (event loop + 1 threads)"
    assert facts["address"].startswith("http://0.0.0.0:")
    assert not facts["address"].endswith(":0")
    assert errors.splitlines()[:2] == [
        "WARNING:  without effect here: --tensor-parallel-size, --dtype",
        "WARNING:  not supported; answers may differ from vLLM's: --tokenizer-revision, "
        "--hf-config-path",
    ]


def test_start_up_without_a_template(tmp_path: Path) -> None:
    for file in DEMO_MODEL.glob("*.json"):
        shutil.copy(file, tmp_path)
    process = start(str(tmp_path))
    assert process.stdout is not None
    block = "".join(process.stdout.readline() for _ in range(11))
    process.terminate()
    process.communicate(timeout=30)
    assert f"model       {tmp_path}\n" in block
    assert "template    none: chat requests need one (--chat-template)\n" in block
