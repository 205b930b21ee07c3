"""MiniCPM 5: calls in XML.

    <function name="NAME"><param name="KEY">VALUE</param><param name="KEY"><![CDATA[VALUE]]>
    </param></function>

Values that are no strings are JSON or Python literals.
"""

from __future__ import annotations

from ..codecs.tagged_parameters import Trim
from ..codecs.xml_parameters import CDATA, CDATA_END, XmlParameters
from ..parts import CONTENT, ToolFormat
from ..regions import Op, Region, Sink, To
from ..typing_rules import UNTRIMMED_LITERAL
from .json_choice import JSON_CHOICE

FUNCTION, FUNCTION_END = '<function name="', "</function>"
PARAMETER, PARAMETER_END = '<param name="', "</param>"
_QUOTES = ('"', "'")
_NAMED = tuple(f"{quote}>" for quote in _QUOTES)
_ENDED = (Op.VALUE_END, Op.CALL_END)


def _quoted(marker: str, to: To) -> dict[str, To]:
    return {marker.replace('"', quote): to for quote in _QUOTES}


_INSIDE = {
    **_quoted(PARAMETER, To("key")),
    **_quoted(FUNCTION, To("name", (Op.CALL_END,))),
    "<arguments>": To("parameters"),
    "</arguments>": To("parameters"),
    FUNCTION_END: To(CONTENT, (Op.CALL_END,)),
}

MINICPM5 = ToolFormat(
    name="minicpm5",
    codec=XmlParameters(trim=Trim.NOTHING, known=True, rule=UNTRIMMED_LITERAL),
    content=_quoted(FUNCTION, To("name")),
    regions={
        "name": Region(
            sink=Sink.CAPTURE,
            on=dict.fromkeys(_NAMED, To("parameters", (Op.CALL,))),
            otherwise=CONTENT,
            at_end=(Op.RESTORE,),
            in_call=True,
        ),
        "parameters": Region(sink=Sink.GAP, on=_INSIDE, otherwise="stray", in_call=True),
        "stray": Region(sink=Sink.CONTENT, on=_INSIDE, in_call=True),
        "key": Region(
            sink=Sink.CAPTURE,
            on=dict.fromkeys(_NAMED, To("value", (Op.KEY,))),
            otherwise="stray",
            in_call=True,
        ),
        "value": Region(
            sink=Sink.VALUE,
            on={
                PARAMETER_END: To("parameters", (Op.VALUE_END,)),
                FUNCTION_END: To("closing"),
                # Read again, it is text, by which the codec knows.
                CDATA: To("as it is", again=True),
            },
            in_call=True,
        ),
        "as it is": Region(sink=Sink.VALUE, on={CDATA_END: To("value", again=True)}, in_call=True),
        # The end of the function inside a value: the end of both, unless the text goes on.
        "closing": Region(
            sink=Sink.HOLD,
            on=_quoted(FUNCTION, To("name", _ENDED)),
            otherwise="value",
            at_end=_ENDED,
            in_call=True,
        ),
    },
    forced=JSON_CHOICE,
)
