"""What goes in: text, or one special token of the vocabulary.

The detokenizer makes pieces, so that text which only looks like a marker never is one.
"""

from __future__ import annotations


class Special(str):
    """The text of one added token of the vocabulary; any other str is plain text."""

    __slots__ = ()


Piece = str
"""Either kind: a `Special` is a str whose type says that it was one token."""
