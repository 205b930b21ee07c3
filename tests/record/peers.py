"""Run a recording script anew under vLLM's own Python, which RENDER_PEERS says where to find."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def under_vllm(script: str) -> None:
    """Returns in the process that has vLLM: this one where there is no `venv/` of its own."""
    peers = os.environ.get("RENDER_PEERS")
    if not peers:
        sys.exit("set RENDER_PEERS to the folder with vLLM and the models")
    root = Path(peers).expanduser()
    python, overlay = root / "venv" / "bin" / "python", root / "overlay"
    if "_RECORDING" not in os.environ and python.exists():
        path = os.pathsep.join(filter(None, (str(overlay), os.environ.get("PYTHONPATH", ""))))
        environment = os.environ | {"_RECORDING": "1", "PYTHONPATH": path}
        os.execve(python, [str(python), script, *sys.argv[1:]], environment)
