"""One JSON value, read as it comes and written again as Python's `json` would write it.

vLLM's whole answers carry `json.dumps(json.loads(text), ensure_ascii=False)`: ", " and ": ",
numbers and escapes in Python's form. This does the same without waiting for the end; only a
number, a literal or an escape that may go on is held back. What one pass cannot know stays as
written: a repeated key. What would not be JSON is mended: a raw control character in a string
is escaped, a comma before a closing bracket is dropped, NaN and infinities become null, a number
too large for a float and half of a surrogate pair keep their spelling.

Verbatim, all is written as it is read, but for raw control characters, NaN and infinities; a
comma before a closing bracket is an error then, as it was written already.
"""

from __future__ import annotations

import json
import re

from .limits import MAX_DEPTH, MAX_WORD
from .snapshot import Malformed, texts
from .value_stream import ValueStream

# What comes next. A string is VALUE_TEXT or KEY_TEXT, a number or literal is WORD.
START, VALUE_TEXT, KEY_TEXT, WORD, COLON, VALUE, AFTER, DONE = (
    "^",
    "s",
    "k",
    "w",
    ":",
    "v",
    ",",
    ".",
)
FIRST_KEY, NEXT_KEY, FIRST_VALUE, NEXT_VALUE = "{", "}", "[", "]"
_STATES = frozenset("^skw:v,.{}[]")
_CLOSABLE = frozenset((AFTER, FIRST_KEY, NEXT_KEY, FIRST_VALUE, NEXT_VALUE))
# The container that a state is in, where it is known.
_INSIDE = dict.fromkeys((FIRST_KEY, NEXT_KEY, KEY_TEXT, COLON, VALUE), "{")
_INSIDE |= dict.fromkeys((FIRST_VALUE, NEXT_VALUE), "[")

_SPACE = re.compile(r"[ \t\n\r]*")
# Text of a string that is written as it is read, simple escapes included.
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*+(?:\\["\\bfnrt][^"\\\x00-\x1f]*+)*+')
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
_UNFINISHED_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_WORD = re.compile(r"[-+.0-9A-Za-z]*")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)\Z")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\Z")
_UNFINISHED_NUMBER = re.compile(
    r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*|(?:\.[0-9]+)?(?:[eE][-+]?[0-9]*)?)?)?\Z"
)
_LITERALS = {"true": "true", "false": "false", "null": "null"} | dict.fromkeys(
    ("NaN", "Infinity", "-Infinity"), "null"
)
_LONGEST_LITERAL = max(map(len, _LITERALS))


class JsonError(ValueError):
    """The text is no JSON; `rest` is what is left of it from where it stops being it."""

    def __init__(self, rest: str) -> None:
        super().__init__("not JSON")
        self.rest = rest


# Not `json.dumps`, which makes an encoder for each text: a tenth of the time of a call body.
_encode = json.JSONEncoder(ensure_ascii=False).encode


def dumps(value: object) -> str:
    """JSON as vLLM writes it; escaped where a lone surrogate could not be sent as UTF-8."""
    text = _encode(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


def escape(text: str) -> str:
    """The text as the inside of a JSON string."""
    return _encode(text)[1:-1]


class JsonStream(ValueStream):
    """Resumable reader of one value. `state` is what comes next, DONE at the end.

    A number or literal at top level is only DONE with the character after it.
    """

    __slots__ = ("stack", "state", "verbatim")

    def __init__(
        self, state: str = START, stack: str = "", pending: str = "", *, verbatim: bool = False
    ) -> None:
        self.verbatim = verbatim
        self.state = state
        self.stack = stack  # the open containers, "{" and "["
        self.pending = pending  # a WORD or an escape that may go on

    def _read(self, text: str, at: int, out: list[str]) -> int:
        end = len(text)
        while at < end and self.state != DONE:
            if self.state == VALUE_TEXT or self.state == KEY_TEXT:
                at = self._string(text, at, out)
            elif self.state == WORD:
                at = self._word(text, at, out)
            else:
                start = at
                at = _SPACE.match(text, at).end()  # type: ignore[union-attr]  # matches anything
                if self.verbatim and self.state != START:
                    out.append(text[start:at])
                if at < end:
                    self._structure(text, at, out)
                    at += self.state != WORD
        return at

    def finish(self, out: list[str]) -> None:
        """The text ends here: what was held back is written if it can begin a JSON value."""
        held, self.pending = self.pending, ""
        if self.state == WORD:
            if _UNFINISHED_NUMBER.match(held) or any(
                word.startswith(held) for word in _LITERALS.values()
            ):
                out.append(held)
        elif held:
            out.append(held[:6])  # of two halves of a surrogate pair, the whole one

    def _structure(self, text: str, at: int, out: list[str]) -> None:
        state, char = self.state, text[at]
        if state in (START, VALUE) or (state in (FIRST_VALUE, NEXT_VALUE) and char != "]"):
            self._value(text, at, out)
        elif state == AFTER and char == ",":
            self.state = NEXT_KEY if self.stack[-1] == "{" else NEXT_VALUE
            if self.verbatim:
                out.append(",")
        elif state == COLON and char == ":":
            out.append(":" if self.verbatim else ": ")
            self.state = VALUE
        elif state in (FIRST_KEY, NEXT_KEY) and char == '"':
            out.append('"' if state == FIRST_KEY or self.verbatim else ', "')
            self.state = KEY_TEXT
        elif self._closable() and char == ("}" if self.stack[-1] == "{" else "]"):
            out.append(char)
            self.stack = self.stack[:-1]
            self._ended()
        else:
            raise JsonError(text[at:])

    def _closable(self) -> bool:
        late = self.state in (NEXT_KEY, NEXT_VALUE)
        return self.state in _CLOSABLE and not (late and self.verbatim)

    def _value(self, text: str, at: int, out: list[str]) -> None:
        char = text[at]
        if self.state == NEXT_VALUE and not self.verbatim:
            out.append(", ")
        if char == '"':
            self.state = VALUE_TEXT
        elif char in "{[" and len(self.stack) < MAX_DEPTH:
            self.stack += char
            self.state = FIRST_KEY if char == "{" else FIRST_VALUE
        elif char == "-" or (char.isalnum() and char.isascii()):
            self.state = WORD
            return
        else:
            raise JsonError(text[at:])
        out.append(char)

    def _ended(self) -> None:
        self.state = AFTER if self.stack else DONE

    def _word(self, text: str, at: int, out: list[str]) -> int:
        end = _WORD.match(text, at).end()  # type: ignore[union-attr]  # matches anything
        word = text[at:end]
        if len(word) > (_LONGEST_LITERAL if word[0].isalpha() else MAX_WORD):
            raise JsonError(text[at:])
        if end == len(text):
            self.pending = word
            return end
        if word not in _LITERALS and not _NUMBER.match(word):
            raise JsonError(text[at:])
        out.append(word if self.verbatim and word not in _LITERALS else _written(word))
        self._ended()
        return end

    def _string(self, text: str, at: int, out: list[str]) -> int:
        end = _PLAIN.match(text, at).end()  # type: ignore[union-attr]  # matches anything
        if end > at:
            out.append(text[at:end])
        if end == len(text):
            return end
        char = text[end]
        if char == "\\":
            return self._escape(text, end, out)
        if char != '"':
            out.append(escape(char))
        else:
            out.append(char)
            if self.state == KEY_TEXT:
                self.state = COLON
            else:
                self._ended()
        return end + 1

    def _escape(self, text: str, at: int, out: list[str]) -> int:
        """Read one escape, or the two of a surrogate pair."""
        match = _ESCAPE.match(text, at)
        if match is None:
            if _UNFINISHED_ESCAPE.match(text, at):
                self.pending = text[at:]
                return len(text)
            raise JsonError(text[at:])
        end, code = match.end(), match.group()[2:].lower()
        if "d800" <= code < "dc00":
            second = _ESCAPE.match(text, end)
            if second is None and (end == len(text) or _UNFINISHED_ESCAPE.match(text, end)):
                self.pending = text[at:]
                return len(text)
            if second and "dc00" <= second.group()[2:].lower() < "e000":
                end = second.end()
        escaped = text[at:end]
        char = json.loads(f'"{escaped}"')
        kept = self.verbatim or "\ud800" <= char <= "\udfff"
        out.append(escaped if kept else escape(char))
        return end

    def snapshot(self) -> list[str]:
        return [self.state, self.stack, self.pending]

    @classmethod
    def resume(cls, saved: object, *, verbatim: bool = False) -> JsonStream:
        state, stack, pending = texts(saved, 3)
        if state not in _STATES or stack.strip("{[") or len(stack) > MAX_DEPTH:
            raise Malformed
        if not stack.endswith(_INSIDE.get(state, "")) or (state == AFTER and not stack):
            raise Malformed
        return cls(state, stack, pending, verbatim=verbatim)


def _written(word: str) -> str:
    """A whole number or literal as Python writes it."""
    if word in _LITERALS:
        return _LITERALS[word]
    if _INTEGER.match(word):
        return str(int(word))
    value = repr(float(word))
    return word if "inf" in value else value
