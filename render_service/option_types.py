"""How the text of a flag, an environment variable or a YAML value becomes a setting.

A kind says how many words a flag takes and how one word is read; every reader raises ValueError
with a message that says what was expected. An empty word or `None` unsets, as in vLLM.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

Shape = Literal["one", "many", "repeated", "commas", "switch", "json"]

_DECIMAL = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})

LONGEST = 10**9  # seconds; timers do not take any number


@dataclass(frozen=True, slots=True)
class Kind:
    """shape: `one` word, `many` words, `repeated` with a word each, one word with `commas`, a
    `switch` without a word, or a `json` word."""

    shape: Shape
    read: Callable[[str], Any]
    metavar: str | None = None
    choices: tuple[str, ...] = ()

    def convert(self, value: Any) -> Any:
        """value: text, or what YAML made of it. Raises ValueError."""
        if self.shape == "json":
            return self.read(value if isinstance(value, str) else _dumped(value))
        if self.shape in ("many", "repeated", "commas"):
            return tuple(self.read(unicode(word)) for word in _words(value))
        if isinstance(value, (list, Mapping)):
            raise ValueError("expected one value")
        word = "None" if value is None else str(value)
        return self.read(word if self.metavar == "FILE" else unicode(word))


def _dumped(value: Any) -> str:
    try:
        return json.dumps(value)
    except TypeError as error:  # YAML has dates, sets and bytes
        raise ValueError(str(error)) from None


def _words(value: Any) -> list[str]:
    """A list; or text: a JSON list, else words separated by commas."""
    if isinstance(value, str):
        if value.lstrip().startswith("["):
            return list(string_list(value))
        return [word for word in map(str.strip, value.split(",")) if word]
    if isinstance(value, Mapping):
        raise ValueError("expected a list")
    return [str(word) for word in (value if isinstance(value, list) else [value])]


def unicode(word: str) -> str:
    """The word, unless the shell gave bytes that are no text: no answer could show them."""
    try:
        word.encode()
    except UnicodeEncodeError:
        raise ValueError("expected text in UTF-8") from None
    return word


def text(word: str) -> str | None:
    return None if word in ("", "None") else word


def boolean(word: str) -> bool:
    if word.lower() in _TRUE:
        return True
    if word.lower() in _FALSE:
        return False
    raise ValueError(f"expected true or false, not {word!r}")


def integer(lowest: int | None = None, highest: int | None = None) -> Callable[[str], int]:
    def read(word: str) -> int:
        try:
            number = int(word)
        except ValueError:
            raise ValueError(f"expected an integer, not {word!r}") from None
        if lowest is not None and number < lowest:
            raise ValueError(f"must be at least {lowest}, not {number}")
        if highest is not None and number > highest:
            raise ValueError(f"must be at most {highest}, not {number}")
        return number

    return read


def optional(read: Callable[[str], Any]) -> Callable[[str], Any]:
    return lambda word: None if text(word) is None else read(word)


def seconds(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        raise ValueError(f"expected seconds, not {word!r}") from None
    if not 0 <= number <= LONGEST:
        raise ValueError(f"must be at least 0 seconds and at most {LONGEST}, not {word}")
    return number


def size(word: str, lowest: int = 1) -> int:
    """An integer, or one with a suffix: k, m, g, t are decimal, K, M, G, T binary (vLLM's rule)."""
    match = re.fullmatch(r"(\d{1,18})(\.\d+)?([kKmMgGtT])", word.strip())
    if match is None:
        return integer(lowest)(word)
    whole, fraction, suffix = match.groups()
    if suffix in _DECIMAL:
        return integer(lowest)(str(int(float(whole + (fraction or "")) * _DECIMAL[suffix])))
    if fraction:
        raise ValueError(f"the binary suffix {suffix} takes whole numbers; use {suffix.lower()}")
    return integer(lowest)(str(int(whole) * _BINARY[suffix]))


def size_or_auto(word: str) -> int | None:
    """None for `auto` and -1: as the model's configuration says."""
    return None if word.strip().lower() in ("auto", "-1", "none", "") else size(word)


def choice(*names: str) -> Callable[[str], str]:
    def read(word: str) -> str:
        if word == "False" and "off" in names:
            word = "off"  # which YAML reads as false
        if word not in names:
            raise ValueError(f"expected one of {', '.join(names)}, not {word!r}")
        return word

    return read


def path_prefix(word: str) -> str | None:
    """`/a` for `/a`, `a` and `a/`."""
    name = word.strip("/")
    return None if text(name) is None else f"/{name}"


def _json(word: str) -> Any:
    try:
        value = json.loads(word)
        # Python also reads NaN, numbers out of range and unpaired surrogates, which no answer has.
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except ValueError as error:
        raise ValueError(f"not valid JSON ({error}): {_shortened(word)}") from None
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None
    return value


def json_object(word: str) -> dict[str, Any]:
    value = _json(word)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"expected a JSON object, not {_shortened(word)}")
    return value


def string_list(word: str) -> tuple[str, ...]:
    value = _json(word)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"expected a JSON list of strings, not {_shortened(word)}")
    return tuple(value)


def header_list(pattern: str, what: str) -> Callable[[str], tuple[str, ...]]:
    """Of words that match, as they become part of headers."""

    def read(word: str) -> tuple[str, ...]:
        items = string_list(word)
        for item in items:
            if not re.fullmatch(pattern, item, re.ASCII):
                raise ValueError(f"expected {what}, not {_shortened(item)}")
        return items

    return read


def _shortened(word: str) -> str:
    return repr(word if len(word) <= 80 else word[:77] + "...")


TEXT = Kind("one", text, "TEXT")
FILE = Kind("one", text, "FILE")
TEXTS = Kind("many", str, "TEXT")
REPEATED = Kind("repeated", str, "TEXT")
COMMAS = Kind("commas", str, "TEXT,...")
SWITCH = Kind("switch", boolean)
JSON = Kind("json", json_object, "JSON")
ORIGINS = Kind("json", header_list("[!-~]+", "origins"), "JSON")
HEADER_TOKENS = Kind("json", header_list(r"[\w!#$%&'*+.^`|~-]+", "words of HTTP"), "JSON")
SECONDS = Kind("one", seconds, "SECONDS")
SIZE = Kind("one", size, "SIZE")
SIZE_OR_NONE = Kind("one", partial(size, lowest=0), "SIZE")


def number(lowest: int | None = None, highest: int | None = None) -> Kind:
    return Kind("one", integer(lowest, highest), "N")


def one_of(*names: str) -> Kind:
    return Kind("one", choice(*names), "{" + ",".join(names) + "}", names)


class Option(NamedTuple):
    """One flag. field: of Settings."""

    field: str
    kind: Kind
    help: str

    @property
    def flag(self) -> str:
        return "--" + self.field.replace("_", "-")

    @property
    def variable(self) -> str:
        return "RENDER_" + self.field.upper()


Group = tuple[str, tuple[Option, ...]]
"""Flags under a heading of `--help`."""
