"""What keeps a command from its work: one clear line on stderr, and an exit code.

2 is a mistake of the person who starts it, 1 what may be gone at the next start.
"""

from __future__ import annotations

from pathlib import Path

MISTAKE, PASSING = 2, 1


class UsageError(Exception):
    """The message is one line and says what to change. exit_code: PASSING where a restart may."""

    def __init__(self, message: str, exit_code: int = MISTAKE) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def read_given(path: str) -> bytes:
    """A file that is named on the command line. Raises UsageError."""
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise UsageError(f"cannot read {path}: {error}") from None
