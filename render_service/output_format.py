"""A request's own constraint as part of a structural tag, for answers that are no calls.

Source: `structured_outputs_to_format` and `_xgrammar_supports` in vLLM 0.33.0.
"""

from __future__ import annotations

import json
import re
from typing import Any

from .protocol.fields import StructuredOutputs
from .schema_limits import is_supported
from .tag_nodes import Node, const, either, grammar, json_schema, regex, tag, triggered

_COMMENT = re.compile(r"(?:#|//).*$")


def output_format(outputs: StructuredOutputs) -> Node | None:
    """None where the constraint cannot stand beside calls: then it holds alone.

    vLLM also takes Lark grammars and newer structural tags here, which need its grammar library
    to be rewritten; here those hold alone.
    """
    if outputs.json is not None:
        return _schema(outputs.json)
    if outputs.json_object:
        return json_schema({"type": "object"})
    if outputs.regex is not None:
        return None if "\0" in outputs.regex else regex(outputs.regex)
    if outputs.choice:
        return either([const(choice) for choice in outputs.choice])
    if outputs.grammar:
        return None if _is_lark(outputs.grammar) else grammar(outputs.grammar)
    if outputs.structural_tag:
        return _older_tag(outputs.structural_tag)
    return None


def _schema(schema: str | dict[str, Any]) -> Node | None:
    parsed = _parsed(schema) if isinstance(schema, str) else schema
    fits = isinstance(parsed, dict | bool) and is_supported(parsed)
    return json_schema(parsed) if fits else None


def _older_tag(text: str) -> Node | None:
    try:
        given = json.loads(text)
        tags = [
            tag(part["begin"], json_schema(part["schema"]), part["end"])
            for part in given["structures"]
        ]
        return {**triggered("", tags), "triggers": given["triggers"]}
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_lark(text: str) -> bool:
    """EBNF has `::=`, Lark has not. Comments do not count."""
    return not any("::=" in _COMMENT.sub("", line) for line in text.split("\n"))
