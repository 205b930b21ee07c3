"""Where log lines go: events to stderr, one access line an answer to stdout, as uvicorn's.

With --log-format json that holds for the lines of every library, whatever handlers it brings.
"""

from __future__ import annotations

import copy
import logging
import logging.config
import os
import sys
import threading
from collections.abc import Collection
from types import TracebackType
from typing import Any

from uvicorn.config import LOGGING_CONFIG

from .access_log import JsonFormatter
from .settings import Settings


class ExceptPaths(logging.Filter):
    """Drops the access lines of some paths."""

    def __init__(self, paths: Collection[str]) -> None:
        super().__init__()
        self._paths = frozenset(paths)

    def filter(self, record: logging.LogRecord) -> bool:
        """uvicorn's arguments: client, method, path with query, HTTP version, status."""
        assert isinstance(record.args, tuple)
        return str(record.args[2]).partition("?")[0] not in self._paths


class JsonLogger(logging.Logger):
    """Of libraries that are imported from now on: their own handlers write JSON as well."""

    def addHandler(self, hdlr: logging.Handler) -> None:
        hdlr.setFormatter(JsonFormatter())
        super().addHandler(hdlr)


QUIET = {
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "VLLM_CONFIGURE_LOGGING": "0",  # its lines go where ours go
}


def configure(settings: Settings) -> None:
    """Once a process, before the first line."""
    logging.raiseExceptions = False  # a line that cannot be written is no event to report at length
    if settings.log_format == "json":
        logging.setLoggerClass(JsonLogger)
        logging.captureWarnings(True)
        sys.excepthook = _failed
        threading.excepthook = lambda end: _failed(end.exc_type, end.exc_value, end.exc_traceback)
        for name, value in QUIET.items():
            os.environ.setdefault(name, value)
    logging.config.dictConfig(_config(settings))


def _failed(
    kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
) -> None:
    known = error if error is not None else kind()
    logging.getLogger("render_service").critical("Failed", exc_info=(kind, known, trace))


def _config(settings: Settings) -> dict[str, Any]:
    config = copy.deepcopy(LOGGING_CONFIG)
    # Half the cost of uvicorn's own formatter, which finds colours and phrases for each line.
    config["formatters"]["access"] = {"format": "%(levelname)s:     %(message)s"}
    config["root"] = {"handlers": ["default"], "level": "WARNING"}  # of other libraries
    level = settings.uvicorn_log_level.upper()
    config["loggers"]["render_service"] = {
        "handlers": ["default"],
        "level": "DEBUG" if level == "TRACE" else level,
        "propagate": False,
    }
    if settings.log_format == "json":
        config["formatters"] = {key: {"()": JsonFormatter} for key in ("default", "access")}
        config["loggers"]["render_service.access"] = {
            "handlers": ["access"],
            "level": "INFO",
            "propagate": False,
        }
    elif settings.disable_access_log_for_endpoints:
        config["filters"] = {
            "paths": {"()": ExceptPaths, "paths": settings.disable_access_log_for_endpoints}
        }
        config["handlers"]["access"]["filters"] = ["paths"]
    return config
