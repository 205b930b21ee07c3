"""Dots: calls with tagged parameters, whose names stand in quotes, in blocks.

    <dots_function_call> <invoke name="NAME"> <parameter name="KEY">VALUE</parameter> </invoke> ...
    </dots_function_call>

vLLM finds all tags as text. Its other way, one JSON object in a block, is content here.
"""

from __future__ import annotations

from ..codecs.tagged_parameters import ReferringParameters, Trim
from ..parts import ToolFormat
from ..regions import To
from ..typing_rules import DOTS
from .tagged_calls import Tags, calls

CALL, CALL_END = "<dots_function_call>", "</dots_function_call>"

DOTS_TOOL = ToolFormat(
    name="dots",
    codec=ReferringParameters(trim=Trim.BLANKS, known=True, rule=DOTS),
    content={CALL: To("opened")},
    regions=calls(
        Tags(
            call=CALL,
            call_end=CALL_END,
            function=('<invoke name = "', "<invoke name = '", "<invoke name = "),
            function_named=('" >', "' >", " >"),
            function_end="</invoke>",
            parameter=('<parameter name = "', "<parameter name = '", "<parameter name = "),
            parameter_named=('" >', "' >", " >"),
            parameter_end="</parameter>",
        )
    ),
    trims=True,
)
