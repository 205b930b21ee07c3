"""`make release`: what it would make of this checkout, and that it refuses what it should.

SBOM and audit need the release's own tools: without them (`scripts/release-tools`) their tests
are skipped.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
import tomllib
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from render_service import stream_state
from render_service.fingerprint_components import WIRE_VERSION
from tests.conftest import ROOT
from tests.test_conventions import HOSTS, MACHINE

sys.path.insert(0, str(ROOT / "scripts"))

import release
import release_build
from release_audit import Audit, read
from release_build import Artefacts
from release_install import smoke
from release_lock import pins
from release_version import disagreements, git, tags, version

EPOCH = "1700000000"
TOOLS = ROOT / ".cache" / "release-tools" / "bin" / "python"
LOCK = ROOT / "requirements.txt"
VERSIONED = ("pyproject.toml", "render_service/__init__.py", "CHANGELOG.md")

pytestmark = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of its own with what is, or would be, under version control here."""
    root = tmp_path_factory.mktemp("tree")
    for name in release_build.files(ROOT):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    commit(root)
    return root


def commit(root: Path) -> None:
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    name = ("-c", "user.name=Release", "-c", "user.email=release@localhost")
    git(root, *name, "commit", "--quiet", "--message", "All of it")


@pytest.fixture(scope="module")
def built(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Artefacts:
    return release_build.build(tree, tmp_path_factory.mktemp("dist"), EPOCH)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A clean repository with the files alone that hold the version."""
    root = tmp_path / "small"
    for name in VERSIONED:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    commit(root)
    return root


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), "utf-8")


def test_this_checkout_has_one_version() -> None:
    assert disagreements(ROOT, tags(ROOT)) == []


def test_the_page_of_versions_has_those_of_the_code() -> None:
    page = (ROOT / "docs" / "versions.md").read_text("utf-8")
    older, newer = stream_state.READABLE
    assert f"| {version(ROOT)} |" in page
    assert f"| {newer}; {older} is read and can be written |" in page
    assert re.search(rf"^\| `wire` .* \| {WIRE_VERSION} \|", page, re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pythons = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    assert f"| Python | {pythons[0]} to {pythons[-1]} |" in page
    (vllm,) = project["optional-dependencies"]["vllm"]
    assert f"| {vllm.removeprefix('vllm==')} |" in page


def test_another_version_is_found_wherever_it_stands(small: Path) -> None:
    now = version(small)
    dated = re.sub(
        rf"## {now} \(.*\)", f"## {now} (2026-12-01)", (small / VERSIONED[2]).read_text()
    )
    (small / "CHANGELOG.md").write_text(dated)
    assert disagreements(small, [f"v{now}"]) == []
    assert disagreements(small, ["v9.9"]) == [f"tag v9.9 is not v{now}"]
    replace(small / "CHANGELOG.md", "(2026-12-01)", "(not released)")
    assert disagreements(small, []) == []
    assert disagreements(small, [f"v{now}"])[0].startswith("CHANGELOG.md has no date")
    replace(small / "pyproject.toml", f'version = "{now}"', 'version = "9.9"')
    assert len(disagreements(small, [])) == 2


def test_a_tree_that_is_not_clean_is_refused(small: Path) -> None:
    release.refuse(small, allow_dirty=False)
    (small / "new.py").touch()
    with pytest.raises(release.Stop, match="not clean") as stop:
        release.refuse(small, allow_dirty=False)
    assert stop.value.code == release.REFUSED
    release.refuse(small, allow_dirty=True)


def test_a_tag_of_another_version_is_refused(small: Path) -> None:
    git(small, "tag", "v9.9")
    with pytest.raises(release.Stop, match=r"v9\.9") as stop:
        release.refuse(small, allow_dirty=False)
    assert stop.value.code == release.REFUSED


def test_wheel_and_sdist_hold_what_git_holds(tree: Path, built: Artefacts) -> None:
    assert release_build.faults(tree, built) == []
    names = zipfile.ZipFile(built.wheel).namelist()
    for name in (
        "parsers/py.typed",
        "render_service/corpus/writing.json",
        "render_service/demo_model/tokenizer.json",
        "render_service/vllm_flags.txt",
    ):
        assert name in names
    assert not [name for name in names if re.match(r"tests|bench/|.*(__pycache__|\.pyc$)", name)]


def test_what_is_missing_or_too_much_is_named(tree: Path, built: Artefacts, tmp_path: Path) -> None:
    wheel = tmp_path / built.wheel.name
    with zipfile.ZipFile(built.wheel) as old, zipfile.ZipFile(wheel, "w") as new:
        for name in old.namelist():
            if name != "parsers/py.typed":
                new.writestr(name, old.read(name))
        new.writestr("tests/__init__.py", "")
    assert release_build.faults(tree, built._replace(wheel=wheel)) == [
        f"{wheel.name} lacks parsers/py.typed",
        f"{wheel.name} has tests/__init__.py",
    ]


def test_a_second_build_gives_the_same_bytes(tree: Path, built: Artefacts, tmp_path: Path) -> None:
    again = release_build.rebuild(tree, tmp_path, EPOCH)
    assert release_build.differing(built, again) == []
    again.wheel.write_bytes(again.wheel.read_bytes() + b"\n")
    assert release_build.differing(built, again) == [built.wheel.name]


def test_the_wheel_serves_where_nothing_else_of_ours_is(
    tree: Path, built: Artefacts, tmp_path: Path
) -> None:
    """As release_install has it, but with the packages of this environment, to need no network."""
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    install = ["install", "--quiet", "--no-deps", "--no-index", str(built.wheel)]
    subprocess.run([*pip, *install], check=True)
    (site,) = environment.glob("lib/python*/site-packages")
    (site / "locked.pth").write_text(sysconfig.get_path("purelib"))
    smoke(python, version(tree), tmp_path)


def test_the_locks_say_who_needs_whom() -> None:
    found = pins(LOCK)
    assert len(found) == len(re.findall("^[a-z0-9-]+==", LOCK.read_text("utf-8"), re.MULTILINE))
    assert found["markupsafe"].needed_by == ("jinja2",)
    assert "render-service" in found["jinja2"].needed_by
    assert all(pin.needed_by for pin in found.values())


def test_a_release_is_made_with_the_tools_that_these_tests_use() -> None:
    made_with, here = pins(ROOT / "scripts/release-tools.txt"), pins(ROOT / "requirements-dev.txt")
    assert {"build", "hatchling", "cyclonedx-bom", "pip-audit"} <= made_with.keys()
    shared = made_with.keys() & here.keys()
    assert {n: made_with[n].version for n in shared} == {n: here[n].version for n in shared}
    lock = (ROOT / "scripts/release-tools.txt").read_text("utf-8")
    for block in re.split(r"^(?=[a-z0-9.-]+==)", lock, flags=re.MULTILINE)[1:]:
        assert "--hash=sha256:" in block, block.splitlines()[0]


def with_tools(code: str, *words: str) -> str:
    """What code prints that a release's own Python runs."""
    if not TOOLS.is_file():
        pytest.skip("scripts/release-tools has not been run")
    command = [str(TOOLS), "-c", code, *words]
    folder = ROOT / "scripts"
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def made_sbom() -> str:
    """The document, made anew."""
    code = "import sys, pathlib, release_sbom as r; print(r.sbom(pathlib.Path(sys.argv[1]), '1'))"
    return with_tools(code, str(ROOT))


def test_the_sbom_lists_the_locked_packages_and_nothing_of_this_machine() -> None:
    text = made_sbom()
    bom: dict[str, Any] = json.loads(text)
    listed = {one["name"]: one["version"] for one in bom["components"]}
    assert listed == {name: pin.version for name, pin in pins(LOCK).items()}
    graph = {one["ref"]: one.get("dependsOn", []) for one in bom["dependencies"]}
    direct = {name for name, pin in pins(LOCK).items() if "render-service" in pin.needed_by}
    assert graph["root-component"] == sorted(f"pkg:pypi/{name}@{listed[name]}" for name in direct)
    assert bom["metadata"]["component"]["version"] == version(ROOT)
    hashes = re.findall(r"sha256:(\w+)", LOCK.read_text("utf-8"))
    assert all(digest in text for digest in hashes)
    assert not HOSTS.search(text)
    assert not MACHINE.search(text)
    assert str(ROOT) not in text
    assert made_sbom() == text


class OneIsVulnerable(BaseHTTPRequestHandler):
    """A service as OSV's, which knows a vulnerability of jinja2."""

    def do_POST(self) -> None:
        query = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        package = {"name": query["package"]["name"], "ecosystem": "PyPI"}
        span = {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "99.0"}]}
        fault = {
            "id": "PYSEC-1",
            "published": "2026-01-01T00:00:00Z",
            "affected": [{"package": package, "ranges": [span]}],
        }
        answer = json.dumps({"vulns": [fault]} if package["name"] == "jinja2" else {}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


def test_what_pip_audit_finds_is_told() -> None:
    code = (
        "import sys, json, pathlib, release_audit as r;"
        "lock, url, *ignored = sys.argv[1:];"
        "print(json.dumps(r.audit(pathlib.Path(lock), ignored, url)))"
    )
    with ThreadingHTTPServer(("127.0.0.1", 0), OneIsVulnerable) as service:
        threading.Thread(target=service.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{service.server_port}"
        found = Audit(*json.loads(with_tools(code, str(LOCK), url)))
        ignored = Audit(*json.loads(with_tools(code, str(LOCK), url, "PYSEC-1")))
        service.shutdown()
    jinja2 = pins(LOCK)["jinja2"].version
    assert found.vulnerable == [f"jinja2 {jinja2}: PYSEC-1, mended in 99.0"]
    assert found.unaudited == ignored.unaudited == ignored.vulnerable == []
    with pytest.raises(release.Stop, match="PYSEC-1") as stop:
        release.vulnerabilities(found, 1, allow_unaudited=True)
    assert stop.value.code == release.FAILED
    assert release.vulnerabilities(ignored, 1, allow_unaudited=False) == 0


@pytest.mark.parametrize(
    ("report", "errors"),
    [
        ("", "Traceback\nConnectionError: no such host"),
        ('{"dependencies": []}', "No known vulnerabilities found"),
        ('{"dependencies": [{"name": "jinja2", "skip_reason": "not found"}]}', "No known"),
    ],
)
def test_what_was_not_looked_up_is_no_audit(
    report: str, errors: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = read(report, errors, 0, {"jinja2"})
    assert found.unaudited == ["jinja2"]
    assert found.vulnerable == []
    assert release.vulnerabilities(found, 1, allow_unaudited=False) == release.UNAUDITED
    assert release.vulnerabilities(found, 1, allow_unaudited=True) == 0
    assert capsys.readouterr().out.count("NOT DONE for 1 of 1 packages") == 2
