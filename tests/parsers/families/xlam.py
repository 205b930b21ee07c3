"""xLAM: an array of calls as the whole answer, in a code block, or in tags."""

from __future__ import annotations

from typing import Any

from ..odd_json import arrays, item
from . import Family


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"[{item(name, arguments)}]"


_ONE, _TWO = item("run", {"a": 1}), item("bare", {})
_LIST = f"[{_ONE}, {_TWO}]"
FAMILY = Family(
    golden={"xlam": ("xlam", None), "xlam+deepseek_r1": ("xlam", "deepseek_r1")},
    call=call,
    odd=arrays("", "")
    | {
        "in tags": f"<tool_call>{_LIST}</tool_call>",
        "in tags, text": f"So.\n<tool_call>\n{_LIST}\n</tool_call>\nDone.",
        "in tags, left open": f"<tool_call>{_LIST}",
        "in tags, prose": "<tool_call>I will call run.</tool_call>",
        "bare array after a blank": f"\n{_LIST}\n",
        "bare array after prose": f"Look: {_LIST}",
        "bare array of numbers": "[1, 2, 3]",
        "footnote": "[1] is the source.",
        "call in a code block": f"```json\n{_LIST}\n```",
        "call in a plain code block": f"So:\n```\n{_LIST}\n```\nDone.",
        "python code block": "```python\nprint([1])\n```",
        "mistral tag": f"[TOOL_CALLS]{_LIST}",
        "mistral tag, text": f"So.\n[TOOL_CALLS] {_LIST}\nDone.",
        "after think tags": f"<think>Hm.</think>\n{_LIST}",
        "code block after think tags": f"<think>Hm.</think>```json\n{_LIST}\n```",
        "think tags, text": "<think>Hm.</think>Hello.",
    },
    markup=("```json\n", "```", "[TOOL_CALLS]", "[{", "}]", "}, {", "</think>[", "json"),
)
