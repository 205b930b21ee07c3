"""`render-service fingerprint MODEL ...flags`: what `serve` would have, without serving."""

from __future__ import annotations

import argparse
import json
import os

from . import configuration
from .command_parser import CommandParser
from .stdout import reader_may_leave


def add_arguments(parser: CommandParser) -> None:
    configuration.add_arguments(parser, serves=False)
    parser.epilog = f"{configuration.EPILOG}\nSo are the other flags of `serve`: they do not count."
    parser.add_argument(
        "--json",
        action="store_true",
        default=False,
        help="Print what GET /v1/fingerprint answers, components included.",
    )


def run(args: argparse.Namespace) -> int:
    """Flags that have no bearing on it are accepted as `serve` accepts them. Raises UsageError."""
    settings = configuration.configure(args, os.environ).settings
    from .loading import load_model

    model = load_model(settings)
    with reader_may_leave():
        if args.json:
            report = model.fingerprint.report(settings.fingerprint, model.state_keys.ids)
            print(json.dumps(report, indent=2))
        else:
            print(model.fingerprint.value)
    return 0
