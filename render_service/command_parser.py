"""argparse with vLLM's liberties: `--a_b` for `--a-b`, `--json-flag.key value`, flags to ignore.

A mistake is one line on stderr and exit code 2; an unknown flag comes with its near matches.
"""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from .dotted_flags import fold
from .usage_error import MISTAKE

_NAME = re.compile(r"--[^.=]*")


class CommandParser(argparse.ArgumentParser):
    """One command's arguments. Abbreviations are not guessed: a later flag could change them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            allow_abbrev=False,
            argument_default=argparse.SUPPRESS,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            **options,
        )
        self._json_flags: set[str] = set()

    def add_json_flags(self, names: Iterable[str]) -> None:
        """Flags that may be given key by key."""
        self._json_flags.update(names)

    def parse(self, argv: Sequence[str]) -> argparse.Namespace:
        words = [_NAME.sub(_dashes, word, count=1) for word in argv]
        words = ["--help" if word.startswith("--help=") else word for word in words]
        # Intermixed: flags may stand between two arguments.
        args, rest = self.parse_known_intermixed_args(fold(words, self._json_flags))
        for word in rest:
            if word.startswith("-"):
                self.error(self._unknown(word.partition("=")[0]))
        if rest:
            self.error(f"unexpected argument {rest[0]!r}")
        return args

    def _unknown(self, name: str) -> str:
        # Without the dashes, which make short names alike.
        known = [flag[2:] for flag in self._option_string_actions if flag.startswith("--")]
        near = difflib.get_close_matches(name.lstrip("-"), known, n=3, cutoff=0.65)
        hint = f"; did you mean --{' or --'.join(near)}?" if near else " (see --help)"
        return f"unknown flag {name}{hint}"

    def error(self, message: str) -> NoReturn:
        fail(self.prog, message)


class IgnoreFlag(argparse.Action):
    """A flag that is accepted and does nothing; its name is kept in `ignored`."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        ignored = getattr(namespace, self.dest, [])
        setattr(namespace, self.dest, [*ignored, self.option_strings[0]])


def fail(program: str, message: str, exit_code: int = MISTAKE) -> NoReturn:
    """One line on stderr."""
    line = " ".join(message.split())
    print(f"{program}: error: {line}", file=sys.stderr)
    raise SystemExit(exit_code)


def _dashes(match: re.Match[str]) -> str:
    return match.group(0).replace("_", "-")
