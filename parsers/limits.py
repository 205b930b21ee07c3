"""How much text may be held back, in characters: the bounds of a state (docs/parsers.md).

What passes a bound goes out as text, at a place that the text alone decides. Only one value that
cannot be streamed is held whole; see the codecs for which those are.
"""

from __future__ import annotations

MAX_SPACE = 256
"""White space in one run that may turn out to mean nothing."""
MAX_NAME = 128
"""The name of a call or a parameter between its tags."""
MAX_HEAD = 256
"""Any other text before the arguments of a call, or before a value."""
MAX_WORD = 640
"""A number or a literal. Python may refuse to convert longer numbers."""
MAX_DEPTH = 256
"""Open containers of JSON and Python."""
MAX_LEVELS = 64
"""Open containers whose keys are kept."""


def trailing(text: str) -> int:
    """Where the white space begins that ends the text, as far as it may be held back.

    Of a run of white space the same goes out however it is cut: so many times `MAX_SPACE`.
    """
    core = len(text.rstrip())
    return core + (len(text) - core) // MAX_SPACE * MAX_SPACE
