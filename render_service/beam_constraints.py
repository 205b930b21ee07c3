"""How the parser `beam` holds a model to its response template.

Rule: the whole output is held to the template, with tools and the request's own constraint in it
where these can be; where not, that constraint holds alone, and what a request must be able to rely
on is refused. Source: vLLM 0.33.0's `parser/beam.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from parsers import Format
from parsers.response_format import TemplateFormat
from parsers.response_template import CALLS, CONTENT, THINKING, Template

from .beam_grammar import Wanted, anchors_of, rest_of_answer, whole_output
from .call_tags import HeldTool
from .output_format import may_stand_beside_calls, output_format
from .protocol.chat import ChatRequest, NamedToolChoice
from .protocol.fields import StructuredOutputs, invalid
from .sampling import structured_outputs
from .structural_tags import LEVELS, PARAMETER, as_text
from .tag_nodes import Node

if TYPE_CHECKING:
    from .settings import Settings

BEAM = "beam"
MAX_LENGTH = 16 * 1024 * 1024
"""Characters of a tag; it repeats parameters and definitions, so that it could become vast."""


class Opening(NamedTuple):
    """Where an output begins. field: that the prompt has opened. thinks: reasoning is not off."""

    template: Template
    at_start: bool
    field: str | None
    thinks: bool


def holds_to_template(format: Format | None) -> bool:
    """Whether the prompt has a say in the constraint."""
    return isinstance(format, TemplateFormat) and BEAM in (format.tool, format.reasoning)


def opening(
    format: Format | None,
    prompt_token_ids: Sequence[int],
    template_kwargs: Callable[[], Mapping[str, Any]],
) -> Opening | None:
    """None where the format is none of `beam`. template_kwargs: called where it is one."""
    if not isinstance(format, TemplateFormat) or not holds_to_template(format):
        return None
    at_start, field = format.begun(prompt_token_ids)
    thinks = bool(template_kwargs().get("enable_thinking", True))
    return Opening(format.template, at_start, field, thinks)


def hold_to_template(
    settings: Settings, request: ChatRequest, opens: Opening
) -> tuple[ChatRequest, bool]:
    """The request with its constraint, and whether that holds the output from the first token on.

    RequestError where a call must come, and cannot be held; where a name cannot be written.
    """
    try:
        node = _node(settings, request, opens)
        if node is not None and _length(node, {}) > MAX_LENGTH:
            raise ValueError("the schemas of the tools are too large for the number of properties")
    except RecursionError as error:
        raise invalid("the name of a tool is too long, or its schema too deep", "tools") from error
    except ValueError as error:
        raise invalid(str(error), "tools") from error
    if node is None:
        return request, False
    outputs = StructuredOutputs(structural_tag=as_text(node))
    held = msgspec.structs.replace(request, structured_outputs=outputs, response_format=None)
    return held, opens.at_start


def _node(settings: Settings, request: ChatRequest, opens: Opening) -> Node | None:
    """None where the request's own constraint, if any, holds alone."""
    fields = opens.template.fields
    named = isinstance(request.tool_choice, NamedToolChoice)
    calls = settings.enable_auto_tool_choice and settings.tool_call_parser == BEAM
    # An empty list is what is left of a Responses request's tools, where none is a function.
    may_call = calls and request.tools is not None and request.tool_choice != "none"
    forced = may_call and (named or request.tool_choice == "required")
    outputs = structured_outputs(request.structured_outputs, request.response_format)
    if forced:
        outputs = None
    answer = fields.get(CONTENT)
    content = None
    if outputs is not None:
        # What is wrong in itself, and an answer without markers, is not looked into.
        if outputs.structural_tag is not None or answer is None or answer.opens is None:
            return None
        content = output_format(outputs)
        if content is None or not may_stand_beside_calls(outputs, in_tag=False):
            return None
    found = None
    if opens.field == CONTENT:
        if not forced and outputs is None and answer is not None:
            found = rest_of_answer(answer)
    elif opens.field != THINKING or (settings.reasoning_parser and request.include_reasoning):
        wanted = Wanted(
            tools=_held(settings, request) if may_call else (),
            many=not named and request.parallel_tool_calls is not False,
            answers=not forced and (answer is not None or opens.template.implicit == CONTENT),
            answer=answer,
            content=content,
        )
        anchors = anchors_of(opens.template) if opens.at_start else None
        found = whole_output(
            wanted, fields.get(CALLS), fields.get(THINKING), anchors, thinks=opens.thinks
        )
    if found is None and forced:
        kind = "named" if named else "required"
        raise invalid(
            f"response_template parsing cannot guarantee {kind} tool choice for this request",
            "tool_choice",
        )
    return found


def _held(settings: Settings, request: ChatRequest) -> list[HeldTool]:
    name = settings.tool_strict_level
    pinned = name is not None and LEVELS[name] >= PARAMETER
    choice = request.tool_choice
    only = choice.function.name if isinstance(choice, NamedToolChoice) else None
    return [
        HeldTool(
            tool.function.name, tool.function.parameters, pinned or tool.function.strict is True
        )
        for tool in request.tools or ()
        if only in (None, tool.function.name)
    ]


def _length(value: Any, known: dict[int, int]) -> int:
    """Characters of its JSON, about; parts that are repeated are counted once and added often."""
    if isinstance(value, str):
        return len(value) + 4
    if not isinstance(value, dict | list):
        return 8
    if id(value) not in known:
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        known[id(value)] = 4 + sum(_length(part, known) for part in parts)
    return known[id(value)]
