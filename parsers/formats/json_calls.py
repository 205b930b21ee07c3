"""Tables of calls as JSON between markers; the formats of single families fill them in.

Text between a marker and its JSON, or that ends it early, is content; so is text around it.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..format import CONTENT
from ..regions import BROKEN, DONE, REJECTED, Op, Region, Sink, To


def objects(opens: Mapping[str, To], closes: Mapping[str, To]) -> dict[str, Region]:
    """One object between markers: `opens` lead to "call", `closes` to "closed"."""
    after = {**opens, **closes}
    return {
        "call": Region(
            sink=Sink.BODY,
            on={DONE: To("tail"), BROKEN: To("tail"), REJECTED: To(CONTENT)},
            in_call=True,
        ),
        # After the object the closing marker is due; what else there is, is content.
        "tail": Region(sink=Sink.GAP, on=after, otherwise="stray" if closes else CONTENT),
        "stray": Region(sink=Sink.CONTENT, on=after),
        # A closing marker too many is still one.
        "closed": Region(sink=Sink.GAP, on=after, otherwise=CONTENT),
    }


def arrays(opens: Mapping[str, To], closes: Mapping[str, To]) -> dict[str, Region]:
    """An array of objects between markers: `opens` lead to "array", `closes` to "closed".

    The array may be any: it is text again if its first item is no call.
    """
    item = {"{": To("item", again=True)}
    return objects(opens, closes) | {
        "array": Region(
            sink=Sink.HOLD, on={"[": To("first")}, otherwise=CONTENT, at_end=(Op.RESTORE,)
        ),
        "first": Region(sink=Sink.HOLD, on=item, otherwise=CONTENT, at_end=(Op.RESTORE,)),
        "item": Region(
            sink=Sink.BODY,
            on={DONE: To("items"), BROKEN: To("stray"), REJECTED: To("stray")},
            in_call=True,
        ),
        "items": Region(
            sink=Sink.GAP, on=item | {",": To("items"), "]": To("tail")}, otherwise="stray"
        ),
    }
