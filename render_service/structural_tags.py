"""The grammar of a request's tool calls, as a structural tag (JSON) for the engine.

Rule: where a call is required, tools are strict, calls are limited to one, or the operator asks
for it (`--tool-strict-level`), the engine holds the model to the parser's own call syntax, and to
the arguments' schema where the tool is strict. Source: `_apply_structural_tag` and
`structural_tag_registry.py` in vLLM 0.33.0.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from .call_tags import Choice, HeldTool, tag_of
from .errors import RequestError
from .glm_tags import glm_tag
from .harmony_tags import harmony_tag
from .hy_v4_tags import hy_v4_tag
from .kimi_k3_tags import kimi_k3_tag
from .protocol.chat import ChatRequest, NamedToolChoice
from .structural_tag_formats import CALL_SYNTAX
from .tag_nodes import Node

Builder = Callable[[Sequence[HeldTool], Choice, bool], Node | None]

AUTO, FUNCTION, PARAMETER = range(3)
"""Strict levels: what tools say, all calls, all calls and their arguments."""

LEVELS = {"auto": AUTO, "function": FUNCTION, "parameter": PARAMETER}
"""By the value of --tool-strict-level."""

DEFAULT_LEVEL = {"glm45": FUNCTION, "glm47": FUNCTION}
"""By parser name, where it is not AUTO, without --tool-strict-level."""

HY_V4 = "hy_v4"
"""Needs the vocabulary, and has no grammar where vLLM fails to build one."""

BUILDERS: Mapping[str, Builder] = {
    **{name: partial(tag_of, syntax) for name, syntax in CALL_SYNTAX.items()},
    "glm45": glm_tag,
    "glm47": glm_tag,
    HY_V4: hy_v4_tag,
    "kimi_k3": kimi_k3_tag,
    "ling3": glm_tag,
    "openai": harmony_tag,
}
"""By parser name: the node for tools, a choice, and whether calls may only be one."""


def calls_tag(
    parser: str, request: ChatRequest, level: int, *, required: bool, vocab: Iterable[str]
) -> Node | None:
    """The node of the request's calls; None where nothing holds them.

    required: a call is required even if the request's choice is `auto`. vocab: texts of added
    tokens. RequestError where the
    name of a named tool is not one tool's.
    """
    builder = BUILDERS.get(parser)
    if builder is None or not applies(request, level):
        return None
    held = [
        HeldTool(
            tool.function.name,
            tool.function.parameters,
            level >= PARAMETER or tool.function.strict is True,
        )
        for tool in request.tools or ()
    ]
    choice: Choice = "required" if required or request.tool_choice == "required" else "auto"
    if isinstance(request.tool_choice, NamedToolChoice):
        choice = "named"
        held = [tool for tool in held if tool.name == request.tool_choice.function.name]
        if len(held) != 1:
            if parser == HY_V4:
                return None
            raise RequestError("Forced tool choice must resolve to exactly one tool.")
    if parser == HY_V4:
        builder = partial(hy_v4_tag, vocab=vocab)
    return builder(held, choice, request.parallel_tool_calls is False)


def applies(request: ChatRequest, level: int) -> bool:
    """Optional calls are only held where a tool is strict or the level says so."""
    return (
        request.tool_choice != "auto"
        or level > AUTO
        or any(tool.function.strict is True for tool in request.tools or ())
    )


def as_text(node: Node) -> str:
    return json.dumps({"type": "structural_tag", "format": node})
