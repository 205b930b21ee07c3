"""Model files in a folder, in the hub's cache, and from a (local) hub."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from huggingface_hub import constants
from huggingface_hub.utils.tqdm import disable_progress_bars

from render_service.hub import ModelFiles, StartupError, find
from render_service.usage_error import MISTAKE, PASSING

COMMIT = "c" * 40
FILES = {
    "config.json": b'{"model_type": "own"}',
    "tokenizer.json": b"{}",
    "additional_chat_templates/rag.jinja": b"rag",
    "model.safetensors": b"weights",
    "pytorch_model.bin": b"weights",
    "own.py": b"code",
    "README.md": b"words",
}


class Hub(BaseHTTPRequestHandler):
    """As much of the hub's HTTP interface as a snapshot takes."""

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path.startswith("/api/models/org/missing"):
            self._answer(404, b"{}", X_Error_Code="RepoNotFound")
        elif path.startswith("/api/models/org/gated"):
            self._answer(403, b"{}", X_Error_Code="GatedRepo")
        elif path.startswith("/api/models/org/broken"):
            self._answer(500, b"{}")
        elif path.endswith("/revision/none"):
            self._answer(404, b"{}", X_Error_Code="RevisionNotFound")
        elif path.startswith("/api/models/org/model/tree/"):
            entries = [
                {"type": "file", "path": name, "size": len(data), "oid": "0" * 40}
                for name, data in FILES.items()
            ]
            self._answer(200, json.dumps(entries).encode(), Content_Type="application/json")
        elif path.startswith("/api/models/org/model"):
            info = {
                "id": "org/model",
                "sha": COMMIT,
                "siblings": [{"rfilename": name} for name in FILES],
            }
            self._answer(200, json.dumps(info).encode(), Content_Type="application/json")
        else:
            data = FILES[path.partition(f"/resolve/{COMMIT}/")[2]]
            etag = f'"{hashlib.sha1(data).hexdigest()}"'
            self._answer(200, data, ETag=etag, X_Repo_Commit=COMMIT)

    do_HEAD = do_GET


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """A hub on this machine, with an empty cache."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    use(monkeypatch, tmp_path / "cache", f"http://127.0.0.1:{server.server_port}")
    yield constants.ENDPOINT
    server.shutdown()
    thread.join()
    server.server_close()


def use(monkeypatch: pytest.MonkeyPatch, cache: Path, endpoint: str) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    monkeypatch.setattr(constants, "ENDPOINT", endpoint)
    monkeypatch.setattr(
        constants,
        "HUGGINGFACE_CO_URL_TEMPLATE",
        endpoint + "/{repo_id}/resolve/{revision}/{filename}",
    )
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    disable_progress_bars()


def cached(cache: Path, revision: str = "main") -> Path:
    """A repository org/model in the cache; its snapshot."""
    repository = cache / "models--org--model"
    snapshot = repository / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / revision).write_text(COMMIT)
    (snapshot / "config.json").write_bytes(FILES["config.json"])
    return snapshot


def test_a_folder(tmp_path: Path) -> None:
    files = find(str(tmp_path))
    assert files == ModelFiles(str(tmp_path), tmp_path)
    assert (files.text("a.txt"), files.json("a.json"), files.has("a.txt")) == (None, None, False)
    (tmp_path / "a.json").write_text('{"a": "é"}', encoding="utf-8")
    assert files.json("a.json") == {"a": "é"}
    assert files.has("a.json")
    assert files.text("a.json/b") is None


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    files = find(str(tmp_path))
    (tmp_path / "a.json").write_bytes(b"\xff")
    with pytest.raises(StartupError, match=r"cannot read .*a\.json"):
        files.json("a.json")
    for text, message in (("{", "not valid JSON"), ("[]", "does not hold a JSON object")):
        (tmp_path / "a.json").write_text(text)
        with pytest.raises(StartupError, match=message):
            files.json("a.json")
    (tmp_path / "a.json").unlink()
    (tmp_path / "a.json").symlink_to("a.json")
    with pytest.raises(StartupError, match=r"cannot read .*a\.json"):
        files.text("a.json")


def test_a_file_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.touch()
    with pytest.raises(StartupError, match="is a file"):
        find(str(path))


@pytest.mark.parametrize("name", ["no/such/folder", "/no/such", "a b", "", "org/model!"])
def test_names_that_are_neither(name: str) -> None:
    with pytest.raises(StartupError, match="neither a folder nor a hub ID"):
        find(name or "./nowhere")


@pytest.mark.parametrize("remote_code", [False, True])
def test_from_the_hub_without_weights(hub: str, remote_code: bool) -> None:
    files = find("org/model", remote_code=remote_code)
    found = {str(p.relative_to(files.folder)) for p in files.folder.rglob("*") if p.is_file()}
    wanted = {"config.json", "tokenizer.json", "additional_chat_templates/rag.jinja"}
    assert found == (wanted | {"own.py"} if remote_code else wanted)
    assert files.json("config.json") == {"model_type": "own"}


@pytest.mark.parametrize(
    ("name", "revision", "message", "code"),
    [
        ("org/missing", None, "neither a folder nor a repository of the hub", MISTAKE),
        ("org/gated", None, "gated.*HF_TOKEN", MISTAKE),
        ("org/model", "none", "no revision 'none'", MISTAKE),
        ("org/broken", None, "the hub cannot be reached", PASSING),
    ],
)
def test_what_the_hub_refuses(
    hub: str, name: str, revision: str | None, message: str, code: int
) -> None:
    with pytest.raises(StartupError, match=message) as error:
        find(name, revision=revision)
    assert error.value.exit_code == code


def test_a_cache_that_cannot_be_written(
    hub: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "file"))
    with pytest.raises(StartupError, match="cannot fetch model 'org/model' from the hub") as error:
        find("org/model")
    assert error.value.exit_code == MISTAKE


def test_without_a_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use(monkeypatch, tmp_path, "http://127.0.0.1:1")
    with pytest.raises(StartupError, match="not in the local cache, and the hub cannot be reached"):
        find("org/model")
    snapshot = cached(tmp_path)
    assert find("org/model").folder == snapshot


def test_offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use(monkeypatch, tmp_path, "http://127.0.0.1:1")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(
        StartupError, match="not in the local cache, and HF_HUB_OFFLINE is set"
    ) as error:
        find("org/model")
    assert error.value.exit_code == MISTAKE
    snapshot = cached(tmp_path, revision="v2")
    assert find("org/model", revision="v2").folder == snapshot
    with pytest.raises(StartupError, match="HF_HUB_OFFLINE"):
        find("org/model", revision="v1")
