"""How far vLLM's streamed answer has come, where it is not as far as ours: data, by name.

vLLM's streaming parsers hold back other text than ours do, and send some sooner. What they have
sent after each chunk must be known exactly for a stream to cross between the two half-way. A
format at vLLM's pace (`Format.at_vllm_pace`) gives vLLM's streamed answer, chunk by chunk.
Measured against vLLM 0.33.0 by tests/record/pace.py. Only names are here whose streamed answer
does not depend on how many tokens a chunk has, and then is the same at each chunk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from types import MappingProxyType
from typing import NamedTuple


class Sends(Enum):
    """How much of a call's arguments vLLM sends."""

    WRITTEN = auto()
    """All that is written, also the beginning of a number or an escape, but for white space at its
    end.
    """
    BRACED = auto()
    """All that is written, without the last brace until a token follows it."""
    SETTLED = auto()
    """A value is closed, or sent at all if it is no string, once something follows it."""


class Announces(Enum):
    """When vLLM sends the name of a call."""

    KNOWN = auto()
    """As soon as it is written."""
    BEGUN = auto()
    """When its arguments begin."""
    FOLLOWED = auto()
    """When anything follows its tag."""
    GIVEN = auto()
    """With the first of its arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Of a tool parser.

    blanks: white space before the first words is content at once, else with the words.
    marks: what may become a marker of the format is held back wherever it stands, as vLLM's
    engine-based parsers do; more: of markers that the format does not know.
    ends: markers that are held back in arguments.
    """

    sends: Sends
    announces: Announces = Announces.BEGUN
    blanks: bool = True
    marks: bool = False
    ends: tuple[str, ...] = ()
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningPace:
    """Of a reasoning parser; see `Pace`."""

    marks: bool = False


HERMES = Pace(sends=Sends.WRITTEN, announces=Announces.KNOWN, ends=("</tool_call>",))
ENGINE = Pace(sends=Sends.SETTLED, announces=Announces.FOLLOWED, blanks=False, marks=True)
BRACED = Pace(
    sends=Sends.BRACED,
    announces=Announces.GIVEN,
    blanks=False,
    marks=True,
    more=("<think>", "</think>"),
)
TAGGED = Pace(sends=Sends.SETTLED, blanks=False, marks=True)
ENGINE_THINKS = ReasoningPace(marks=True)

TOOLS: Mapping[str, Pace] = MappingProxyType(
    {
        "hermes": HERMES,
        "longcat": replace(HERMES, ends=("</longcat_tool_call>",)),
        "qwen3_coder": ENGINE,
        "glm45": TAGGED,
        "kimi_k2": BRACED,
        "step3p5": TAGGED,
    }
)
REASONINGS: Mapping[str, ReasoningPace] = MappingProxyType(
    {
        "deepseek_r1": ReasoningPace(),
        "deepseek_v3": ReasoningPace(),
        "holo2": ReasoningPace(),
        "minimax_m2_append_think": ReasoningPace(),
        "glm45": ENGINE_THINKS,
        "ling3": ENGINE_THINKS,
        "kimi_k2": ENGINE_THINKS,
        "nemotron_v3": ENGINE_THINKS,
        "qwen3": ENGINE_THINKS,
        "seed_oss": ENGINE_THINKS,
        "step3p5": ENGINE_THINKS,
    }
)


class Paces(NamedTuple):
    """Of both parts of a format, None where there is none."""

    tool: Pace | None
    reasoning: ReasoningPace | None


class PaceError(ValueError):
    """How far vLLM's streamed answer has come is not known for these names."""

    def __init__(self, tool: str | None, reasoning: str | None) -> None:
        names = " with ".join(filter(None, (tool, reasoning)))
        super().__init__(f"vLLM's pace is not known for {names}")


def paces_of(tool: str | None, reasoning: str | None) -> Paces:
    """tool, reasoning: names of formats. Raises PaceError."""
    if (tool and tool not in TOOLS) or (reasoning and reasoning not in REASONINGS):
        raise PaceError(tool, reasoning)
    return Paces(TOOLS[tool] if tool else None, REASONINGS[reasoning] if reasoning else None)
