"""Whether text is JSON, or could still become it."""

from __future__ import annotations

import json


def is_json_prefix(text: str) -> bool:
    """Whether some continuation makes the text one JSON value; NaN and infinities are none."""
    if is_json(text):
        return True
    closers, in_string, escaped = "", False, False
    for char in text:
        if in_string:
            in_string = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            in_string = True
        elif char in "{[":
            closers = ("}" if char == "{" else "]") + closers
        elif char in "}]":
            closers = closers[1:]
    ends = ["", "0", '"', '""', '":0', ":0", '"":0', 'u0000"', '\\"', '\\u0000"']
    ends += ['n"', 'n":0', *(f"{'0' * n}{end}" for n in range(1, 5) for end in ('"', '":0'))]
    ends += [word[n:] for word in ("true", "false", "null") for n in range(1, len(word))]
    ends += ["0.0", ".0", "e0"]
    return any(is_json(text + end + closers) for end in ends)


def is_json(text: str) -> bool:
    def refuse(word: str) -> None:
        raise ValueError(word)

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError:
        return False
    return True
