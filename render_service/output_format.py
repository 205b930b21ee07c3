"""A request's own constraint as part of a structural tag, for answers that are no calls.

Source: `structured_outputs_to_format` and `_xgrammar_supports` in vLLM 0.33.0.
"""

from __future__ import annotations

import re
from typing import Any

from .errors import RequestError
from .protocol.fields import StructuredOutputs
from .schema_limits import MAX_NESTING, TAG_NESTING, is_supported, load_schema
from .tag_nodes import Node, const, either, grammar, json_schema, regex, tag, triggered

_COMMENT = re.compile(r"(?:#|//).*$")


def output_format(outputs: StructuredOutputs) -> Node | None:
    """None where there is no such part.

    vLLM also takes Lark grammars and newer structural tags, which need its grammar library to be
    rewritten.
    """
    if outputs.json is not None:
        schema = _parsed(outputs.json)
        return json_schema(schema) if isinstance(schema, dict | bool) else None
    if outputs.json_object:
        return json_schema({"type": "object"})
    if outputs.regex is not None:
        return regex(outputs.regex)
    if outputs.choice:
        return either([const(choice) for choice in outputs.choice])
    if outputs.grammar:
        return None if _is_lark(outputs.grammar) else grammar(outputs.grammar)
    if outputs.structural_tag:
        return _older_tag(outputs.structural_tag)
    return None


def may_stand_beside_calls(outputs: StructuredOutputs, *, in_tag: bool) -> bool:
    """False for what the grammar library is known to refuse: that holds alone.

    in_tag: it is a part of a structural tag already, where schemas are not looked into.
    """
    if outputs.regex is not None:
        return "\0" not in outputs.regex
    return in_tag or outputs.json is None or is_supported(_parsed(outputs.json))


def _older_tag(text: str) -> Node | None:
    try:
        given = load_schema(text, MAX_NESTING + TAG_NESTING)
        tags = [
            tag(part["begin"], json_schema(part["schema"]), part["end"])
            for part in given["structures"]
        ]
        return {**triggered("", tags), "triggers": given["triggers"]}
    except (ValueError, LookupError, TypeError, RequestError):
        return None


def _parsed(schema: str | dict[str, Any]) -> Any:
    if not isinstance(schema, str):
        return schema
    try:
        return load_schema(schema)
    except (ValueError, RequestError):
        return None


def _is_lark(text: str) -> bool:
    """EBNF has `::=`, Lark has not. Comments do not count."""
    return not any("::=" in _COMMENT.sub("", line) for line in text.split("\n"))
