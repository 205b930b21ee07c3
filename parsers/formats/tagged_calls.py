"""The table of calls with tagged names and parameters, for any tags.

Call tags count only as tokens where the vocabulary has them. A function opens a call without
them too, and its end tag ends a value that was left open if the call's end follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..parts import CONTENT
from ..regions import Op, Region, Sink, To, token

_ENDED = (Op.VALUE_END, Op.CALL_END)


class Tags(NamedTuple):
    """function, parameter: how their tags may begin; `_named`: what may end the name in them."""

    call: str
    call_end: str
    function: tuple[str, ...]
    function_named: tuple[str, ...]
    function_end: str
    parameter: tuple[str, ...]
    parameter_named: tuple[str, ...]
    parameter_end: str


def _all(markers: Iterable[str], to: To) -> dict[str, To]:
    return dict.fromkeys(markers, to)


def calls(tags: Tags) -> Mapping[str, Region]:
    """The regions of calls; `opened` follows the call tag, `name` that of a function."""

    def after(*do: Op) -> dict[str, To]:
        """What may follow a call, and ends one that was left open."""
        ends = {tags.call: token("opened", *do), tags.call_end: token(CONTENT, *do)}
        return ends | _all(tags.function, To("name", do))

    inside = after(Op.CALL_END) | _all(tags.parameter, To("key"))
    inside[tags.function_end] = To("closed", (Op.CALL_END,))
    name = after(Op.CALL, Op.CALL_END) | _all(tags.function_named, To("parameters", (Op.CALL,)))
    name[tags.function_end] = To("closed", (Op.CALL, Op.CALL_END))
    value = _all(tags.parameter, To("key", (Op.VALUE_END,)))
    value[tags.parameter_end] = To("parameters", (Op.VALUE_END,))
    value[tags.function_end] = To("closing")
    return {
        "opened": Region(sink=Sink.HOLD, on=after(), otherwise=CONTENT),
        "name": Region(
            sink=Sink.CAPTURE,
            on=name,
            otherwise=CONTENT,
            at_end=(Op.CALL, Op.CALL_END),
            in_call=True,
        ),
        "parameters": Region(
            sink=Sink.GAP, on=inside, otherwise="stray", at_end=(Op.CALL_END,), in_call=True
        ),
        "stray": Region(sink=Sink.CONTENT, on=inside, at_end=(Op.CALL_END,), in_call=True),
        "key": Region(
            sink=Sink.CAPTURE,
            on=_all(tags.parameter_named, To("value", (Op.KEY,))),
            otherwise="stray",
            at_end=(Op.CALL_END,),
            in_call=True,
        ),
        "value": Region(sink=Sink.VALUE, on=value, in_call=True),
        # The end tag of the function inside a value: the end of both, unless the text goes on.
        "closing": Region(
            sink=Sink.HOLD, on=after(*_ENDED), otherwise="value", at_end=_ENDED, in_call=True
        ),
        "closed": Region(sink=Sink.GAP, on=after(), otherwise="trailing"),
        "trailing": Region(sink=Sink.CONTENT, on=after()),
    }
