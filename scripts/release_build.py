"""The artefacts: built twice to the same bytes, and holding what git holds, no more and no less.

The build runs in the environment of this process, whose packages are locked (release-tools.txt),
so that the same commit gives the same bytes on another day too.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from release_version import git

PACKAGES = ("render_service/", "parsers/")
# What the wheel has beside the packages, in its folder NAME-VERSION.dist-info.
DIST_INFO = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")


class Artefacts(NamedTuple):
    sdist: Path
    wheel: Path


def files(root: Path) -> set[str]:
    """What is, or would be, under version control: paths from the root, with slashes."""
    listed = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return {name for name in listed.split("\0") if name and (root / name).is_file()}


def build(root: Path, out: Path, epoch: str, *, straight: bool = False) -> Artefacts:
    """Into a folder, with all times at `epoch`. straight: the wheel not by way of the sdist.

    Raises CalledProcessError.
    """
    kinds = ["--sdist", "--wheel"] if straight else []
    subprocess.run(
        [sys.executable, "-m", "build", "--quiet", "--no-isolation", "--outdir", out, *kinds, root],
        env={**os.environ, "SOURCE_DATE_EPOCH": epoch},
        check=True,
    )
    (sdist,), (wheel,) = out.glob("*.tar.gz"), out.glob("*.whl")
    return Artefacts(sdist, wheel)


def rebuild(root: Path, out: Path, epoch: str) -> Artefacts:
    """The same elsewhere: of files with other times and rights, the wheel of the tree itself."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in files(root):
            target = copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, target)
            target.chmod(target.stat().st_mode & 0o700)
        return build(copy, out, epoch, straight=True)


def differing(built: Artefacts, again: Artefacts) -> list[str]:
    """Names of artefacts that are not the same bytes."""
    return [
        one.name
        for one, other in zip(built, again, strict=True)
        if one.name != other.name or one.read_bytes() != other.read_bytes()
    ]


def faults(root: Path, built: Artefacts) -> list[str]:
    """What an artefact lacks or has too much."""
    wanted = files(root)
    stem = built.sdist.name.removesuffix(".tar.gz")
    with tarfile.open(built.sdist) as sdist:
        held = [member.name.removeprefix(f"{stem}/") for member in sdist if member.isfile()]
    found = _faults(built.sdist.name, held, wanted | {"PKG-INFO"})
    with zipfile.ZipFile(built.wheel) as wheel:
        held = wheel.namelist()
    packaged = {name for name in wanted if name.startswith(PACKAGES)}
    info = {f"{stem}.dist-info/{name}" for name in DIST_INFO}
    return found + _faults(built.wheel.name, held, packaged | info)


def _faults(artefact: str, held: Iterable[str], wanted: set[str]) -> list[str]:
    held = set(held)
    return [f"{artefact} lacks {name}" for name in sorted(wanted - held)] + [
        f"{artefact} has {name}" for name in sorted(held - wanted)
    ]
