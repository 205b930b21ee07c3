"""What a codec is: a `Codec` is a value of a format, its `Decoder` is one call being read.

Which methods of a decoder are used depends on the sinks of the format's regions; the others
keep doing nothing.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..context import Context
from ..needs import Reads
from ..policy import Policy


class Decoder:
    """One call. It tells the policy what it finds.

    raw: the text of a BODY so far, until the call begins.
    """

    __slots__ = ("raw",)

    raw: str

    def body(self, text: str, out: Policy) -> tuple[str, str] | None:
        """BODY text. None: more is wanted; else how it ended (see `regions`), and what is left."""
        raise NotImplementedError

    def capture(self, text: str) -> int:
        """CAPTURE text; how much of it was taken before it became too long to be a name."""
        raise NotImplementedError

    def call(self, out: Policy) -> bool:
        """The captured text is the name of the call, which begins; False where it is none."""
        raise NotImplementedError

    def route(self, out: Policy) -> str:
        """The status that the captured text leads to (see `ROUTED`); "" where to none."""
        raise NotImplementedError

    def key(self, out: Policy) -> None:
        """The captured text is the name of a parameter."""

    def value(self, text: str, out: Policy) -> None:
        """VALUE text."""

    def value_end(self, out: Policy) -> None:
        """The value is whole."""

    def call_end(self, out: Policy) -> None:
        """The call is whole."""

    def finish(self, out: Policy) -> bool:
        """The output ends in a BODY; False where it was no call after all."""
        raise NotImplementedError

    def snapshot(self) -> list[Any]:
        """Short and JSON-able; `Codec.resume` reads it."""
        raise NotImplementedError


class Codec:
    """How the bodies of a format's calls are read. Immutable.

    reads: what its decoders look at in the context's tools.
    """

    __slots__ = ()

    reads: ClassVar[Reads] = Reads.PRESENCE

    def start(self, context: Context) -> Decoder:
        raise NotImplementedError

    def resume(self, saved: object, context: Context) -> Decoder:
        """The decoder again; raises `Malformed`."""
        raise NotImplementedError
