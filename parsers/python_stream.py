"""One Python literal, read as it comes and written as the JSON of its value.

What vLLM's `ast`-based parsers take: strings of every kind but bytes, numbers, True, None and
their JSON spellings, lists, dicts, and tuples and sets as lists. Only what may go on is held
back: a word, an escape, a quote, and after `(` or `{` the first item, until it shows which
bracket that is. More than Python allows: raw control characters and nested quotes in strings
(a quote closes only where one of `,)]}:` follows), and numbers with leading zeros.
"""

from __future__ import annotations

import re

from .json_stream import JsonError, escape
from .limits import MAX_DEPTH, MAX_SPACE, MAX_WORD
from .python_words import as_json, unescaped
from .snapshot import Malformed, items, texts
from .value_stream import ValueStream

MAX_ESCAPE = 100

# What comes next. LIST and the others below are the open containers.
VALUE, FIRST, NEXT, AFTER, COLON, WORD, OPENING, STRING, CLOSING, DONE = "vfna:wosq."
LIST, PAREN, TUPLE, BRACE, DICT, SET = "[(t{ds"
_CONTAINERS = {"[": LIST, "(": PAREN, "{": BRACE}
_CLOSES = {"]": LIST, ")": PAREN + TUPLE, "}": BRACE + DICT + SET}
_UNDECIDED = (PAREN, BRACE)
_QUOTES = ("'", '"', "'''", '"""')

_SPACE = re.compile(r"\s*")
_WORD = re.compile(r"[-+.\w]*")
_PREFIXES = frozenset(("r", "f", "u", "rf", "fr"))
_PLAIN = {
    (quote, form): re.compile(rf"[^{quote}\\{'{}' if form else ''}]+")
    for quote in "'\""
    for form in (False, True)
}
_ESCAPE = re.compile(
    r"\\(?:[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^{}]{1,90}\}|.)",
    re.DOTALL,
)
_UNFINISHED = re.compile(
    r"\\(?:[0-7]{0,2}|x[0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|N(?:\{[^{}]{0,90})?)?\Z"
)


class PythonStream(ValueStream):
    """Resumable reader of one value; `state` is DONE at its end, a word's with the next character.

    held: JSON of the first items of the brackets that are still undecided, from the outermost.
    """

    __slots__ = ("held", "key", "prefix", "quote", "stack", "state")

    def __init__(self) -> None:
        self.state = VALUE
        self.stack = ""
        self.held: list[str] = []
        self.pending = ""  # a word, an escape, or quotes that may go on
        self.quote = ""  # what closes the string, one quote or three
        self.prefix = ""  # of the string: some of r, f, u
        self.key = False  # what is being read is a key of a dict

    def _read(self, text: str, at: int, out: list[str]) -> int:
        end = len(text)
        while at < end and self.state != DONE:
            if self.state == STRING:
                at = self._string(text, at, out)
            elif self.state == WORD:
                at = self._word(text, at, out)
            elif self.state == OPENING:
                at = self._opening(text, at)
            elif self.state == CLOSING:
                at = self._closing(text, at, out)
            else:
                at = _SPACE.match(text, at).end()  # type: ignore[union-attr]  # matches anything
                if at < end:
                    self._structure(text, at, out)
                    at += self.state not in (WORD, OPENING)
        return at

    def finish(self, out: list[str]) -> None:
        """The text ends here: a whole word that was held back is written."""
        held, self.pending = self.pending, ""
        if self.state == WORD and not self.stack and (written := as_json(held)):
            out.append(written)

    def _write(self, text: str, out: list[str]) -> None:
        if self.held:
            self.held[-1] += text
        else:
            out.append(text)

    # Structure

    def _structure(self, text: str, at: int, out: list[str]) -> None:
        char, state = text[at], self.state
        if char in _CLOSES and state in (FIRST, NEXT, AFTER):
            self._close(text, at, out)
        elif state == AFTER and char in ",:":
            self._separator(text, at, out)
        elif state == COLON and char == ":":
            self._write(": ", out)
            self.state = VALUE
        elif state in (VALUE, FIRST, NEXT):
            self._value(text, at, out)
        else:
            raise JsonError(text[at:])

    def _separator(self, text: str, at: int, out: list[str]) -> None:
        """A comma or colon behind an item, which decides what its bracket is."""
        char, top = text[at], self.stack[-1]
        if top in _UNDECIDED:
            first = self.held.pop()
            if char == ",":
                self._write("[" + first, out)
                self.stack = self.stack[:-1] + (TUPLE if top == PAREN else SET)
            elif top == BRACE and first[0] not in "[{":
                self._write("{" + (first if first[0] == '"' else f'"{first}"') + ": ", out)
                self.stack = self.stack[:-1] + DICT
            else:
                raise JsonError(text[at:])
        elif char == ":":
            raise JsonError(text[at:])
        self.state = NEXT if char == "," else VALUE

    def _close(self, text: str, at: int, out: list[str]) -> None:
        char, top = text[at], self.stack[-1]
        if top not in _CLOSES[char]:
            raise JsonError(text[at:])
        self.stack = self.stack[:-1]
        if top in _UNDECIDED:
            first = self.held.pop()
            if self.state == FIRST:
                first = "[]" if top == PAREN else "{}"
            elif top == BRACE:
                first = f"[{first}]"
            self._write(first, out)
        else:
            self._write("}" if top == DICT else "]", out)
        self._ended()

    def _value(self, text: str, at: int, out: list[str]) -> None:
        char = text[at]
        self.key = self.state == NEXT and self.stack[-1] == DICT
        comma = ", " if self.state == NEXT else ""
        if char in "'\"":
            self._write(comma + '"', out)
            self.state, self.prefix = OPENING, ""
        elif char in _CONTAINERS and len(self.stack) < MAX_DEPTH and not self.key:
            top = _CONTAINERS[char]
            self._write(comma + ("[" if top == LIST else ""), out)
            self.stack += top
            self.state = FIRST
            if top in _UNDECIDED:
                self.held.append("")
        elif char in "-+." or char.isalnum():
            self._write(comma, out)
            self.state = WORD
        else:
            raise JsonError(text[at:])

    def _ended(self) -> None:
        self.state = COLON if self.key else AFTER if self.stack else DONE
        self.key = False

    # Words

    def _word(self, text: str, at: int, out: list[str]) -> int:
        end = _WORD.match(text, at).end()  # type: ignore[union-attr]  # matches anything
        word = text[at:end]
        if len(word) > MAX_WORD:
            raise JsonError(text[at:])
        if end == len(text):
            self.pending = word
        elif text[end] in "'\"" and word.lower() in _PREFIXES:
            self._write('"', out)
            self.state, self.prefix = OPENING, word.lower()
        else:
            written = as_json(word)
            if not written:
                raise JsonError(text[at:])
            self._write(f'"{written}"' if self.key else written, out)
            self._ended()
        return end

    # Strings

    def _opening(self, text: str, at: int) -> int:
        """The opening quotes: one, or three, or two that are the empty string."""
        quote = text[at]
        run = text[at : at + 3]
        if len(run) < 3 and not run.strip(quote):
            self.pending = run
            return len(text)
        if run == quote * 3:
            self.quote, self.state = run, STRING
            return at + 3
        self.quote, self.state = quote, STRING
        return at + 1

    def _string(self, text: str, at: int, out: list[str]) -> int:
        quote = self.quote[0]
        plain = _PLAIN[quote, "f" in self.prefix].match(text, at)
        if plain:
            self._write(escape(plain.group()), out)
            return plain.end()
        char = text[at]
        if char == "\\":
            return self._escape(text, at, out)
        if char != quote:
            return self._brace(text, at, out)
        if text.startswith(self.quote, at):
            self.state = CLOSING
            self.pending = self.quote if at + len(self.quote) == len(text) else ""
            return at + len(self.quote) if self.pending else at
        if not text[at:].strip(quote):
            self.pending = text[at:]
            return len(text)
        self._write(escape(char), out)
        return at + 1

    def _closing(self, text: str, at: int, out: list[str]) -> int:
        """A closing quote and white space: what follows tells whether the string ends."""
        close = at + len(self.quote)
        end = _SPACE.match(text, close).end()  # type: ignore[union-attr]  # matches anything
        if end == len(text) and end - close <= MAX_SPACE:
            self.pending = text[at:]
        elif end < len(text) and text[end] in ",)]}:":
            self._write('"', out)
            self._ended()
        elif end < len(text) and text[end] in "'\"" and end - close <= MAX_SPACE:
            self.state, self.prefix = OPENING, ""  # strings side by side are one
        else:
            self._write(escape(text[at:end]), out)
            self.state = STRING
        return end

    def _brace(self, text: str, at: int, out: list[str]) -> int:
        """A brace in an f-string, which is text only twice."""
        twice = text[at : at + 2]
        if len(twice) == 1:
            self.pending = twice
            return len(text)
        if twice != text[at] * 2:
            raise JsonError(text[at:])
        self._write(text[at], out)
        return at + 2

    def _escape(self, text: str, at: int, out: list[str]) -> int:
        if "r" in self.prefix:
            if at + 1 == len(text):
                self.pending = "\\"
                return len(text)
            self._write(escape(text[at : at + 2]), out)
            return at + 2
        if len(text) - at < MAX_ESCAPE and _UNFINISHED.match(text, at):
            self.pending = text[at:]
            return len(text)
        match = _ESCAPE.match(text, at)
        assert match  # a backslash with a character behind it
        char = unescaped(match.group())
        lone = len(char) == 1 and "\ud800" <= char <= "\udfff"
        self._write(f"\\u{ord(char):04x}" if lone else escape(char), out)
        return match.end()

    def snapshot(self) -> list[object]:
        rest = [self.state, self.stack, self.pending, self.quote, self.prefix]
        return [*rest, int(self.key), self.held]

    @classmethod
    def resume(cls, saved: object) -> PythonStream:
        *rest, key, held = items(saved, 7)
        reader = cls()
        state, reader.stack, reader.pending, reader.quote, reader.prefix = texts(rest, 5)
        if not isinstance(held, list):
            raise Malformed
        reader.state, reader.key, reader.held = state, bool(key), texts(held, len(held))
        undecided = sum(map(reader.stack.count, _UNDECIDED))
        if len(state) != 1 or state not in "vfna:wosq." or undecided != len(reader.held):
            raise Malformed
        if reader.stack.strip("[(t{ds") or len(reader.stack) > MAX_DEPTH:
            raise Malformed
        if state in (FIRST, NEXT, AFTER, COLON) and not reader.stack:
            raise Malformed
        if reader.quote not in _QUOTES and (reader.quote or state in (STRING, CLOSING)):
            raise Malformed
        return reader
