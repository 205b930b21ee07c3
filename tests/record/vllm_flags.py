"""List the flags of `vllm serve`, into render_service/vllm_flags.txt.

    python tests/record/vllm_flags.py > render_service/vllm_flags.txt        (needs vLLM 0.33.0)

A line is one flag: its names, separated by commas, and how many words it takes: `0`, `1`, `?` (at
most one) or `+` (at least one).
"""

from __future__ import annotations

import logging

from vllm.entrypoints.common.cli_args import make_arg_parser
from vllm.utils.argparse_utils import FlexibleArgumentParser


def main() -> None:
    logging.disable(logging.ERROR)
    parser = make_arg_parser(FlexibleArgumentParser())
    names: dict[int, list[str]] = {}
    words: dict[int, str] = {}
    # Hidden spellings are in this table only.
    for name, action in parser._option_string_actions.items():
        names.setdefault(id(action), []).append(name)
        words[id(action)] = "1" if action.nargs is None else str(action.nargs)
    for key, spellings in names.items():
        if "--optimization-level" in spellings:
            spellings.append("-O")  # rewritten before argparse sees it
        if "--help" not in spellings:
            print(",".join(spellings), words[key])


if __name__ == "__main__":
    main()
