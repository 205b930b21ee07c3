"""What a compiled requirements file pins, and what asks for each pin; nothing is resolved here."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

# A block: the pin, its hashes, and the comment that tells who needs it.
_BLOCK = re.compile(r"^([a-z0-9._-]+)==(\S+)[^\n]*\n((?:    [^\n]*\n?)*)", re.MULTILINE)
_NEEDED_BY = re.compile(r"^    #   ([a-z0-9._-]+)|^    # via ([a-z0-9._-]+)", re.MULTILINE)


class Pin(NamedTuple):
    """needed_by: names of pinned packages, and the project's own name for what it names itself."""

    version: str
    needed_by: tuple[str, ...]


def pins(lock: Path) -> dict[str, Pin]:
    """By name, in the file's order."""
    return {
        name: Pin(
            version,
            tuple(a or b for a, b in _NEEDED_BY.findall(rest) if not (a or b).startswith("-")),
        )
        for name, version, rest in _BLOCK.findall(lock.read_text("utf-8"))
    }
