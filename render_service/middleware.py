"""--middleware: the operator's own ASGI wrappers, by import path, as vLLM takes them."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable
from typing import Any

from starlette.middleware.base import BaseHTTPMiddleware
from starlette.types import ASGIApp

from .usage_error import UsageError


def wrapped(app: ASGIApp, paths: Iterable[str]) -> ASGIApp:
    """The last one named is the outermost. A class wraps the application; a coroutine function is
    called as `(request, call_next)`. Raises UsageError."""
    for path in paths:
        found = imported(path)
        is_class = isinstance(found, type)
        app = found(app) if is_class else BaseHTTPMiddleware(app, dispatch=found)
    return app


def imported(path: str) -> Any:
    """The class or coroutine function. Raises UsageError for anything else."""
    module, dot, name = path.rpartition(".")
    if not dot:
        raise UsageError(f"--middleware {path}: expected an import path, as package.module.Name")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"--middleware {path}: {error}") from error
    if not (isinstance(found, type) or inspect.iscoroutinefunction(found)):
        raise UsageError(f"--middleware {path}: neither a class nor a coroutine function")
    return found
