"""GigaChat 3: a call in a message of its own, or behind a token."""

from __future__ import annotations

from typing import Any

from ..odd_json import item, objects
from . import Family

OPEN = "<|function_call|>"
SEP, ROLE = "<|message_sep|>", "function call<|role_sep|>\n"


def call(name: str, arguments: dict[str, Any]) -> str:
    return OPEN + item(name, arguments)


_CALL = item("run", {"a": 1})
FAMILY = Family(
    golden={"gigachat3": ("gigachat3", None)},
    call=call,
    added=(OPEN, SEP, "<|role_sep|>", "</s>"),
    odd=objects(OPEN, "")
    | {
        "message of its own": f"Let me see.{SEP}\n\n{ROLE}{_CALL}",
        "message of its own, alone": ROLE + _CALL,
        "message of its own, end": f"Well.{SEP}\n\n{ROLE}{_CALL}</s>",
        "end of sentence": f"{OPEN}{_CALL}</s>\n",
        "text, end of sentence": "Hello there.</s>",
        "text, separator": f"Hello there.{SEP}",
        "text, separator, text": f"Hello{SEP} there.",
        "words function call": "A function call is a call of a function.",
        "words function call at the end": "This is a function call",
        "role and prose": ROLE + "no.",
        "text before, end inside": "One</s> two",
    },
    markup=(SEP, ROLE, "function call", "</s>"),
)
