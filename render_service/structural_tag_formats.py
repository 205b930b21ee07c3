"""Call syntax of tool parsers as grammars: which text an engine lets a model write around a call.

Facts: the structural tags that vLLM 0.33.0 and xgrammar give for these names. A name that is not
here has no structural tag.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


class Call(NamedTuple):
    """Text of one call: `before` NAME `after` ARGUMENTS `end`.

    counted: a number stands between `after` and this text, which the arguments follow.
    """

    before: str
    after: str
    end: str
    counted: str | None = None


class Section(NamedTuple):
    """Text around all calls.

    lead: text that stands before `begin` where calls must be; such a section is spelled as a
    sequence of three parts, the one without `lead` as one tag.
    """

    begin: str
    end: str | tuple[str, ...]
    lead: str | None = None

    @property
    def ends(self) -> tuple[str, ...]:
        return (self.end,) if isinstance(self.end, str) else self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSyntax:
    """One way to write calls.

    calls: each spelling of a call. style: xgrammar's word for how arguments are written.
    trigger: where free text ends and calls begin. excludes: what free text must not have.
    text_before_required: free text may come before a required call. named_as_list: a named call
    is a list that stops after one, else it is one call and nothing around it.
    """

    calls: tuple[Call, ...]
    trigger: str
    style: str = "json"
    excludes: tuple[str, ...] = ("<think>", "</think>")
    separator: str = ""
    section: Section | None = None
    text_before_required: bool = False
    named_as_list: bool = False


def _hermes(word: str) -> CallSyntax:
    begin, end = f"<{word}>", f"</{word}>"
    arguments = '", "arguments": '
    return CallSyntax(
        calls=(
            Call(begin + '\n{"name": "', arguments, "}\n" + end),
            Call(begin + '{"name": "', arguments, "}" + end),
        ),
        trigger=begin,
        excludes=(),
        named_as_list=True,
    )


def _dsml(section: str, invoke: str, style: str) -> CallSyntax:
    return CallSyntax(
        calls=(Call(f'<｜DSML｜{invoke} name="', '">\n', f"</｜DSML｜{invoke}>\n"),),
        trigger=f"<｜DSML｜{section}>",
        style=style,
        section=Section(f"<｜DSML｜{section}>\n", f"</｜DSML｜{section}>", lead="\n\n"),
    )


_DEEPSEEK = Section("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>")
_DEEPSEEK_CALL, _DEEPSEEK_SEP, _DEEPSEEK_END = (
    "<｜tool▁call▁begin｜>",
    "<｜tool▁sep｜>",
    "<｜tool▁call▁end｜>",
)
_PLAMO = "<|plamo:begin_tool_requests:plamo|>"

LLAMA = CallSyntax(
    calls=(Call('{"name": "', '", "parameters": ', "}"),),
    trigger='{"name": ',
    text_before_required=True,
)
QWEN_CODER = CallSyntax(
    calls=(Call("<tool_call>\n<function=", ">\n", "\n</function>\n</tool_call>"),),
    trigger="<tool_call>\n<function=",
    style="qwen_xml",
    text_before_required=True,
)
MIMO = CallSyntax(
    calls=(Call("<tool_call><function=", ">", "</function></tool_call>"),),
    trigger="<tool_call>",
    style="qwen_xml",
    excludes=("<think>", "</think>", "</tool_call>", "<function="),
    text_before_required=True,
)
KIMI_K2 = CallSyntax(
    calls=(
        Call(
            "<|tool_call_begin|>functions.",
            ":",
            "<|tool_call_end|>",
            counted="<|tool_call_argument_begin|>",
        ),
    ),
    trigger="<|tool_calls_section_begin|>",
    excludes=("<think>", "</think>", "<|tool_call_begin|>"),
    section=Section("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", lead=""),
)
DEEPSEEK_V3 = CallSyntax(
    calls=(
        Call(f"{_DEEPSEEK_CALL}function{_DEEPSEEK_SEP}", "\n```json\n", f"\n```{_DEEPSEEK_END}"),
    ),
    trigger=_DEEPSEEK.begin,
    separator="\n",
    section=_DEEPSEEK,
)
DEEPSEEK_V31 = CallSyntax(
    calls=(Call(_DEEPSEEK_CALL, _DEEPSEEK_SEP, _DEEPSEEK_END),),
    trigger=_DEEPSEEK.begin,
    section=_DEEPSEEK,
)
MINIMAX_M2 = CallSyntax(
    calls=(Call('<invoke name="', '">\n', "</invoke>\n"),),
    trigger="<minimax:tool_call>",
    style="minimax_xml",
    section=Section("<minimax:tool_call>\n", "</minimax:tool_call>", lead="\n"),
    named_as_list=True,
)
PLAMO3 = CallSyntax(
    calls=(
        Call(
            "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>",
            "<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>"
            "<|plamo:constrain|>json<|plamo:msg|>",
            "<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>",
        ),
    ),
    trigger=_PLAMO,
    excludes=(),
    section=Section(
        _PLAMO,
        (
            "<|plamo:end_tool_requests:plamo|>",
            "<|plamo:end_tool_requests:plamo|><|plamo:tag|>",
        ),
    ),
    named_as_list=True,
)
HERMES = _hermes("tool_call")

CALL_SYNTAX: Mapping[str, CallSyntax] = {
    "deepseek_v3": DEEPSEEK_V3,
    "deepseek_v31": DEEPSEEK_V31,
    "deepseek_v32": _dsml("function_calls", "invoke", "deepseek_xml"),
    "deepseek_v4": _dsml("tool_calls", "invoke", "deepseek_xml"),
    "deepseek_v41": _dsml(" calls", " invoke", "deepseek_v4_1_xml"),
    "hermes": HERMES,
    "kimi_k2": KIMI_K2,
    "llama3_json": LLAMA,
    "llama4_json": LLAMA,
    "longcat": _hermes("longcat_tool_call"),
    "mimo": MIMO,
    "minimax_m2": MINIMAX_M2,
    "plamo3": PLAMO3,
    "qwen3_coder": QWEN_CODER,
    "qwen3_json": HERMES,
    "qwen3_xml": QWEN_CODER,
    "step3p5": QWEN_CODER,
    "step5": QWEN_CODER,
}
"""By tool parser name."""

_JSON = """
apertus cohere_command3 cohere_command4 ernie45 functiongemma gigachat3
granite granite-20b-fc granite4 hunyuan_a13b hy_v3 internlm
jamba lfm2 llama4_pythonic minicpm5 olmo3 phi4_mini_json pythonic seed_oss step3 xlam
"""
JSON_CALLS = frozenset(_JSON.split())
"""Parsers whose required and named calls are plain JSON, held by a JSON schema."""

_NATIVE = "dots gemma4 inkling k2_horizon minimax_m3 muse muse_glimmer musespark1x poolside_v1"
NATIVE_CALLS = frozenset(_NATIVE.split())
"""Parsers for which nothing holds calls: their models write required ones as they write others."""
