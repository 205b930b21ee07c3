"""`render-service COMMAND`: a command is a module with `add_arguments(parser)` and `run(args)`.

Only the module of the command that runs is imported.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import NamedTuple

from . import __version__
from .command_parser import CommandParser, fail
from .stdout import open_if_closed
from .usage_error import UsageError

PROGRAM = "render-service"


class Command(NamedTuple):
    module: str
    help: str


COMMANDS = {
    "serve": Command("serve", "Serve /render, /derender, /tokenize and /detokenize for one model."),
    "fingerprint": Command(
        "fingerprint_command", "Print the configuration fingerprint of a model and flags."
    ),
    "fleet-check": Command("fleet_check", "Compare the configurations of running replicas."),
    "compare": Command("compare", "Compare the answers of two servers, field by field."),
    "prefix-check": Command(
        "prefix_check_command", "Check which turns of a conversation can use their KV cache again."
    ),
    "bench": Command("bench", "Measure this machine: CPU a chunk and a request, cores for a load."),
    "parsers": Command("parsers_command", "List the names and markers of all parsers."),
    "parse": Command("parse_command", "Show what a parser makes of a saved model output."),
    "demo": Command("demo", "Run a chat with a tool call through render, engine and derender."),
}


def main(argv: Sequence[str] | None = None) -> int:
    """argv: without the program's name. Returns the exit code; see `usage_error.py`."""
    open_if_closed()
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(words)
    except KeyboardInterrupt:
        return 130


def _run(words: list[str]) -> int:
    name = words[0] if words else "--help"
    if name in ("-h", "--help", "help"):
        print(_overview())
        return 0
    if name in ("-V", "-v", "--version"):
        print(f"{PROGRAM} {__version__}")
        return 0
    command = COMMANDS.get(name)
    if command is None:
        fail(PROGRAM, f"unknown command {name!r}; one of {', '.join(COMMANDS)} is expected")
    module = importlib.import_module(f"{__package__}.{command.module}")
    program = f"{PROGRAM} {name}"
    parser = CommandParser(prog=program, description=command.help)
    module.add_arguments(parser)
    try:
        code: int = module.run(parser.parse(words[1:]))
    except UsageError as error:
        fail(program, str(error), error.exit_code)
    return code


def _overview() -> str:
    width = max(map(len, COMMANDS)) + 2
    lines = [f"  {name:{width}}{command.help}" for name, command in COMMANDS.items()]
    return "\n".join(
        [
            f"usage: {PROGRAM} COMMAND ...",
            "",
            "Chat requests to token IDs and back, for engines that speak only token IDs.",
            "",
            *lines,
            "",
            f"{PROGRAM} COMMAND --help shows a command's flags; --version this release.",
        ]
    )
