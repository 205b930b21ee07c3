"""Jinja's immutable sandbox, where templates run: quicker, and without cycles in its errors."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

# What needs the sandbox's look: all that a mapping has beside its items, and str's formatting.
_OF_DICT = frozenset(dir(dict))
_OF_STR = frozenset(name for name in dir(str) if name[0] != "_") - {"format", "format_map"}


class Sandbox(ImmutableSandboxedEnvironment):
    """The sandbox, but it does not look at what can do no harm, which is half of the time of a
    long chat, and errors keep their own tracebacks.

    Those that Jinja writes instead, for people to read, are cycles: the error and all that the
    frames hold, a request's body too, would stay until Python looks for garbage.
    """

    def getattr(self, obj: Any, attribute: str) -> Any:
        kind = type(obj)
        if kind is dict and attribute not in _OF_DICT:
            try:
                return obj[attribute]
            except KeyError:
                return self.undefined(obj=obj, name=attribute)
        if kind is str and attribute in _OF_STR:
            return getattr(obj, attribute)
        return super().getattr(obj, attribute)

    def handle_exception(self, source: str | None = None) -> NoReturn:
        error = sys.exc_info()[1]
        if isinstance(error, jinja2.TemplateSyntaxError):
            error.translated, error.source = True, source  # its text is the message alone
        raise
