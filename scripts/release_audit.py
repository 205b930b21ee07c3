"""Known vulnerabilities of the packages that requirements.txt pins, by pip-audit.

Nothing known and nothing found out are told apart: a package that the service does not know, or a
service that does not answer, is no audit. (pip-audit itself ends with 0 in the first of these.)
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from release_lock import pins

TIMEOUT = 15  # seconds for one answer of the service


class Audit(NamedTuple):
    """vulnerable: a line for each finding. unaudited: pinned packages of which nothing is known,
    and why. exit_code: pip-audit's."""

    vulnerable: list[str]
    unaudited: list[str]
    reason: str
    exit_code: int


def audit(lock: Path, ignored: Sequence[str] = (), osv_url: str | None = None) -> Audit:
    """ignored: IDs of vulnerabilities that do not count. osv_url: a service that answers as OSV's
    query does; without it the index is asked."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(lock), "--format", "json"]
    command += ["--require-hashes", "--disable-pip", "--progress-spinner", "off"]
    command += ["--timeout", str(TIMEOUT), *(f"--ignore-vuln={one}" for one in ignored)]
    command += ["--vulnerability-service", "osv", "--osv-url", osv_url] if osv_url else []
    done = subprocess.run(command, capture_output=True, text=True)
    return read(done.stdout, done.stderr, done.returncode, set(pins(lock)))


def read(report: str, errors: str, exit_code: int, pinned: set[str]) -> Audit:
    """report, errors: what pip-audit printed."""
    try:
        found = json.loads(report)["dependencies"]
    except (ValueError, KeyError):
        lines = errors.strip().splitlines() or ["no report"]
        return Audit([], sorted(pinned), lines[-1], exit_code)
    known = {one["name"] for one in found if "skip_reason" not in one}
    skipped = [one["skip_reason"] for one in found if "skip_reason" in one]
    vulnerable = [
        f"{one['name']} {one['version']}: {fault['id']}, "
        f"mended in {', '.join(fault['fix_versions']) or 'no version'}"
        for one in found
        for fault in one.get("vulns", [])
    ]
    reason = skipped[0] if skipped else "not in the report"
    return Audit(vulnerable, sorted(pinned - known), reason, exit_code)
