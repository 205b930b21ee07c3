"""Whether parser names are known, and fit the model's type; a misspelled one is answered with its
near matches.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import parsers

from .hub import StartupError

if TYPE_CHECKING:
    from .settings import Settings

HARMONY = "gpt_oss"
"""The model type whose outputs vLLM reads as Harmony, whatever the names."""
_FLAGS = ("--tool-call-parser", "--reasoning-parser")
_HARMONY_NAMES = ("openai", "openai_gptoss")


def check_model_type(config: Mapping[str, Any], tool: str | None, reasoning: str | None) -> None:
    """config: the model's config.json. Raises StartupError, as vLLM refuses to start."""
    if config.get("model_type") != HARMONY:
        return
    for flag, name, own in zip(_FLAGS, (tool, reasoning), _HARMONY_NAMES, strict=True):
        if name and name != own:
            raise StartupError(
                f"{flag} {name} cannot be used with a model of type {HARMONY}, which writes "
                f"Harmony messages: it needs {flag} {own}"
            )


def check_parser_names(tool: str | None, reasoning: str | None) -> None:
    """Raises StartupError. vLLM takes an empty name for none."""
    known = parsers.names()
    check_registered(tool, reasoning, known["tool"], known["reasoning"])


def check_registered(
    tool: str | None, reasoning: str | None, tools: Sequence[str], reasonings: Sequence[str]
) -> None:
    """Raises StartupError for a name that is not among those of its kind."""
    kinds = (tools, reasonings)
    for flag, name, names in zip(_FLAGS, (tool, reasoning), kinds, strict=True):
        if name and name not in names:
            raise StartupError(f"unknown {flag} {name!r}: {_near(name, names)}")


def uses_vllm(settings: Settings) -> bool:
    """Whether vLLM's parser classes read the outputs: asked for, or the only ones of that name.

    A plugin may take the place of any name. Names that nobody knows stay with our own parsers
    where vLLM is not installed, so that a misspelled one is told at once.
    """
    names = (settings.tool_call_parser, settings.reasoning_parser)
    if not any(names) or settings.parser_backend == "native":
        return False
    plugins = settings.tool_parser_plugin or settings.reasoning_parser_plugin
    if settings.parser_backend == "vllm" or plugins:
        return True
    known = parsers.names()
    kinds = (known["tool"], known["reasoning"])
    native = all(not name or name in kind for name, kind in zip(names, kinds, strict=True))
    return not native and find_spec("vllm") is not None


def _near(name: str, names: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, names, n=5, cutoff=0.5)
    return f"did you mean {', '.join(close)}?" if close else f"known are {', '.join(sorted(names))}"
