"""The table of targets, by name. Loading one may load a model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping

from . import bodies, outputs
from .engine import Figures, fuzz
from .target import Target

_GROUPS: Mapping[Callable[[], dict[str, Target]], tuple[str, ...]] = {
    bodies.decoders: (
        "decode-chat", "decode-completion", "decode-responses", "decode-messages",
        "decode-tokenize", "decode-detokenize", "decode-derender-chat",
        "decode-derender-completion",
    ),
    bodies.endpoints: (
        "chat-completions-render", "completions-render", "responses-render", "messages-render",
        "chat-completions-derender", "completions-derender", "tokenize", "detokenize",
    ),
    bodies.templates: ("template",),
    bodies.states: ("state", "state-signed", "state-vllm"),
    outputs.targets: (
        "parsers", "snapshots", "response-template", "response-template-source", "pattern",
    ),
}  # fmt: skip
NAMES = tuple(name for names in _GROUPS.values() for name in names)


def load(name: str) -> Target:
    group = next(made for made, names in _GROUPS.items() if name in names)
    return group()[name]


def run(name: str, executions: int | None, seconds: float, seed: int) -> Figures:
    """In a process of its own, whose memory is the target's."""
    warnings.simplefilter("ignore", FutureWarning)  # of `re`, for odd sets in patterns
    return fuzz(name, load(name), executions=executions, seconds=seconds, seed=seed)
