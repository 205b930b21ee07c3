"""The bill of materials: CycloneDX JSON of the packages that requirements.txt pins.

cyclonedx-py reads the lock. What it takes from this machine or guesses is replaced: references are
package URLs instead of line numbers and an index's address, and who needs whom comes from the lock.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from release_lock import Pin, pins

ROOT_REF = "root-component"  # as cyclonedx-py calls the project


def sbom(root: Path, epoch: str) -> str:
    """The document. epoch: its time stamp. Raises CalledProcessError, ValueError if not valid."""
    lock = root / "requirements.txt"
    command = [sys.executable, "-W", "ignore", "-m", "cyclonedx_py", "requirements", str(lock)]
    command += ["--pyproject", str(root / "pyproject.toml"), "--output-reproducible"]
    command += ["--of", "JSON", "--sv", "1.6", "--no-validate"]  # what is made of it is validated
    environment = {**os.environ, "SOURCE_DATE_EPOCH": epoch}
    made = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout
    text = json.dumps(portable(json.loads(made), pins(lock)), indent=2, sort_keys=True) + "\n"
    _validate(text)
    return text


def portable(bom: dict[str, Any], pinned: dict[str, Pin]) -> dict[str, Any]:
    """The document without what names an index or a line, and with the graph of the lock."""
    project = bom["metadata"]["component"]
    project["purl"] = f"pkg:pypi/{project['name']}@{project['version']}"
    for tool in bom["metadata"].get("tools", {}).get("components", []):
        tool.pop("externalReferences", None)
    for component in bom["components"]:
        component["bom-ref"] = component["purl"]
        component.pop("description", None)
        for reference in component.get("externalReferences", []):
            reference.update(url=component["purl"], comment="files that the lock allows")
    bom["components"].sort(key=lambda component: str(component["bom-ref"]))
    refs = {component["name"]: component["bom-ref"] for component in bom["components"]}
    refs[project["name"]] = ROOT_REF
    needs: dict[str, list[str]] = {ref: [] for ref in refs.values()}
    for name, pin in pinned.items():
        for other in pin.needed_by:
            needs[refs[other]].append(refs[name])
    bom["dependencies"] = [{"ref": ref, "dependsOn": sorted(needs[ref])} for ref in sorted(needs)]
    return bom


def _validate(text: str) -> None:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    if error := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        raise ValueError(f"the SBOM is not valid: {error}")
