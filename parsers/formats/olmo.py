"""Olmo 3: think tags that are text, no tokens; the prompt may have written the first."""

from __future__ import annotations

from ..parts import ReasoningFormat
from ..regions import To
from .think import CLOSE, OPEN, thinking

OLMO3_REASONING = ReasoningFormat(
    name="olmo3", start="start", regions=thinking(To), opens=(OPEN,), closes=(CLOSE,)
)
