"""A response template of messages, as in Harmony: all text has markers, and closing ones hold the
anchor of the next message, of which models write only the beginning.
"""

from __future__ import annotations

import json
from typing import Any

from . import Case, Family

_START = "<|start|>assistant"
_NEXT = f"<|end|>{_START}"
_FINAL = "<|channel|>final<|message|>"
_THOUGHT = "<|channel|>analysis<|message|>"


def _message(name: str, arguments: dict[str, Any]) -> str:
    body = "".join(
        f'<arg name="{key}">{value if isinstance(value, str) else json.dumps(value)}</arg>'
        for key, value in arguments.items()
    )
    return f"{_NEXT}<|channel|>call to={name}<|message|>{body}{_NEXT}{_FINAL}"


MESSAGES = {
    "start_anchor": _START,
    "fields": {
        "thinking": {"open": "<|channel|>analysis<|message|>", "close": _NEXT},
        "content": {
            "open_pattern": r"(?:^|<\|channel\|>)final<\|message\|>",
            "close": [_NEXT, "<|return|>"],
        },
        "tool_calls": {
            "open_pattern": (
                r"(?:<\|end\|><\|start\|>assistant)?"
                r"<\|channel\|>call to=(?P<name>[\w.-]+)<\|message\|>"
            ),
            "close": _NEXT,
            "content": "xml-inline",
            "content_args": {
                "tag_pattern": r'<arg name="(?P<key>[^"]+)">(?P<value>.*?)(?:</arg>|(?=<arg ))',
                "value_parser": {"name": "text", "args": {"strip": False}},
            },
            "repeats": True,
            "transform": {
                "type": "function",
                "function": {"name": "{name}", "arguments": "{content}"},
            },
        },
    },
}
_RUN = '<|channel|>call to=run<|message|><arg name="a">1</arg>'
# With what begins the output before each, which is the beginning of an answer.
MESSAGES_ODD = {
    "answer": "Hello there.<|return|>",
    "answer, cut before the anchor": "Hello there.<|end|>",
    "answer, cut in the anchor": "Hello there.<|end|><|start|>assis",
    "answer, cut in the end": "Hello there.<|end",
    "call, cut before the anchor": f"So.{_NEXT}{_RUN}<|end|>",
    "call at the end": f"So.{_NEXT}{_RUN}{_NEXT}",
    "two answers": f"One.{_NEXT}{_FINAL}Two.<|return|>",
    "text after the end": "One.<|return|>Two.",
    "text between messages": f"One.{_NEXT}Two.{_RUN}{_NEXT}{_FINAL}Three.",
    "blanks between messages": f"One.{_NEXT}\n{_RUN}{_NEXT}\n\n{_FINAL}Three.",
    "argument left open": _NEXT + _RUN.replace("</arg>", '<arg name="b">2</arg>') + _NEXT,
    "types": _message("get_weather", {"days": "2", "city": " Paris ", "metric": "1"}),
}
_PROMPT = f"<|start|>user<|message|>hi<|end|>{_START}"
MESSAGES_EXTRA: tuple[Case, ...] = tuple(
    {"name": f"prompt, {name}", "text": text, "prompt": _PROMPT + end}
    for end, cases in {
        "": {
            "answer": f"{_FINAL}Hi.<|return|>",
            "answer at the very beginning": "final<|message|>Hi.<|return|>",
            "answer not at the beginning": "So final<|message|>Hi.<|return|>",
            "text": "Hi.",
        },
        _THOUGHT: {"goes on": f"Hm.{_NEXT}{_FINAL}Hi.", "cut": "Hm.<|end|>"},
        _FINAL: {"in the answer": "Hi.<|return|>"},
        f"{_THOUGHT}Hm.{_NEXT}": {"after the thought": f"{_FINAL}Hi.", "call": _RUN + _NEXT},
        _RUN: {"in a call": f'<arg name="b">1</arg>{_NEXT}{_FINAL}Hi.'},
        "<|channel|>ana": {
            "in a marker": f"lysis<|message|>Hm.{_NEXT}{_FINAL}Hi.",
            "no marker": "x",
        },
    }.items()
    for name, text in cases.items()
)  # fmt: skip

FAMILY = Family(
    golden={
        "beam": ("beam", None),
        "beam@reasoning": (None, "beam"),
        "beam+beam": ("beam", "beam"),
    },
    call=_message,
    response_template=MESSAGES,
    added=("<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|return|>"),
    think=(_THOUGHT, _NEXT + _FINAL),
    lead=_FINAL,
    odd=MESSAGES_ODD,
    extra=MESSAGES_EXTRA,
    exact=False,
    markup=("call to=run", "final", "assistant", '<arg name="text">', "</arg>", _NEXT),
)
