"""The names that `vllm serve` takes for its parsers, and the formats that they mean here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeVar

from .format import Format
from .formats.cohere import COMMAND3, COMMAND4
from .formats.deepseek import DEEPSEEK_V3, DEEPSEEK_V3_TOOL, DEEPSEEK_V31_TOOL, HOLO2
from .formats.dots import DOTS_TOOL
from .formats.dsml import (
    DEEPSEEK_V4,
    DEEPSEEK_V4_TOOL,
    DEEPSEEK_V32_TOOL,
    DEEPSEEK_V41,
    DEEPSEEK_V41_TOOL,
)
from .formats.ernie import ERNIE45, ERNIE45_REASONING
from .formats.gemma import FUNCTIONGEMMA, GEMMA4, GEMMA4_TOOL
from .formats.gigachat import GIGACHAT3
from .formats.glm import GLM, GLM_REASONING, LING3_REASONING
from .formats.granite import GRANITE, GRANITE4, GRANITE_20B_FC, GRANITE_REASONING, GRANITE_THINKING
from .formats.harmony import HARMONY, HARMONY_CALLS
from .formats.hermes import HERMES, LONGCAT
from .formats.hunyuan import HY_V3, HY_V3_REASONING, HY_V4, HY_V4_REASONING
from .formats.hunyuan_a13b import HUNYUAN_A13B, HUNYUAN_A13B_REASONING
from .formats.inkling import INKLING, INKLING_TOOL
from .formats.internlm import INTERNLM
from .formats.json_arrays import APERTUS, JAMBA, PHI4_MINI_JSON
from .formats.k2_horizon import K2_HORIZON, K2_HORIZON_TOOL
from .formats.kimi import KIMI_K2, KIMI_K2_TOOL
from .formats.kimi_k3 import KIMI_K3, KIMI_K3_TOOL
from .formats.llama3 import LLAMA3_JSON
from .formats.minicpm5 import MINICPM5
from .formats.minimax import (
    MINIMAX_M2,
    MINIMAX_M2_APPEND_THINK,
    MINIMAX_M2_REASONING,
    MINIMAX_M3,
    MINIMAX_M3_REASONING,
)
from .formats.mistral import MISTRAL, MISTRAL_REASONING
from .formats.muse import MUSE, MUSE_GLIMMER
from .formats.olmo import OLMO3_REASONING
from .formats.plamo import PLAMO3, PLAMO3_REASONING
from .formats.poolside import POOLSIDE_V1, POOLSIDE_V1_REASONING
from .formats.pythonic import LFM2, LLAMA4_PYTHONIC, OLMO3, PYTHONIC
from .formats.qwen3 import (
    MIMO,
    MIMO_REASONING,
    MINICPMV,
    NEMOTRON_V3,
    QWEN3,
    QWEN3_CODER,
    SEED_OSS,
    SEED_OSS_REASONING,
    STEP3P5,
    STEP3P5_REASONING,
    STEP5,
)
from .formats.step3 import STEP3, STEP3_REASONING
from .formats.think import DEEPSEEK_R1
from .formats.xlam import XLAM
from .from_template import FROM_TEMPLATE, format_from_template
from .parts import ReasoningFormat, ToolFormat
from .response_format import Decode
from .suffix import fitted

TOOL_FORMATS: Mapping[str, ToolFormat] = MappingProxyType(
    {
        "apertus": APERTUS,
        "cohere_command3": COMMAND3[0],
        "cohere_command4": COMMAND4[0],
        "deepseek_v3": DEEPSEEK_V3_TOOL,
        "deepseek_v31": DEEPSEEK_V31_TOOL,
        "deepseek_v32": DEEPSEEK_V32_TOOL,
        "deepseek_v4": DEEPSEEK_V4_TOOL,
        "deepseek_v41": DEEPSEEK_V41_TOOL,
        "dots": DOTS_TOOL,
        "ernie45": ERNIE45,
        "functiongemma": FUNCTIONGEMMA,
        "gemma4": GEMMA4_TOOL,
        "gigachat3": GIGACHAT3,
        "glm45": GLM,
        "glm47": GLM,
        "granite": GRANITE,
        "granite-20b-fc": GRANITE_20B_FC,
        "granite4": GRANITE4,
        "hermes": HERMES,
        "hunyuan_a13b": HUNYUAN_A13B,
        "hy_v3": HY_V3,
        "hy_v4": HY_V4,
        "inkling": INKLING_TOOL,
        "internlm": INTERNLM,
        "jamba": JAMBA,
        "k2_horizon": K2_HORIZON_TOOL,
        "kimi_k2": KIMI_K2_TOOL,
        "kimi_k3": KIMI_K3_TOOL,
        "lfm2": LFM2,
        "ling3": GLM,
        "llama3_json": LLAMA3_JSON,
        "llama4_json": LLAMA3_JSON,
        "llama4_pythonic": LLAMA4_PYTHONIC,
        "longcat": LONGCAT,
        "mimo": MIMO,
        "minicpm5": MINICPM5,
        "minimax_m2": MINIMAX_M2,
        "minimax_m3": MINIMAX_M3,
        "mistral": MISTRAL,
        "muse": MUSE[0],
        "muse_glimmer": MUSE_GLIMMER[0],
        "musespark1x": MUSE[0],
        "olmo3": OLMO3,
        "openai": HARMONY_CALLS,
        "phi4_mini_json": PHI4_MINI_JSON,
        "plamo3": PLAMO3,
        "poolside_v1": POOLSIDE_V1,
        "pythonic": PYTHONIC,
        "qwen3_coder": QWEN3_CODER,
        "qwen3_json": HERMES,
        "qwen3_xml": QWEN3_CODER,
        "seed_oss": SEED_OSS,
        "step3": STEP3,
        "step3p5": STEP3P5,
        "step5": STEP5,
        "xlam": XLAM,
    }
)
REASONING_FORMATS: Mapping[str, ReasoningFormat] = MappingProxyType(
    {
        "cohere_command3": COMMAND3[1],
        "cohere_command4": COMMAND4[1],
        "deepseek_r1": DEEPSEEK_R1,
        "deepseek_v3": DEEPSEEK_V3,
        "deepseek_v4": DEEPSEEK_V4,
        "deepseek_v41": DEEPSEEK_V41,
        "ernie45": ERNIE45_REASONING,
        "gemma4": GEMMA4,
        "glm45": GLM_REASONING,
        "glm47": GLM_REASONING,
        "granite": GRANITE_REASONING,
        "granite_thinking_parser": GRANITE_THINKING,
        "holo2": HOLO2,
        "hunyuan_a13b": HUNYUAN_A13B_REASONING,
        "hy_v3": HY_V3_REASONING,
        "hy_v4": HY_V4_REASONING,
        "inkling": INKLING,
        "k2_horizon": K2_HORIZON,
        "kimi_k2": KIMI_K2,
        "kimi_k3": KIMI_K3,
        "ling3": LING3_REASONING,
        "mimo": MIMO_REASONING,
        "minicpmv": MINICPMV,
        "minimax_m2": MINIMAX_M2_REASONING,
        "minimax_m2_append_think": MINIMAX_M2_APPEND_THINK,
        "minimax_m3": MINIMAX_M3_REASONING,
        "mistral": MISTRAL_REASONING,
        "muse": MUSE[1],
        "muse_glimmer": MUSE_GLIMMER[1],
        "musespark1x": MUSE[1],
        "nemotron_v3": NEMOTRON_V3,
        "olmo3": OLMO3_REASONING,
        "openai_gptoss": HARMONY,
        "plamo3": PLAMO3_REASONING,
        "poolside_v1": POOLSIDE_V1_REASONING,
        "qwen3": QWEN3,
        "seed_oss": SEED_OSS_REASONING,
        "step3": STEP3_REASONING,
        "step3p5": STEP3P5_REASONING,
        "step5": DEEPSEEK_R1,
    }
)

PAIRS = ((HARMONY_CALLS, HARMONY), COMMAND3, COMMAND4, MUSE, MUSE_GLIMMER)
"""Formats of one syntax that neither can read alone: the one that is not named is hidden."""

_Found = TypeVar("_Found")


class UnknownParserError(ValueError):
    """The name is none that is registered. The message is for the user."""


class CombinationError(ValueError):
    """The two names cannot be used together. The message is for the user."""


class MissingMarkerError(ValueError):
    """The vocabulary lacks a token that the format needs. The message is for the user."""


def names() -> dict[str, list[str]]:
    """All names, aliases too: {"tool": [...], "reasoning": [...]}."""
    return {
        "tool": sorted({*TOOL_FORMATS, *FROM_TEMPLATE}),
        "reasoning": sorted({*REASONING_FORMATS, *FROM_TEMPLATE}),
    }


def load(
    tool: str | None = None,
    reasoning: str | None = None,
    vocab: Mapping[str, int] = MappingProxyType({}),
    special_ids: Collection[int] = frozenset(),
    *,
    chat_template: str = "",
    response_template: object = None,
    decode: Decode | None = None,
) -> Format:
    """The format of one or two names.

    vocab: the added tokens, text to ID. special_ids: those of them that mean no text (what
    `skip_special_tokens` removes); formats of vLLM's engine-based parsers drop them.
    chat_template: the tokenizer's own, where it has one.
    response_template: of the tokenizer's configuration, as JSON has it. decode: the text of token
    IDs, special ones too. Only the names in `FROM_TEMPLATE` read these two.
    Raises UnknownParserError, CombinationError, MissingMarkerError, ResponseTemplateError.
    """
    if {tool, reasoning} & {*FROM_TEMPLATE}:
        _found("tool call", tool, dict.fromkeys(names()["tool"]))
        _found("reasoning", reasoning, dict.fromkeys(names()["reasoning"]))
        if tool and reasoning and tool != reasoning:
            raise _not_together(tool, reasoning)
        return format_from_template(tool, reasoning, response_template, decode)
    tool_format = _found("tool call", tool, TOOL_FORMATS)
    reasoning_format = _found("reasoning", reasoning, REASONING_FORMATS)
    if tool_format:
        variants = tool_format.variants
        tool_format = next((variants[t] for t in variants if t in vocab), tool_format)
        tool_format = fitted(tool_format, vocab)
        _require(f"--tool-call-parser {tool}", tool_format.required, vocab)
    if reasoning_format:
        options = reasoning_format.variants
        reasoning_format = next((options[t] for t in options if t in vocab), reasoning_format)
        reasoning_format = fitted(reasoning_format, vocab)
        if reasoning_format.unswitched and reasoning_format.unswitched.fit(chat_template):
            reasoning_format = replace(reasoning_format, switches=())
        _require(f"--reasoning-parser {reasoning}", reasoning_format.required, vocab)
    whole = _whole(tool_format, reasoning_format)
    if whole is None:
        return Format(tool_format, reasoning_format, vocab, special_ids)
    if (tool_format or whole[0], reasoning_format or whole[1]) != whole:
        raise _not_together(tool, reasoning)
    hidden = (*(() if tool else ("tool",)), *(() if reasoning else ("reasoning",)))
    return Format(*whole, vocab, special_ids, hidden)


def _not_together(tool: str | None, reasoning: str | None) -> CombinationError:
    return CombinationError(
        f"--reasoning-parser {reasoning} and --tool-call-parser {tool} cannot be combined"
    )


def _whole(
    tool: ToolFormat | None, reasoning: ReasoningFormat | None
) -> tuple[ToolFormat, ReasoningFormat] | None:
    """The pair that one of the two belongs to."""
    return next((pair for pair in PAIRS if pair[0] is tool or pair[1] is reasoning), None)


def _found(kind: str, name: str | None, known: Mapping[str, _Found]) -> _Found | None:
    if name is None:
        return None
    if name not in known:
        raise UnknownParserError(
            f"invalid {kind} parser: {name} (chose from {{ {', '.join(sorted(known))} }})"
        )
    return known[name]


def _require(flag: str, markers: Iterable[str], vocab: Mapping[str, int]) -> None:
    missing = [f"'{marker}'" for marker in markers if marker not in vocab]
    if missing:
        raise MissingMarkerError(
            f"{flag} cannot be used with this tokenizer: "
            f"it has no token for {' and '.join(missing)}."
        )
