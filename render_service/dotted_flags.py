"""`--json-flag.key.key value`: vLLM's way to write a JSON flag without quoting JSON.

All of one flag's keys become one JSON object, which is put at the end. `.key+ a,b` adds to a list.
A key is never empty. A value is JSON if it reads as such, a number with a suffix (80g), or text.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from .option_types import size


def fold(words: Sequence[str], flags: Collection[str]) -> list[str]:
    """words: the command line. flags: those that take JSON; other words stay as they are."""
    rest: list[str] = []
    objects: dict[str, dict[str, Any]] = {}
    remaining = iter(words)
    for word in remaining:
        name, equals, value = word.partition("=")
        flag, dot, path = name.partition(".")
        if not dot or flag not in flags or "" in path.removesuffix("+").split("."):
            rest.append(word)
            continue
        if not equals:
            following = next(remaining, None)
            if following is None:
                rest.append(flag)  # argparse says that it lacks a value
                continue
            value = following
        _add(objects.setdefault(flag, {}), path, value)
    for flag, value_of in objects.items():
        rest += [flag, json.dumps(value_of)]
    return rest


def _add(target: dict[str, Any], path: str, word: str) -> None:
    value = word.split(",") if path.endswith("+") else _value(word)
    *parents, key = path.removesuffix("+").split(".")
    for parent in parents:
        below = target.get(parent)
        if not isinstance(below, dict):
            below = target[parent] = {}
        target = below
    present = target.get(key)
    if isinstance(present, list) and isinstance(value, list):
        present += value
    elif isinstance(present, dict) and isinstance(value, dict):
        present.update(value)
    else:
        target[key] = value


def _value(word: str) -> Any:
    try:
        return json.loads(word)
    except (ValueError, RecursionError):
        pass
    try:
        return size(word)
    except ValueError:
        return word
