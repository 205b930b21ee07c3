"""Muse: messages to the model itself, to the user and to tools."""

from __future__ import annotations

import json
import re
from typing import Any

from . import Case, Family

START, EOM, EOT = "<|start|>assistant", "<|eom|>", "<|eot|>"
THOUGHT, ANSWER = " to=self<|message|>", " to=user<|message|>"
NEXT_ANSWER = f"{EOM}{START}{ANSWER}"


def _invoke(name: str, arguments: dict[str, Any]) -> str:
    shown = {k: v if isinstance(v, str) else json.dumps(v, ensure_ascii=False)
             for k, v in arguments.items()}  # fmt: skip
    body = "".join(
        f'<atem:parameter name="{key}">{_plain(value)}</atem:parameter>\n'
        for key, value in shown.items()
    )
    return f'<atem:invoke name="{name}">\n{body}</atem:invoke>'


def _plain(text: str) -> str:
    """A value without what could end it."""
    return re.sub(r"</atem|<\|", "", text)


def _message(*invokes: str, to: str = "get_weather") -> str:
    body = "\n".join(("<atem:function_calls>", *invokes, "</atem:function_calls>"))
    return f"{START} to={to}<|message|>{body}{EOM}"


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"{EOM}{_message(_invoke(name, arguments), to=name)}{START}{ANSWER}"


RUN = _message(_invoke("run", {"a": 1}), to="run")
OUTPUTS = {
    "thought, answer": f"{THOUGHT}Hm.{EOM}{START}{ANSWER}Hello.{EOT}",
    "answer alone": f"{ANSWER}Hello.{EOT}",
    "thought, tool call": f"{THOUGHT}Hm.{EOM}{RUN}",
    "commentary, tool call": f" to=commentary<|message|>I look.{EOM}{RUN}",
    "two invokes": _message(_invoke("run", {"a": 1}), _invoke("bare", {}), to="run"),
    "two tool messages": RUN + _message(_invoke("bare", {}), to="bare"),
    "doubled name": _message(_invoke("run.run", {"a": 1}), to="run.run"),
    "dotted name": _message(_invoke("files.read", {"a": 1}), to="files.read"),
    "two thoughts": f"{THOUGHT}a{EOM}{START}{THOUGHT}b{EOM}{START}{ANSWER}c{EOT}",
    "types": _message(_invoke("get_weather", {
        "city": "12", "days": "7", "limit": "2.0", "metric": "true", "where": '{"lat":1, "x":[]}',
        "tags": '["a","b"]', "maybe": "null", "free": "x y",
    })),
    "blanks in a value": _message(_invoke("run", {"a": " x \n"})),
    "invoke in a thought": f"{THOUGHT}Say {_invoke('run', {})}.{EOM}{START}{ANSWER}No.{EOT}",
    "answer left open": f"{ANSWER}Hello.",
    "thought left open": f"{THOUGHT}Hm.",
    "no messages": "Just text.",
    "developer": f" to=developer<|message|>x{EOM}{START}{ANSWER}Hello.{EOT}",
    "start at the start": f"{START}{ANSWER}Hello.{EOT}",
}  # fmt: skip


def _cases() -> tuple[Case, ...]:
    return tuple({"name": name, "text": text} for name, text in OUTPUTS.items())


FAMILY = Family(
    golden={
        "muse+muse": ("muse", "muse"),
    },
    call=call,
    added=("<|start|>", "<|message|>", EOM, EOT),
    glue="",
    think=(THOUGHT, NEXT_ANSWER),
    lead=ANSWER,
    extra=_cases(),
    markup=(THOUGHT, ANSWER, RUN, '<atem:invoke name="', '<atem:parameter name="', '">',
            "</atem:parameter>", "</atem:invoke>", " to=run"),
    exact=False,
)  # fmt: skip
