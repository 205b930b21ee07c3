"""The flags of `vllm serve` 0.33.0, so that one without a meaning here is known and let pass.

The list is vllm_flags.txt, made by tests/record/vllm_flags.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from typing import NamedTuple

# Those with which vLLM's render server would answer otherwise than without.
MISSED = frozenset(
    {
        "--code-revision",
        "--config-format",
        "--hf-config-path",
        "--hf-overrides",
        "--skip-tokenizer-init",
        "--structured-outputs-config",
        "--tokenizer-revision",
    }
)


class VllmFlag(NamedTuple):
    """names: all spellings, the usual one first. words: `0`, `1`, `?` or `+`, as in argparse."""

    names: tuple[str, ...]
    words: str


def vllm_flags() -> Iterator[VllmFlag]:
    listing = resources.files(__package__).joinpath("vllm_flags.txt").read_text()
    for line in listing.splitlines():
        names, words = line.split()
        yield VllmFlag(tuple(names.split(",")), words)
