"""Make a release in dist/: wheel, sdist, SBOM and SHA256SUMS, all of it checked.  make release

    scripts/release [--allow-dirty] [--allow-unaudited] [--ignore-vuln ID ...] [--osv-url URL]

Nothing is published and no tag is made; docs/versions.md says what is done by hand. dist/ is made
anew at the end: what is in it has passed every check but, with exit code 3, the audit.

Exit codes: 0 made; 1 a check failed or a vulnerability is known; 2 refused: the tree is not clean
or versions disagree; 3 made, but the audit could not be done (0 with --allow-unaudited).
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from release_audit import Audit, audit
from release_build import build, differing, faults, rebuild
from release_install import install, smoke
from release_lock import pins
from release_sbom import sbom
from release_version import disagreements, git, tags, version

ROOT = Path(__file__).parent.parent
FAILED, REFUSED, UNAUDITED = 1, 2, 3


class Stop(Exception):
    """The release is not made: the exit code, and a line for each reason."""

    def __init__(self, code: int, *lines: str) -> None:
        super().__init__(*lines)
        self.code = code


def say(step: str, what: str) -> None:
    print(f"{step:9} {what}", flush=True)


def refuse(root: Path, allow_dirty: bool) -> None:
    """Raises Stop unless this commit can be a release."""
    changed = git(root, "status", "--porcelain").splitlines()
    if changed and not allow_dirty:
        raise Stop(REFUSED, "the tree is not clean (--allow-dirty to try):", *changed)
    if lines := disagreements(root, tags(root)):
        raise Stop(REFUSED, *lines)
    clean = f"{len(changed)} files not committed" if changed else "a clean tree"
    say("version", f"{version(root)}, {', '.join(tags(root)) or 'no tag'}, {clean}")


def make(root: Path, out: Path) -> list[Path]:
    """Build into a folder and check all but vulnerabilities. Raises Stop, CalledProcessError."""
    epoch = git(root, "log", "-1", "--format=%ct").strip()
    built = build(root, out, epoch)
    say("build", ", ".join(f"{one.name} {one.stat().st_size / 1e6:.1f} MB" for one in built))
    if lines := faults(root, built):
        raise Stop(FAILED, *lines)
    say("contents", "what git holds: all of it in the sdist, the packages in the wheel")
    with tempfile.TemporaryDirectory() as folder:
        names = differing(built, rebuild(root, Path(folder), epoch))
    if names:
        raise Stop(FAILED, f"built again, {' and '.join(names)} came out otherwise")
    say("rebuild", "the same bytes, from a copy and without the way over the sdist")

    lock = root / "requirements.txt"
    bill = out / f"{built.wheel.name.split('-py3')[0]}.cdx.json"
    bill.write_text(sbom(root, epoch), "utf-8")
    say("sbom", f"{bill.name}, {len(pins(lock))} packages")

    for artefact in built:
        with tempfile.TemporaryDirectory() as folder:
            python = install(artefact, lock, Path(folder, "environment"))
            smoke(python, version(root), Path(folder))
        say("smoke", f"{artefact.name} is installed by hash, serves, and ends with 0")
    return [*built, bill]


def vulnerabilities(found: Audit, packages: int, allow_unaudited: bool) -> int:
    """The exit code. Raises Stop for those that are known."""
    if found.vulnerable:
        raise Stop(FAILED, *found.vulnerable)
    if not found.unaudited:
        say("audit", "no vulnerability is known")
        return 0
    code = 0 if allow_unaudited else UNAUDITED
    some = f"{len(found.unaudited)} of {packages} packages"
    say("audit", f"NOT DONE for {some}: {found.reason}")
    say("", f"(pip-audit ended with {found.exit_code}; this release with {code})")
    return code


def hand_over(made: Sequence[Path], dist: Path) -> None:
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir()
    for file in made:
        shutil.copy(file, dist)
    sums = [f"{sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in made]
    (dist / "SHA256SUMS").write_text("".join(sums), "utf-8")
    say("dist/", ", ".join(sorted(file.name for file in dist.iterdir())))


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Make a release in dist/, all of it checked.")
    parser.add_argument("--allow-dirty", action="store_true", help="to try: files not committed")
    parser.add_argument(
        "--allow-unaudited",
        action="store_true",
        help="end with 0, not 3, where the vulnerability service cannot be asked",
    )
    parser.add_argument(
        "--ignore-vuln", action="append", default=[], metavar="ID", help="does not count; repeat"
    )
    parser.add_argument("--osv-url", metavar="URL", help="ask this service, of OSV's kind, instead")
    args = parser.parse_args(words)
    try:
        refuse(ROOT, args.allow_dirty)
        with tempfile.TemporaryDirectory() as folder:
            made = make(ROOT, Path(folder))
            lock = ROOT / "requirements.txt"
            found = audit(lock, args.ignore_vuln, args.osv_url)
            code = vulnerabilities(found, len(pins(lock)), args.allow_unaudited)
            hand_over(made, ROOT / "dist")
    except Stop as stop:
        print(*stop.args, sep="\n", file=sys.stderr)
        return stop.code
    except (subprocess.CalledProcessError, ValueError) as error:
        print(error, file=sys.stderr)
        return FAILED
    return code


if __name__ == "__main__":
    sys.exit(main())
