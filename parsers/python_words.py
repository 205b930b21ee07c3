"""Words and escapes of Python, as JSON or as text."""

from __future__ import annotations

import re
import unicodedata

from .json_stream import dumps

_NUMBER = re.compile(r"[-+]*(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9_]+)?\Z")
_BASED = re.compile(r"[-+]*0[xXoObB][0-9a-fA-F_]+\Z")
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\Z")
_LITERALS = {"True": "true", "False": "false", "None": "null"}
_LITERALS |= {"true": "true", "false": "false", "null": "null"}
_SIMPLE = {"\n": "", "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_SIMPLE |= {char: char for char in "\\'\""}


def unescaped(spelt: str) -> str:
    """What an escape stands for; one that Python refuses stays as written."""
    kind, rest = spelt[1], spelt[2:]
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if kind in "01234567":
        return chr(int(spelt[1:], 8))
    try:
        if kind in "xuU" and rest:
            return chr(int(rest, 16))
        if kind == "N" and rest:
            return unicodedata.lookup(rest[1:-1])
    except (ValueError, OverflowError, KeyError):
        pass
    return spelt


def as_json(word: str) -> str:
    """A whole number or literal as JSON; "" where it is none."""
    if word in _LITERALS:
        return _LITERALS[word]
    digits = word.lstrip("-+")
    sign = "-" if word[: len(word) - len(digits)].count("-") % 2 else ""
    try:
        if _BASED.match(word):
            return sign * (int(digits, 0) != 0) + str(int(digits, 0))
        if not _NUMBER.match(word):
            return ""
        if digits.replace("_", "").isdigit():
            return str(int(sign + digits))
        value = dumps(float(sign + digits))
    except ValueError:
        return ""
    if "Inf" not in value:
        return value
    return word if _JSON_NUMBER.match(word) else "null"
