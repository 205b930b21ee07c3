"""Jinja's immutable sandbox, where templates run: quicker, and without cycles in its errors."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import jinja2
from jinja2 import utils
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment

from .template_code import OF_DICT, OF_LOOP, OF_STR, ShortCuts

_ATTRIBUTES = "_Namespace__attrs"
_of = object.__getattribute__


class Namespace(utils.Namespace):
    """Jinja's, which asks itself for its attributes, three calls each time."""

    __module__ = utils.Namespace.__module__  # in the texts of errors

    def __setitem__(self, name: str, value: Any) -> None:
        _of(self, _ATTRIBUTES)[name] = value


class Sandbox(ImmutableSandboxedEnvironment):
    """The sandbox, but it does not look at what can do no harm, which is half of the time of a
    long chat, and errors keep their own tracebacks.

    Those that Jinja writes instead, for people to read, are cycles: the error and all that the
    frames hold, a request's body too, would stay until Python looks for garbage.
    """

    code_generator_class = ShortCuts

    def getattr(self, obj: Any, attribute: str) -> Any:
        kind = type(obj)
        if kind is dict and attribute not in OF_DICT:
            try:
                return obj[attribute]
            except KeyError:
                return self.undefined(obj=obj, name=attribute)
        if (kind is str and attribute in OF_STR) or (kind is LoopContext and attribute in OF_LOOP):
            return getattr(obj, attribute)
        if kind is Namespace and attribute[0] != "_":
            try:
                return _of(obj, _ATTRIBUTES)[attribute]
            except KeyError:
                return self.undefined(obj=obj, name=attribute)
        return super().getattr(obj, attribute)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        if obj is utils.Namespace:
            kwargs.pop("_loop_vars", None)
            kwargs.pop("_block_vars", None)
            return Namespace(*args, **kwargs)
        return super().call(context, obj, *args, **kwargs)

    def handle_exception(self, source: str | None = None) -> NoReturn:
        error = sys.exc_info()[1]
        if isinstance(error, jinja2.TemplateSyntaxError):
            error.translated, error.source = True, source  # its text is the message alone
        raise
