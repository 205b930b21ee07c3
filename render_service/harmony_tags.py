"""Calls and answers of Harmony (gpt-oss): messages in channels, after optional thoughts.

Source: `parser/harmony.py` in vLLM 0.33.0. Stop tokens are spelt as an empty end, since xgrammar
does not take them.
"""

from __future__ import annotations

from collections.abc import Sequence

from .call_tags import Choice, HeldTool
from .tag_nodes import Node, any_text, const, either, json_schema, optional, sequence, tag

_JSON = (" json", " <|constrain|>json")
_CHANNELS = ("commentary", "analysis", "final")
_END = ("<|end|>", "")


def harmony_tag(tools: Sequence[HeldTool], choice: Choice, once: bool) -> Node:
    """Each message is one call at most, so that `once` changes nothing."""
    tags = [
        tag(begin, json_schema(tool.schema), _END)
        for tool in tools
        for begin in _call_begins(f" to=functions.{tool.name}")
    ]
    if choice == "auto":
        tags += [tag(_final(constrain), any_text(), _END) for constrain in (*_JSON, "")]
    return sequence(_message("analysis"), _message("commentary"), either(tags))


def harmony_answer(content: Node) -> Node:
    """A final message that is `content`."""
    if content["type"] == "json_schema":
        answer = either([tag(_final(constrain), content, _END) for constrain in _JSON])
    else:
        answer = tag(_final(""), content, _END)
    return sequence(_message("analysis"), answer)


def _call_begins(recipient: str) -> list[str]:
    """The recipient stands in front of the channel or behind it."""
    channels = [f"<|channel|>{channel}" for channel in _CHANNELS]
    before = [f"{recipient}{channel}{json}<|message|>" for json in _JSON for channel in channels]
    after = [f"{channel}{recipient}{json}<|message|>" for json in _JSON for channel in channels]
    return before + after


def _final(constrain: str) -> str:
    return f"<|channel|>final{constrain}<|message|>"


def _message(channel: str) -> Node:
    body = tag(f"<|channel|>{channel}<|message|>", any_text(), "<|end|>")
    return optional(sequence(body, const("<|start|>assistant")))
