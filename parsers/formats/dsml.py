"""DSML: the calls of DeepSeek V3.2 and V4 in tagged parameters, and the reasoning of V4.

    <｜DSML｜tool_calls>
    <｜DSML｜invoke name="NAME">
    <｜DSML｜parameter name="KEY" string="true">VALUE</｜DSML｜parameter>
    </｜DSML｜invoke>
    </｜DSML｜tool_calls>

A call opens without the outer tag too, and ends reasoning where the model forgot to.
"""

from __future__ import annotations

from ..codecs.dsml import Dsml
from ..parts import CONTENT, ReasoningFormat, ToolFormat
from ..regions import Op, Region, Sink, To, token
from ..scanner import Exact
from .think import CLOSE, OPEN

TOKEN = "｜DSML｜"
_ENDED = (Op.VALUE_END, Op.CALL_END)


def _sections(names: tuple[str, ...], slash: str = "") -> tuple[str, ...]:
    """The outer tag, in all its spellings."""
    return tuple(Exact(f"<{slash}{TOKEN}{name}>") for name in names)


def _tool(name: str, sections: tuple[str, ...], blank: str = "") -> ToolFormat:
    """sections: names of the outer tag, the proper one first. blank: stands before other names."""
    opens, closes = _sections(sections), _sections(sections, "/")
    inner = (f'<{TOKEN}{blank}invoke name="', f"</{TOKEN}{blank}invoke>")
    call, call_end = map(Exact, inner)
    key, key_end = (Exact(tag.replace("invoke", "parameter")) for tag in inner)
    opened = {tag: token("section") for tag in opens} | {call: To("name")}
    between = opened | {tag: token("closed") for tag in closes}

    def ended(*do: Op) -> dict[str, To]:
        return {call_end: To("section", do)} | {tag: token("closed", *do) for tag in closes}

    inside = ended(Op.CALL_END) | {call: To("name", (Op.CALL_END,)), key: To("head")}
    return ToolFormat(
        name=name,
        codec=Dsml(),
        content=opened,
        regions={
            "section": Region(sink=Sink.GAP, on=between, otherwise="stray"),
            "stray": Region(sink=Sink.CONTENT, on=between),
            # A closing tag too many is still one.
            "closed": Region(sink=Sink.GAP, on=between, otherwise=CONTENT),
            "name": Region(
                sink=Sink.CAPTURE,
                on={'">': To("parameters", (Op.CALL,)), **ended(Op.CALL, Op.CALL_END)},
                otherwise="stray",
                in_call=True,
            ),
            "parameters": Region(
                sink=Sink.GAP, on=inside, otherwise="inside", at_end=(Op.CALL_END,), in_call=True
            ),
            "inside": Region(sink=Sink.CONTENT, on=inside, at_end=(Op.CALL_END,), in_call=True),
            "head": Region(
                sink=Sink.CAPTURE,
                on={">": To("value", (Op.KEY,))},
                otherwise="inside",
                at_end=(Op.CALL_END,),
                in_call=True,
            ),
            "value": Region(
                sink=Sink.VALUE,
                on={key_end: To("parameters", (Op.VALUE_END,)), key: To("head", (Op.VALUE_END,))}
                | ended(*_ENDED),
                in_call=True,
            ),
        },
        text=(OPEN, CLOSE),
        drops=True,
    )


def _reasoning(name: str, sections: tuple[str, ...]) -> ReasoningFormat:
    opens = _sections(sections)
    return ReasoningFormat(
        name=name,
        start="thinking",
        regions={
            "thinking": Region(
                sink=Sink.REASONING,
                on={OPEN: token("thinking"), CLOSE: token(CONTENT)}
                | {tag: token(CONTENT, again=True) for tag in opens},
            ),
        },
        content={OPEN: token("thinking"), CLOSE: token(CONTENT)},
        opens=(OPEN,),
        closes=(CLOSE, opens[0]),
        switches=("thinking", "enable_thinking"),
        off=(("reasoning_effort", "none"),),
        stays=True,
        drops=True,
        trims=True,
    )


_V4, _V41 = ("tool_calls", "toolcalls", "tool"), (" calls",)

DEEPSEEK_V32_TOOL = _tool("deepseek_v32", ("function_calls",))
DEEPSEEK_V4_TOOL, DEEPSEEK_V4 = _tool("deepseek_v4", _V4), _reasoning("deepseek_v4", _V4)
DEEPSEEK_V41_TOOL = _tool("deepseek_v41", _V41, " ")
DEEPSEEK_V41 = _reasoning("deepseek_v41", _V41)
