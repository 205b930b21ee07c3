"""What the person who starts the service did wrong: one clear line on stderr, exit code 2."""

from __future__ import annotations

from pathlib import Path


class UsageError(Exception):
    """The message is one line and says what to change."""


def read_given(path: str) -> bytes:
    """A file that is named on the command line. Raises UsageError."""
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise UsageError(f"cannot read {path}: {error}") from None
