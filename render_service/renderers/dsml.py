"""DSML, the markup of DeepSeek's tool calls, and the JSON of the tools beside it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..errors import RequestError

DSML = "｜DSML｜"


class Tags(NamedTuple):
    """Names of the elements that hold all calls, one call, and one argument."""

    calls: str
    call: str
    argument: str


class Call(NamedTuple):
    id: str
    name: str
    arguments: Mapping[str, Any]


def calls_text(calls: Iterable[Call], tags: Tags) -> str:
    body = "\n".join(
        f'<{DSML}{tags.call} name="{call.name}">\n'
        f"{_arguments(call.arguments, tags.argument)}\n"
        f"</{DSML}{tags.call}>"
        for call in calls
    )
    return f"<{DSML}{tags.calls}>\n{body}\n</{DSML}{tags.calls}>"


def _arguments(arguments: Mapping[str, Any], tag: str) -> str:
    """Strings as they are, everything else in JSON."""
    return "\n".join(
        f'<{DSML}{tag} name="{name}" string="true">{value}</{DSML}{tag}>'
        if isinstance(value, str)
        else f'<{DSML}{tag} name="{name}" string="false">{to_json(value)}</{DSML}{tag}>'
        for name, value in arguments.items()
    )


def tool_schemas(tools: Any) -> str:
    """The functions of OpenAI's tools, one a line."""
    if not isinstance(tools, list) or not all(
        isinstance(tool, dict) and "function" in tool for tool in tools
    ):
        raise RequestError("Tools must be a list of objects, each with a `function`.")
    return "\n".join(to_json(tool["function"]) for tool in tools)


def calls_of(message: Mapping[str, Any]) -> list[Call]:
    """message: as `messages.conversation` gives it, arguments as objects."""
    return [
        Call(call.get("id", ""), call["function"]["name"], call["function"]["arguments"])
        for call in message.get("tool_calls") or ()
    ]


def to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
