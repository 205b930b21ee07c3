"""Regions of a call format stand in for those of the same name of a reasoning format."""

from __future__ import annotations

from itertools import product

import parsers
from parsers.registry import REASONING_FORMATS, TOOL_FORMATS

from .families import FAMILIES
from .outputs import SPECIALS

# Recorded together, so that what the call format's regions make of it is known.
MEANT = {pair for family in FAMILIES.values() for pair in family.golden.values()}


def test_only_formats_of_one_family_share_region_names() -> None:
    for tool, reasoning in product(TOOL_FORMATS, REASONING_FORMATS):
        calls, thoughts = TOOL_FORMATS[tool], REASONING_FORMATS[reasoning]
        shared = calls.regions.keys() & thoughts.regions.keys()
        if shared and (tool, reasoning) not in MEANT:
            try:
                parsers.load(tool, reasoning, SPECIALS)
            except parsers.CombinationError:
                continue
            raise AssertionError(f"{tool} and {reasoning} share {sorted(shared)}")
