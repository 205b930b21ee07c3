"""Poolside's models: GLM's calls, whose tags vLLM finds as text, with other rules for types."""

from __future__ import annotations

from dataclasses import replace

from ..codecs.tagged_parameters import TaggedParameters, Trim
from ..parts import CONTENT
from ..regions import Op, Region, To
from ..typing_rules import LITERAL
from .glm import GLM
from .qwen3 import CALL
from .think import DEEPSEEK_R1


def _as_text(region: Region) -> Region:
    """The region with markers that count as text too."""
    return replace(region, on={m: to._replace(token=False) for m, to in region.on.items()})


POOLSIDE_V1_REASONING = replace(
    DEEPSEEK_R1,
    name="poolside_v1",
    boundaries=("<assistant>",),
    switches=("thinking", "enable_thinking"),
    unless_told=False,
    required=("<assistant>",),
)
_REGIONS = {name: _as_text(region) for name, region in GLM.regions.items()}
# No other tag may stand in a name.
_NAME = {**_REGIONS["name"].on, "<": To(CONTENT, (Op.RESTORE,), again=True)}

POOLSIDE_V1 = replace(
    GLM,
    name="poolside_v1",
    codec=TaggedParameters(trim=Trim.NOTHING, rule=LITERAL),
    content={CALL: To("name")},
    regions={**_REGIONS, "name": replace(_REGIONS["name"], on=_NAME, at_end=(Op.RESTORE,))},
    text=(),
    drops=False,
    trims=False,
)
