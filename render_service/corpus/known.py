"""Requests of the corpus that this service answers otherwise than vLLM on purpose, and why.

Keys: path of the request, start of its name. docs/differences.md says the same in words.
"""

from __future__ import annotations

from collections.abc import Collection

from .case import CHAT, COMPLETION, DETOKENIZE, MESSAGES, RESPONSES, TOKENIZE

_STRUCTURED = "a dump of Python's dict in vLLM, here the names to choose from"
_NOT_JSON = "vLLM reads NaN, Infinity and unpaired surrogates, which JSON does not have"
_PARTS = "vLLM takes strings and untyped parts in custom roles only, here in all"
_PYTHON = "a Python exception's text in vLLM"
_FAULT = "500 in vLLM"
_BY_TYPE = "refused by its type alone"
_SERVER_TOOL = "tools that no model sees are not looked into"
_FORCED = (
    "text that is not the JSON of a forced call is content; vLLM's names without a structural tag "
    "lose it, or hand it on as arguments"
)
_RAW = {
    "raw 8 ": "vLLM answers without its error shape",
    "raw 9 ": _NOT_JSON,
    "raw 10 ": _NOT_JSON,
    "raw 11 ": _NOT_JSON,
    "raw 13 ": "an integer of 400 digits, which many readers of the answer refuse",
    "raw 14 ": "nesting is bounded",
}

WORDS = {
    (CHAT, "structured"): _STRUCTURED,
    (COMPLETION, "structured"): _STRUCTURED,
    (CHAT, "response_format={'type': 'json_schema'"): _STRUCTURED,
    (COMPLETION, "response_format={'type': 'json_schema'"): _STRUCTURED,
    (CHAT, "messages "): _PYTHON,
    (DETOKENIZE, "detokenize 6"): _PYTHON,
    (RESPONSES, "structured_outputs="): _STRUCTURED,
    (RESPONSES, "picture as output"): _PYTHON,
    (RESPONSES, "namespace bad parameters"): _PYTHON,
    (MESSAGES, "number as "): _PYTHON,
}
"""Only the error's message differs."""

MORE = {
    (CHAT, "stream options null"): "unknown stream options are not passed on",
    (COMPLETION, "stream options null"): "unknown stream options are not passed on",
    (CHAT, "structured_outputs='x'"): _FAULT,
    (COMPLETION, "structured_outputs='x'"): _FAULT,
    (CHAT, "messages 20"): _PARTS,
    (CHAT, "messages 21"): _PARTS,
    (CHAT, "messages 22"): _PARTS,
    (CHAT, "messages 23"): _PARTS,
    (CHAT, "output, thought, then"): _FORCED,
    (CHAT, "output, call in tags, "): _FORCED,
    (TOKENIZE, "chat tools"): "vLLM leaves `reasoning_content` out, unlike its render",
    (RESPONSES, "object as input"): "vLLM reads an object as the list of its keys",
    (RESPONSES, "refusal"): _FAULT,
    (RESPONSES, "nothing said"): _FAULT,
    (RESPONSES, "wrong part said"): "vLLM looks at the parts when it renders them",
    (RESPONSES, "reference with role"): _BY_TYPE,
    (RESPONSES, "more tools"): _BY_TYPE,
    (RESPONSES, "other item without its fields"): _BY_TYPE,
    (RESPONSES, "output of the server"): _FAULT,
    (RESPONSES, "previous_input_messages=[5]"): "vLLM names a class in the path",
    (RESPONSES, "search bad"): _SERVER_TOOL,
    (MESSAGES, "word as source"): _FAULT,
    **{
        (path, name): reason
        for path in (CHAT, COMPLETION, TOKENIZE, DETOKENIZE)
        for name, reason in _RAW.items()
    },
}


def reason(path: str, name: str, fields: Collection[str] = ()) -> str | None:
    """Why this request's answer differs from vLLM's; None where it is to be equal.

    fields: those that differ. A reason of WORDS is one for the error's message alone.
    """
    tables = (MORE, WORDS) if set(fields) <= {"error.message"} else (MORE,)
    return next(
        (
            why
            for table in tables
            for (at, start), why in table.items()
            if at == path and name.startswith(start)
        ),
        None,
    )
