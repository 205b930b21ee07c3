"""An artefact in an environment of its own, with the locked packages and nothing else beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SMOKE = Path(__file__).with_name("release_smoke.py")


def install(artefact: Path, lock: Path, environment: Path) -> Path:
    """A new environment's Python. Raises CalledProcessError, also where the lock lacks something.

    An sdist is built as for anyone who installs it, with the hatchling of the day.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"

    def pip(*words: str | Path) -> None:
        subprocess.run([sys.executable, "-m", "pip", "--python", python, *words], check=True)

    quiet = ("--quiet", "--no-input", "--disable-pip-version-check")
    # Wheels alone, as in the image.
    pip("install", *quiet, "--require-hashes", "--only-binary", ":all:", "--requirement", lock)
    pip("install", *quiet, "--no-deps", artefact)
    pip("check", "--quiet")
    return python


def smoke(python: Path, version: str, folder: Path) -> None:
    """Run release_smoke.py in a folder that holds none of our code. Raises CalledProcessError."""
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    environment["HF_HUB_OFFLINE"] = "1"
    subprocess.run([python, SMOKE, version], cwd=folder, env=environment, check=True)
