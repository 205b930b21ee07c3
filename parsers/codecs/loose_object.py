"""A call as a name and an object with bare keys: `f{city:<|"|>Paris<|"|>,days:2}` (Gemma).

Strings stand between two marks, all other values are bare and may nest. None has a type of its
own: it follows the tool's schema, or is JSON where it looks like it (`Typed`). A string that
keeps its type streams, any other value waits for its end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from ..context import Context
from ..json_stream import dumps, escape
from ..limits import MAX_HEAD, MAX_LEVELS, MAX_NAME
from ..needs import Reads
from ..policy import Policy
from ..regions import BROKEN, DONE
from ..scanner import overlap
from ..schema import coerce, is_text
from ..snapshot import Malformed, count, items, texts
from .base import Codec, Decoder

KEY, VALUE, STRING, BARE = "kvsb"
"""What comes: a key or the end of an object; a value, of an array also its end; their text."""

_SKIPPED = " ,\n\t"
_BLANKS = " \n\t"
_CLOSES = {"{": "}", "(": ")", "[": "]"}
_BARE_ENDS = {"{": re.compile("[],}]"), "(": re.compile("[],)}]"), "[": re.compile("[],]")}
_JSON_FIRST = '{["-0123456789tfn'


class Typed(Enum):
    """What gives a value its type."""

    SCHEMA = auto()
    """Its schema (see `schema.py`), at any depth; without one it is a string."""
    JSON = auto()
    """It is JSON, else a string."""


@dataclass(frozen=True, slots=True)
class LooseObject(Codec):
    """mark: what stands on both sides of a string."""

    mark: str
    typed: Typed = Typed.SCHEMA
    reads = Reads.TYPES

    def start(self, context: Context) -> Decoder:
        return LooseDecoder(self, context)

    def resume(self, saved: object, context: Context) -> Decoder:
        decoder = LooseDecoder(self, context)
        phase, name, stack, held, value, keys, counts, written, streams = items(saved, 9)
        decoder.phase, decoder.name, decoder.stack = texts([phase, name, stack], 3)
        decoder.held, decoder.kept = texts([held, value], 2)
        decoder.written, decoder.streams = bool(written), bool(streams)
        if not isinstance(keys, list) or not isinstance(counts, list):
            raise Malformed
        decoder.keys, decoder.counts = texts(keys, len(keys)), [count(n) for n in counts]
        if phase not in (KEY, VALUE, STRING, BARE) or stack.strip("{[("):
            raise Malformed
        if not len(stack) == len(keys) == len(counts) <= MAX_LEVELS or (not stack and phase != KEY):
            raise Malformed
        return decoder


class LooseDecoder(Decoder):
    """keys: of each open container the key being read, where it is still wanted, else "".
    counts: 1 where anything is written in it.
    """

    __slots__ = (
        "codec", "context", "counts", "held", "kept", "keys", "name", "phase", "stack", "streams",
        "written",
    )  # fmt: skip

    def __init__(self, codec: LooseObject, context: Context) -> None:
        self.codec = codec
        self.context = context
        self.raw = ""
        self.name = ""
        self.phase = KEY
        self.stack = ""
        self.keys: list[str] = []
        self.counts: list[int] = []
        self.held = ""  # text that is read again: a name, a key, the beginning of a mark
        self.kept = ""  # the value so far, unless it streams
        self.written = False  # the string being read has begun in the arguments
        self.streams = False  # the string being read keeps its type

    def capture(self, text: str) -> int:
        taken = min(len(text), MAX_NAME - len(self.held))
        self.held += text[:taken]
        return taken

    def call(self, out: Policy) -> bool:
        self.name, self.held = self.held.strip(), ""
        if self.name:
            out.call(self.name)
        return bool(self.name)

    def body(self, text: str, out: Policy) -> tuple[str, str] | None:
        text, self.held = self.held + text, ""
        at = 0
        if not self.stack:
            if text[0] not in _CLOSES:  # after a state that a client altered
                return BROKEN, text
            self._open(text[0], out)
            at = 1
        while at < len(text) and self.stack:
            at = self._read(text, at, out)
            if at < 0:
                return BROKEN, text[~at:]
        return None if self.stack else (DONE, text[at:])

    def _read(self, text: str, at: int, out: Policy) -> int:
        """Read some of the text; where it stopped, or ~ of where it cannot go on."""
        if self.phase == STRING:
            return self._string(text, at, out)
        if self.phase == BARE:
            return self._bare(text, at, out)
        in_array = self.stack[-1] == "["
        skipped = _SKIPPED if self.phase == KEY or in_array else _BLANKS
        at += len(text) - at - len(text[at:].lstrip(skipped)) if text[at] in skipped else 0
        if at == len(text):
            return at
        if self.phase == KEY:
            return self._key(text, at, out)
        if in_array and text[at] == "]":
            return self._close(at, out)
        return self._value(text, at, out)

    def _key(self, text: str, at: int, out: Policy) -> int:
        if text[at] == _CLOSES[self.stack[-1]]:
            return self._close(at, out)
        if text[at] == "]":
            return ~at
        end = text.find(":", at, at + MAX_HEAD)
        if end < 0:
            if len(text) - at > MAX_HEAD:
                return ~at
            self.held = text[at:]
            return len(text)
        mark = self.codec.mark
        key = text[at:end].strip()
        if len(key) >= 2 * len(mark) and key.startswith(mark) and key.endswith(mark):
            key = key[len(mark) : -len(mark)]
        self.keys[-1], self.phase = key, VALUE
        return end + 1

    def _value(self, text: str, at: int, out: Policy) -> int:
        char, mark = text[at], self.codec.mark
        if char in "{[":
            if len(self.stack) == MAX_LEVELS:
                return ~at
            self._open(char, out)
            return at + 1
        if text.startswith(mark, at):
            schema = self._schema()
            self.phase, self.written = STRING, False
            self.streams = self.codec.typed is Typed.SCHEMA and (
                not isinstance(schema, Mapping) or is_text(schema)
            )
            return at + len(mark)
        if mark.startswith(text[at:]):
            self.held = text[at:]
            return len(text)
        self.phase = BARE
        return at

    def _string(self, text: str, at: int, out: Policy) -> int:
        mark = self.codec.mark
        end = text.find(mark, at)
        whole = end >= 0
        if not whole:
            end = len(text) - overlap(text, mark, at)
        self.kept += text[at:end]
        if not self.written and self._may_stream():
            self._begin(out)
            out.arguments('"')
            self.written = True
        if self.written:
            out.arguments(escape(self.kept))
            self.kept = ""
        if whole:
            self._ended(out)
            return end + len(mark)
        self.held = text[end:]
        return len(text)

    def _may_stream(self) -> bool:
        """Whether the string that begins like this stays one."""
        if self.codec.typed is Typed.SCHEMA:
            return self.streams and bool(self.kept)
        start = self.kept[:MAX_HEAD].lstrip(" \t\n\r")
        return bool(start) and start[0] not in _JSON_FIRST

    def _bare(self, text: str, at: int, out: Policy) -> int:
        found = _BARE_ENDS[self.stack[-1]].search(text, at)
        end = found.start() if found else len(text)
        self.kept += text[at:end]
        if found:
            self._ended(out)
        return end

    # Writing

    def _schema(self) -> Any:
        """The schema of the value being read, None where there is none."""
        schema: Any = {"properties": self.context.properties(self.name)}
        for container, key in zip(self.stack, self.keys, strict=True):
            if not isinstance(schema, Mapping):
                return None
            inner = schema.get("items" if container == "[" else "properties")
            if container != "[":
                inner = inner.get(key) if isinstance(inner, Mapping) else None
            schema = inner
        return schema

    def _write(self, value: str, out: Policy) -> None:
        """A whole value with its type."""
        if self.codec.typed is Typed.JSON:
            typed = coerce(value, {"type": "object"})
        else:
            schema = self._schema()
            typed = coerce(value, schema) if isinstance(schema, Mapping) else value
        self._begin(out)
        out.arguments(dumps(typed))

    def _begin(self, out: Policy) -> None:
        """What stands before a value."""
        if not self.stack:
            return
        comma = ", " if self.counts[-1] else ""
        out.arguments(comma + (f"{dumps(self.keys[-1])}: " if self.stack[-1] != "[" else ""))
        self.counts[-1] = 1

    def _ended(self, out: Policy) -> None:
        """The string or bare value being read is whole."""
        if self.written:
            out.arguments('"')
        else:
            self._write(self.kept.strip() if self.phase == BARE else self.kept, out)
        self.kept, self.written = "", False
        self._next()

    def _next(self) -> None:
        self.phase = VALUE if self.stack[-1:] == "[" else KEY
        self.keys[-1:] = [""] * bool(self.keys)

    def _open(self, char: str, out: Policy) -> None:
        self._begin(out)
        if self.keys and (self.codec.typed is Typed.JSON or self._schema() is None):
            self.keys[-1] = ""  # nothing inside depends on it
        out.arguments("[" if char == "[" else "{")
        self.stack += char
        self.keys.append("")
        self.counts.append(0)
        self._next()

    def _close(self, at: int, out: Policy) -> int:
        out.arguments("]" if self.stack[-1] == "[" else "}")
        self.stack = self.stack[:-1]
        self.keys.pop()
        self.counts.pop()
        self._next()
        return at + 1

    def call_end(self, out: Policy) -> None:
        """The call ends where its object may still be open."""
        if self.phase in (STRING, BARE):
            self.kept += self.held
            if self.written:
                out.arguments(escape(self.kept))
            self._ended(out)
        if not self.stack and self.name:
            out.arguments("{}")
        while self.stack:
            self._close(0, out)

    def finish(self, out: Policy) -> bool:
        """Between values the object is complete; a string that was cut short stays open."""
        if self.phase in (KEY, VALUE):
            self.call_end(out)
        elif self.phase == BARE:
            self._ended(out)
        return True

    def snapshot(self) -> list[Any]:
        rest = [self.keys, self.counts, int(self.written), int(self.streams)]
        return [self.phase, self.name, self.stack, self.held, self.kept, *rest]
