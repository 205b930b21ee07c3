"""`render-service serve`: bind, load, say what is served, serve.

The port is bound first, so that a conflict shows at once and not after the model is loaded;
connections are accepted when it is.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import logging
import os
import resource
import signal
import tempfile
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import TYPE_CHECKING

from . import fast_tokenizer, logs, middleware, tls, tracing
from .configuration import add_arguments, configure
from .fair_accept import Share, shares
from .sockets import Listener, bind
from .startup import describe
from .state_keys import SHORT
from .supervisor import Supervisor, flush_and_exit
from .usage_error import UsageError
from .vllm_flags import MISSED

if TYPE_CHECKING:
    from .model import Model
    from .settings import Settings

__all__ = ["add_arguments", "run"]

logger = logging.getLogger("render_service")

GRACE = 5.0  # seconds over the workers' own bound before they are killed
OPEN_FILES = 65535  # connections and more; vLLM's number


def run(args: argparse.Namespace) -> int:
    """Until SIGTERM or SIGINT; then 0. Raises UsageError."""
    signal.signal(signal.SIGTERM, _end)  # until there is a loop or a supervisor to end
    settings, ignored = configure(args, os.environ)
    logs.configure(settings)
    _warn("without effect here", [name for name in ignored if name not in MISSED])
    _warn("not supported; answers may differ from vLLM's", [n for n in ignored if n in MISSED])
    if any(len(key) < SHORT for key in settings.state_key):
        logger.warning(
            "--state-key: one is shorter than %d characters, which can be guessed from a "
            "stream_state (RENDER_STATE_KEY is split at commas)",
            SHORT,
        )
    try:
        return _run(settings)
    except UsageError as error:
        if settings.log_format == "text":
            raise
        logger.critical("%s", error)
        return error.exit_code


def _run(settings: Settings) -> int:
    tls.check(settings)
    tracing.check(settings.otlp_traces_endpoint)
    for path in settings.middleware:
        middleware.imported(path)
    listener = bind(settings)
    finished = True
    try:
        from .loading import load_model

        model = load_model(settings)
        fast_tokenizer.start(model.tokenizer, settings.tokenizer_backend, workers=settings.workers)
        _raise_open_files()
        # What is loaded stays: looking through it again and again would only cost time.
        gc.collect()
        gc.freeze()
        listener.listen()
        with contextlib.suppress(OSError):  # nobody reads it, or the disk is full
            # One write: a line of the log may come in between.
            print(describe(model, listener.address) + "\n", end="", flush=True)
        if settings.workers == 1:
            finished = _work(model, listener)
        else:
            _supervise(model, listener)
    finally:
        listener.close()
    if not finished or model.outputs.backend is not None:
        # A thread cannot be stopped, and Python would wait for it; what vLLM brings complains then.
        flush_and_exit(0)
    return 0


def _warn(what: str, flags: Sequence[str]) -> None:
    if flags:
        logger.warning("%s: %s", what, ", ".join(flags))


_told: list[int] = []  # signals to end that came before it serves


def _end(number: int, frame: FrameType | None) -> None:
    """Nothing is in flight before it serves."""
    _told.append(number)
    _end_if_told()


def _end_if_told() -> None:
    """Asked again before it serves: Python ignores what a signal raises within a destructor or in
    the callbacks of its imports."""
    if _told:
        raise SystemExit(0)


def _work(
    model: Model,
    listener: Listener,
    parent: int | None = None,
    directory: str | None = None,
    share: Share | None = None,
) -> bool:
    # Not before PROMETHEUS_MULTIPROC_DIR is set.
    from .metrics import Metrics
    from .server import serve
    from .telemetry import observed
    from .warm import warm

    warm(model)
    _end_if_told()
    with observed(model, Metrics(directory)) as app:
        return serve(app, model.settings, listener.socket, parent, share)


def _supervise(model: Model, listener: Listener) -> None:
    settings = model.settings
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # its threads do not survive the fork
    with _shared_metrics() as directory:
        from .meters import WorkerMeter
        from .metrics import Metrics

        each = shares(settings.workers)
        supervisor = Supervisor(
            settings.workers,
            lambda number, parent: _work(model, listener, parent, directory, each[number]),
            timeout=settings.drain_delay + settings.shutdown_timeout + GRACE,
            stopping=lambda: _stopping(listener, settings),
            died=WorkerMeter(Metrics(directory)).died,
        )
        _end_if_told()
        supervisor.run()


def _stopping(listener: Listener, settings: Settings) -> None:
    from .server import log_draining

    listener.release()
    log_draining(settings)


@contextlib.contextmanager
def _shared_metrics() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="render-service-metrics-") as directory:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = directory
        try:
            yield directory
        finally:
            del os.environ["PROMETHEUS_MULTIPROC_DIR"]


def _raise_open_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
