"""What the person who starts the service did wrong: one clear line on stderr, exit code 2."""

from __future__ import annotations


class UsageError(Exception):
    """The message is one line and says what to change."""
