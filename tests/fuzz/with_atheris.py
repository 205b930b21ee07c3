"""The same targets under atheris: guided by which lines ran. Optional: `pip install atheris`."""

from __future__ import annotations

import sys
from pathlib import Path

from .target import CORPUS

FOUND = Path(__file__).parents[2] / ".cache" / "fuzz" / "atheris"


def guided(name: str) -> int:
    """Fuzzes until it is stopped, or an input does what must not happen."""
    try:
        import atheris  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        print("atheris is not installed: pip install atheris", file=sys.stderr)
        return 2
    with atheris.instrument_imports(include=["parsers", "render_service"]):
        from .targets import load
    target = load(name)
    found = FOUND / name
    found.mkdir(parents=True, exist_ok=True)
    folders = [str(found), *([str(CORPUS / name)] if (CORPUS / name).is_dir() else [])]
    atheris.Setup([sys.argv[0], f"-artifact_prefix={FOUND}/", *folders], target.run)
    atheris.Fuzz()
    return 0
