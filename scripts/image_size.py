"""What the image holds, unpacked and by layer, from what is installed here: make image-size

The packages are those of requirements.txt in the versions that it pins, with the compiled files
that pip leaves; ours are compiled too, as in docker/Dockerfile. Only the base, which is not
installed, is a figure from elsewhere. Exit code 1: over the bound.
"""

from __future__ import annotations

import compileall
import shutil
import sys
import tempfile
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

from release_lock import pins

ROOT = Path(__file__).parent.parent
MB = 1e6
BOUND = 350.0  # MB
BASE = 130.0  # MB; python:3.11-slim-bookworm as published
NAMED = 5  # the largest packages have a figure of their own


def packages(lock: Path) -> dict[str, float]:
    """MB by name, the largest first. Raises ValueError where another version is installed."""
    sizes = {}
    for name, pin in pins(lock).items():
        found = distribution(name)
        if found.version != pin.version:
            raise ValueError(f"{name} {found.version} is installed, {pin.version} is locked")
        sizes[name] = _megabytes(Path(str(file.locate())) for file in found.files or [])
    return dict(sorted(sizes.items(), key=lambda item: -item[1]))


def ours(root: Path) -> float:
    """MB of both packages."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("render_service", "parsers"):
            without = shutil.ignore_patterns("__pycache__")
            shutil.copytree(root / name, Path(folder, name), ignore=without)
        compileall.compile_dir(folder, quiet=1)
        return _megabytes(Path(folder).rglob("*"))


def _megabytes(files: Iterable[Path]) -> float:
    return sum(file.stat().st_size for file in files if file.is_file()) / MB


def table(root: Path) -> tuple[list[tuple[str, int]], int]:
    """Layers with their MB, and the sum of what is shown."""
    sizes = packages(root / "requirements.txt")
    named = [f"{name} {size:.0f}" for name, size in list(sizes.items())[:NAMED]]
    rest = list(sizes.values())[NAMED:]
    layers = [
        ("python:3.11-slim-bookworm (as published; not measured here)", BASE),
        (f"packages: {', '.join(named)}, {len(rest)} others {sum(rest):.0f}", sum(sizes.values())),
        ("our own", ours(root)),
    ]
    rounded = [(layer, round(size)) for layer, size in layers]
    return rounded, sum(size for _, size in rounded)


def main() -> int:
    layers, whole = table(ROOT)
    for layer, size in [*layers, (f"together; the bound is {BOUND:.0f}", whole)]:
        print(f"{size:5} MB  {layer}")
    return int(whole > BOUND)


if __name__ == "__main__":
    sys.exit(main())
