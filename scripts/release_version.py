"""A release has one version: in pyproject.toml, the package, the changelog, and its tag."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

_PACKAGE = re.compile(r'^__version__ = "(.*)"$', re.MULTILINE)
_HEADING = re.compile(r"^## (\S+) \((.*)\)$", re.MULTILINE)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def git(root: Path, *words: str) -> str:
    """What a git command prints. Raises CalledProcessError."""
    return subprocess.run(
        ["git", *words], cwd=root, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def tags(root: Path) -> list[str]:
    """The version tags of the commit that is checked out."""
    return git(root, "tag", "--points-at", "HEAD", "--list", "v[0-9]*").split()


def version(root: Path) -> str:
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def disagreements(root: Path, tags: list[str]) -> list[str]:
    """What says another version than pyproject.toml; of a tagged commit also what has no date."""
    wanted = version(root)
    found = []
    package = _PACKAGE.search((root / "render_service/__init__.py").read_text("utf-8"))
    if package is None or package[1] != wanted:
        found.append(f"render_service/__init__.py does not say {wanted}")
    heading = _HEADING.search((root / "CHANGELOG.md").read_text("utf-8"))
    if heading is None or heading[1] != wanted:
        found.append(f"CHANGELOG.md does not begin with '## {wanted} (...)'")
    elif tags and not _DATE.fullmatch(heading[2]):
        found.append(f"CHANGELOG.md has no date for {wanted}: '## {wanted} (YYYY-MM-DD)'")
    return found + [f"tag {tag} is not v{wanted}" for tag in tags if tag != f"v{wanted}"]
