"""Formats whose tags have a suffix that each vocabulary chooses, as in `<think:6124c78e>`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from .parts import ReasoningFormat, ToolFormat
from .regions import To

_Part = TypeVar("_Part", ToolFormat, ReasoningFormat)
_TAGS = ("opens", "closes", "text", "required")


def fitted(part: _Part, vocab: Iterable[str]) -> _Part:
    """The format with the vocabulary's tags. Its `suffix` finds the suffix in one of them."""
    found = (match for tag in vocab if part.suffix and (match := re.fullmatch(part.suffix, tag)))
    suffix = next((str(match[1]) for match in found), "")
    if not suffix:
        return part
    changed: dict[str, Any] = {
        name: tuple(_tag(marker, suffix) for marker in getattr(part, name))
        for name in _TAGS
        if hasattr(part, name)
    }
    regions = {n: replace(r, on=_markers(r.on, suffix)) for n, r in part.regions.items()}
    return replace(part, content=_markers(part.content, suffix), regions=regions, **changed)


def _tag(marker: str, suffix: str) -> str:
    return f"{marker[:-1]}{suffix}>" if marker.endswith(">") else marker


def _markers(markers: Mapping[str, To], suffix: str) -> dict[str, To]:
    return {_tag(marker, suffix): to for marker, to in markers.items()}
