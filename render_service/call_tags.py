"""The calls that a model may write, as nodes: a parser's call syntax filled in with tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from .structural_tag_formats import Call, CallSyntax
from .tag_nodes import (
    Node,
    Schema,
    const,
    json_schema,
    regex,
    separated,
    sequence,
    tag,
    triggered,
)

Choice = Literal["auto", "required", "named"]


class HeldTool(NamedTuple):
    """strict: its calls are held to its parameters, not only to the call syntax."""

    name: str
    parameters: dict[str, Any] | None
    strict: bool

    @property
    def schema(self) -> Schema:
        """Schema of a call's arguments; true takes any."""
        return self.parameters if self.strict and self.parameters is not None else True


def tag_of(syntax: CallSyntax, tools: Sequence[HeldTool], choice: Choice, once: bool) -> Node:
    """once: there may be one call only, as with a named one."""
    calls = [_call(call, syntax.style, tool) for tool in tools for call in syntax.calls]
    return arranged(syntax, calls, choice, once)


def arranged(syntax: CallSyntax, calls: Sequence[Node], choice: Choice, once: bool) -> Node:
    """Calls within what the syntax has around them."""
    section, once = syntax.section, once or choice == "named"
    if choice == "auto" or (choice == "required" and syntax.text_before_required):
        tags = calls
        if section is not None:
            many = separated(calls, syntax.separator, once=once)
            tags = [tag(section.begin, many, section.end)]
        required = choice == "required"
        return triggered(
            syntax.trigger, tags, at_least_one=required, once=once, excludes=syntax.excludes
        )
    alone = choice == "named" and not syntax.named_as_list
    body = calls[0] if alone else separated(calls, syntax.separator, once=once)
    if section is None:
        return body
    if section.lead is not None:
        return sequence(const(section.lead + section.begin), body, const(section.ends[0]))
    if alone:
        return tag(section.begin + body["begin"], body["content"], body["end"] + section.ends[0])
    return tag(section.begin, body, section.end)


def _call(call: Call, style: str, tool: HeldTool) -> Node:
    content = json_schema(tool.schema, style)
    if call.counted is not None:
        content = sequence(regex(r"\d+"), const(call.counted), content)
    return tag(call.before + tool.name + call.after, content, call.end)
