"""What a configured parser changes in a chat request before it goes to the engine.

vLLM 0.33.0's `adjust_request` of tool and reasoning parsers: most keep special tokens in the
engine's own text, since their markers are special tokens. By parser name, from `tool_parsers/`,
`reasoning/` and `parser/engine/adapters.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parsers import FROM_TEMPLATE

if TYPE_CHECKING:
    from .protocol.chat import ChatRequest
    from .settings import Settings

# By name, as --reasoning-parser and --tool-call-parser take them.
_REASONING = """
cohere_command3 cohere_command4 deepseek_v4 deepseek_v41 gemma4 glm45 glm47
granite_thinking_parser inkling kimi_k2 kimi_k3
ling3 mimo minicpmv minimax_m2 muse muse_glimmer musespark1x nemotron_v3 plamo3 qwen3 seed_oss
step3p5
"""
_TOOLS = """
cohere_command3 cohere_command4 deepseek_v32 deepseek_v4 deepseek_v41 gemma4 glm45 glm47
granite inkling kimi_k2 kimi_k3 ling3
mimo minimax_m2 muse muse_glimmer musespark1x plamo3 qwen3_coder qwen3_xml seed_oss step3p5
step5
"""
_TOOLS_IN_USE = """
apertus functiongemma gigachat3 granite4 hermes internlm jamba lfm2 longcat minicpm5 poolside_v1
qwen3_json step3
"""

REASONING = frozenset((*_REASONING.split(), *FROM_TEMPLATE))
"""Reasoning parsers that keep special tokens."""

TOOLS = frozenset(_TOOLS.split())
"""Tool parsers that keep them whenever the request is adjusted."""

TOOLS_IN_USE = frozenset(_TOOLS_IN_USE.split())
"""Tool parsers that keep them where the request has tools and may call them."""

SPACELESS = frozenset(("kimi_k3", *FROM_TEMPLATE))
"""Reasoning and tool parsers that read markers of several special tokens as one text."""


def keeps_special_tokens(settings: Settings, request: ChatRequest) -> bool:
    """Whether the parsers in force need special tokens in the text."""
    reasoning = settings.reasoning_parser
    tool = settings.tool_call_parser if settings.enable_auto_tool_choice else None
    may_call = request.tool_choice != "none"
    if reasoning in REASONING or tool in FROM_TEMPLATE:
        return True
    if tool in TOOLS:
        return may_call or reasoning is not None
    return tool in TOOLS_IN_USE and bool(request.tools) and may_call


def joins_special_tokens(settings: Settings, request: ChatRequest) -> bool:
    """Whether the parsers in force need special tokens in the text without spaces between them."""
    tool = settings.tool_call_parser if settings.enable_auto_tool_choice else None
    named = SPACELESS & {tool, settings.reasoning_parser}
    return bool(named) and keeps_special_tokens(settings, request)
