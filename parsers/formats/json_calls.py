"""Tables of calls as JSON between markers; the formats of single families fill them in.

Text between a marker and its JSON, or that ends it early, is content; so is text around it.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..parts import CONTENT
from ..regions import BROKEN, DONE, REJECTED, Op, Region, Sink, To


def objects(
    opens: Mapping[str, To], closes: Mapping[str, To], answer: str = CONTENT
) -> dict[str, Region]:
    """One object between markers: `opens` lead to "call", `closes` to "closed".

    answer: the region of text outside calls.
    """
    after = {**opens, **closes}
    return {
        "call": Region(
            sink=Sink.BODY,
            on={DONE: To("tail"), BROKEN: To("tail"), REJECTED: To(answer)},
            in_call=True,
        ),
        # After the object the closing marker is due; what else there is, is content.
        "tail": Region(sink=Sink.GAP, on=after, otherwise="stray" if closes else answer),
        "stray": Region(sink=Sink.CONTENT, on=after),
        # A closing marker too many is still one.
        "closed": Region(sink=Sink.GAP, on=after, otherwise=answer),
    }


def arrays(
    opens: Mapping[str, To], closes: Mapping[str, To], answer: str = CONTENT
) -> dict[str, Region]:
    """An array of objects between markers: `opens` lead to "array", `closes` to "closed".

    The array may be any: it is text again if its first item is no call.
    """
    following = {"{": To("next", again=True)}
    return objects(opens, closes, answer) | {
        "array": Region(
            sink=Sink.HOLD, on={"[": To("first")}, otherwise=answer, at_end=(Op.RESTORE,)
        ),
        "first": Region(
            sink=Sink.HOLD,
            on={"{": To("item", again=True), "]": To("tail")},
            otherwise=answer,
            at_end=(Op.RESTORE,),
        ),
        "item": _item(answer),
        "items": Region(
            sink=Sink.GAP, on=following | {",": To("items"), "]": To("tail")}, otherwise="stray"
        ),
        "next": _item("stray"),
    }


def _item(rejected: str) -> Region:
    return Region(
        sink=Sink.BODY,
        on={DONE: To("items"), BROKEN: To("stray"), REJECTED: To(rejected)},
        in_call=True,
    )
