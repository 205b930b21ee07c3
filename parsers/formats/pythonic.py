"""Calls as Python writes them: `[f(city='Paris', days=2), g()]` (Llama 3.2 and 4, LFM 2, Olmo 3).

Without a marker of their own they open the answer or are none, as in vLLM: brackets are common
in prose. Olmo 3 writes each call on a line, in tags that it may leave out.
"""

from __future__ import annotations

from dataclasses import replace

from ..codecs.pythonic import Pythonic
from ..parts import CONTENT, ToolFormat
from ..regions import BROKEN, DONE, REJECTED, Op, Region, Sink, To
from .json_choice import JSON_CHOICE

_LIST = {"[": To("list")}


def _body(done: str, other: str) -> Region:
    on = {DONE: To(done), BROKEN: To(other), REJECTED: To(other)}
    return Region(sink=Sink.BODY, on=on, in_call=True)


PYTHONIC = ToolFormat(
    name="pythonic",
    codec=Pythonic(),
    content={},
    regions={
        CONTENT: Region(sink=Sink.START, on=_LIST, otherwise="prose", at_end=(Op.RESTORE,)),
        "list": _body("after", "prose"),
        "after": Region(sink=Sink.GAP, on=_LIST, otherwise="prose"),
        "prose": Region(sink=Sink.CONTENT),
    },
    forced=JSON_CHOICE,
)

_PYTHON = "<|python_start|>"
_PYTHON_END = {"<|python_end|>": To("after")}

LLAMA4_PYTHONIC = replace(
    PYTHONIC,
    name="llama4_pythonic",
    regions={
        **PYTHONIC.regions,
        CONTENT: Region(
            sink=Sink.START,
            on=_LIST | {_PYTHON: To("opened")},
            otherwise="prose",
            at_end=(Op.RESTORE,),
        ),
        "opened": Region(sink=Sink.HOLD, on=_LIST, otherwise="prose", at_end=(Op.RESTORE,)),
        "list": Region(
            sink=Sink.BODY,
            on={DONE: To("after"), BROKEN: To("trailing"), REJECTED: To("prose")},
            in_call=True,
        ),
        "after": Region(sink=Sink.GAP, on=_LIST | _PYTHON_END, otherwise="trailing"),
        "trailing": Region(sink=Sink.CONTENT, on=_PYTHON_END),
    },
)

_CALL, _CALL_END = "<|tool_call_start|>", "<|tool_call_end|>"

LFM2 = ToolFormat(
    name="lfm2",
    codec=Pythonic(dotted=True),
    content={_CALL: To("opened")},
    regions={
        "opened": Region(sink=Sink.HOLD, on=_LIST, otherwise=CONTENT, at_end=(Op.RESTORE,)),
        "list": _body("closing", CONTENT),
        # What the model writes once more after the end is content.
        "closing": Region(
            sink=Sink.GAP,
            on=_LIST | {_CALL: To("opened"), _CALL_END: To("closed")},
            otherwise="trailing",
        ),
        "closed": Region(
            sink=Sink.GAP, on={_CALL: To("opened"), _CALL_END: To("closed")}, otherwise="trailing"
        ),
        "trailing": Region(sink=Sink.CONTENT, on={_CALL: To("opened"), _CALL_END: To("closed")}),
    },
    required=(_CALL, _CALL_END),
    trims=True,
    forced=JSON_CHOICE,
)

_CALLS, _CALLS_END = "<function_calls>", "</function_calls>"
_TAGS = {_CALLS: To("tagged")}

OLMO3 = ToolFormat(
    name="olmo3",
    codec=Pythonic(close=_CALLS_END, lines=True),
    content={},
    regions={
        CONTENT: Region(sink=Sink.START, on=_TAGS, otherwise="bare"),
        "bare": _body("after", "prose"),
        "tagged": _body("after", "prose"),
        "after": Region(sink=Sink.GAP, on=_TAGS | {_CALLS_END: To("after")}, otherwise="prose"),
        "prose": Region(sink=Sink.CONTENT, on=_TAGS),
    },
    forced=JSON_CHOICE,
)
