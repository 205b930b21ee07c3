"""The files of docker/ have a place for keys, outside of the repository, and need none."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT

DOCKER = ROOT / "docker"
KEYS = {"RENDER_API_KEY", "RENDER_STATE_KEY"}


def test_compose_takes_keys_from_its_shell_or_file(tmp_path: Path) -> None:
    program = shutil.which("docker-compose")
    if program is None:
        pytest.skip("docker-compose is not installed")
    shutil.copy(DOCKER / "compose.yaml", tmp_path)
    (tmp_path / ".env").write_text("RENDER_STATE_KEY=old,new\n")
    environment = {name: value for name, value in os.environ.items() if name not in KEYS}
    shown = subprocess.run(
        [program, "-f", tmp_path / "compose.yaml", "config"],
        env=environment | {"RENDER_API_KEY": "of-the-shell"},
        capture_output=True,
        text=True,
        check=True,
    )
    services = yaml.safe_load(shown.stdout)["services"]
    for name in ("render-1", "render-2", "render-3"):
        found = services[name]["environment"]
        assert {key: found[key] for key in KEYS} == {
            "RENDER_API_KEY": "of-the-shell",
            "RENDER_STATE_KEY": "old,new",
        }


def test_the_file_is_not_for_the_repository() -> None:
    assert "docker/.env" in (ROOT / ".gitignore").read_text("utf-8").splitlines()


def test_pods_start_without_the_secret() -> None:
    text = (DOCKER / "kubernetes" / "base" / "deployment.yaml").read_text("utf-8")
    (container,) = yaml.safe_load(text)["spec"]["template"]["spec"]["containers"]
    assert container["envFrom"] == [
        {"secretRef": {"name": "render-service-keys", "optional": True}}
    ]
    assert all(f"--from-literal={key}=" in text for key in KEYS)
