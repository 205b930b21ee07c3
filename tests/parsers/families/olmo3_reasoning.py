"""Olmo 3's reasoning: think tags that are no tokens."""

from __future__ import annotations

from . import Family

FAMILY = Family(
    golden={"olmo3@reasoning": (None, "olmo3"), "hermes+olmo3": ("hermes", "olmo3")},
    model="llama31",
)
