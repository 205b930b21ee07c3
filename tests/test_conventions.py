"""Rules of the repository that no other tool checks."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CODE = (".py", ".sh", ".jinja", ".toml", ".yml", ".yaml")
DATA = ("_corpus.py", "_cases.py")  # tables of inputs to record
# Spelt in parts, so that this file passes its own check.
HOSTS = re.compile(
    "|".join(["files.python" + "hosted", "pypi" + r"\.org", "npmjs" + r"\.(org|com)"])
)
MACHINE = re.compile(
    "|".join(["/work/" + "(main|shared)", "/ro" + "ot/", "/opt/" + "(pypi|wheels)"])
)


def tracked() -> list[Path]:
    try:
        listing = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listing.split("\0") if name and (ROOT / name).is_file()]


def texts() -> list[tuple[str, str]]:
    return [(str(p.relative_to(ROOT)), p.read_text("utf-8", "replace")) for p in tracked()]


def test_no_registry_host_and_no_machine_path_is_named() -> None:
    found = [
        f"{name}: {match[0]}"
        for name, text in texts()
        for pattern in (HOSTS, MACHINE)
        if (match := pattern.search(text))
    ]
    assert not found


def test_no_source_file_is_longer_than_400_lines() -> None:
    long = [
        f"{name}: {text.count(chr(10))} lines"
        for name, text in texts()
        if name.endswith(CODE) and not name.endswith(DATA) and text.count("\n") > 400
    ]
    assert not long


def test_every_module_of_the_packages_states_its_rule() -> None:
    silent = [
        name
        for name, text in texts()
        if name.startswith(("render_service/", "parsers/", "scripts/"))
        and name.endswith(".py")
        and text.strip()
        and not text.lstrip("r").startswith('"""')
    ]
    assert not silent


def test_no_tracked_file_is_over_a_megabyte() -> None:
    assert not [path for path in tracked() if path.stat().st_size > 1_000_000]


def test_the_parsing_library_imports_only_the_standard_library() -> None:
    outside = re.compile(
        r"^\s*(?:from|import) (render_service|msgspec|orjson|starlette|tokenizers|transformers)\b"
    )
    found = [
        f"{name}: {line}"
        for name, text in texts()
        if name.startswith("parsers/")
        for line in text.splitlines()
        if outside.match(line)
    ]
    assert not found


def test_the_service_never_imports_what_it_must_do_without() -> None:
    heavy = re.compile(r"^\s*(?:from|import) (fastapi|torch|vllm)\b", re.MULTILINE)
    assert not [
        name
        for name, text in texts()
        if name.startswith(("render_service/", "parsers/")) and heavy.search(text)
    ]


def test_the_lock_is_hashed_and_holds_no_heavy_package() -> None:
    lock = (ROOT / "requirements-dev.txt").read_text("utf-8")
    pins = re.findall(r"^([a-z0-9-]+)==", lock, re.MULTILINE)
    assert len(pins) > 40
    assert not {"torch", "vllm", "fastapi"} & set(pins)
    for block in re.split(r"^(?=[a-z0-9-]+==)", lock, flags=re.MULTILINE)[1:]:
        assert "--hash=sha256:" in block, block.splitlines()[0]
    assert "file:" not in lock
