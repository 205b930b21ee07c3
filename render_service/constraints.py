"""What the configured parsers change in a chat request before it goes to the engine.

Names whose models hold their output in a way of their own come first, then what tools add for all
others. Source: vLLM 0.33.0's `preprocess_chat` (`renderers/online_renderer.py`), which says when a
parser is asked, and the parsers' `adjust_request`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .beam_constraints import Opening, hold_to_template
from .call_constraints import constrain_calls
from .cohere_tags import hold_sections
from .mistral_constraints import grammar_of, hold_output, keep_special_tokens

if TYPE_CHECKING:
    from .protocol.chat import ChatRequest
    from .settings import Settings
    from .tokenizer import Tokenizer

MISTRAL = "mistral"
COHERE = frozenset(("cohere_command3", "cohere_command4"))


class Constrained(NamedTuple):
    """whole: the constraint holds the output from its first token on, thoughts included."""

    request: ChatRequest
    whole: bool = False


def constrain(
    settings: Settings,
    request: ChatRequest,
    *,
    tokenizer: Tokenizer,
    config: Mapping[str, Any],
    harmony: bool = False,
    response: bool = False,
    text_format: bool = False,
    opens: Opening | None = None,
) -> Constrained:
    """config: the model's config.json. harmony: see `constrain_calls`. opens: given for `beam`.

    response: the request is one of the Responses API. text_format: its constraint is its format.
    RequestError (400) where what is asked for does not go together.
    """
    if opens is not None:
        return Constrained(*hold_to_template(settings, request, opens))
    tool = settings.tool_call_parser if settings.enable_auto_tool_choice else None
    names = {tool, settings.reasoning_parser}
    asked = bool(settings.reasoning_parser) or request.tool_choice != "none"
    whole = False
    if MISTRAL in names:
        grammar = grammar_of(tokenizer)
        if response:
            request = keep_special_tokens(request)
        elif asked or grammar is not None:
            request, whole = hold_output(request, grammar)
    if names & COHERE and asked:
        request = hold_sections(request, _architecture(config), text_format=text_format)
    request = constrain_calls(settings, request, harmony=harmony, vocab=tokenizer.added_tokens)
    return Constrained(request, whole)


def _architecture(config: Mapping[str, Any]) -> str | None:
    names = config.get("architectures")
    return names[0] if isinstance(names, list) and names and isinstance(names[0], str) else None
