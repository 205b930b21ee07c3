"""Where the time of a request goes: template, tokenize, detokenize, parse.

Measured only where the log or traces ask for it: `watch` then has the functions in SITES timed,
for the rest of the process. Without it nothing of this is in their way.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, NamedTuple

from . import chat_frame, chat_prompt
from .detokenizer import DetokenizerStream
from .native_parser import NativeStream
from .vllm_stream import VllmStream

if TYPE_CHECKING:
    from .answer import Answer
    from .errors import RequestError
    from .model import Model

MOST_SPANS = 64  # of a request; a completion may have thousands of prompts


class Span(NamedTuple):
    """start, end: nanoseconds of `perf_counter_ns`."""

    stage: str
    start: int
    end: int


class Record:
    """One request. start, and begun and ended of the work itself, in nanoseconds; 0: not yet.

    spent: nanoseconds by stage, without those of the stages inside it. inner: of the stages that
    have ended inside the one that runs. refused_id: of the output that was not derendered.
    """

    __slots__ = (
        "answer",
        "begun",
        "direction",
        "ended",
        "inner",
        "refusal",
        "refused_id",
        "route",
        "spans",
        "spent",
        "start",
    )

    def __init__(self) -> None:
        self.start = perf_counter_ns()
        self.begun = self.ended = self.inner = 0
        self.route: str | None = None
        self.direction: str | None = None
        self.answer: Answer | None = None
        self.refusal: RequestError | None = None
        self.refused_id: bytes | None = None
        self.spans: list[Span] = []
        self.spent: dict[str, int] = {}

    def add(self, stage: str, start: int, end: int) -> None:
        self.spent[stage] = self.spent.get(stage, 0) + end - start - self.inner
        if len(self.spans) < MOST_SPANS:
            self.spans.append(Span(stage, start, end))


current: ContextVar[Record | None] = ContextVar("record", default=None)


def timed(stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def measured(*args: Any, **kwargs: Any) -> Any:
        record = current.get()
        if record is None:
            return function(*args, **kwargs)
        outer, record.inner = record.inner, 0
        start = perf_counter_ns()
        try:
            return function(*args, **kwargs)
        finally:
            end = perf_counter_ns()
            record.add(stage, start, end)
            record.inner = outer + end - start

    return measured


def _sites(model: Model) -> Iterator[tuple[str, Any, tuple[str, ...]]]:
    """(stage, what has the functions, their names)"""
    yield "template", chat_prompt, ("_rendered",)
    yield "template", chat_frame, ("_text",)
    if model.renderer is not None:
        yield "template", type(model.renderer), ("render",)
    yield "tokenize", type(model.tokenizer), ("encode", "encode_ordinary", "encode_with_offsets")
    yield "detokenize", DetokenizerStream, ("feed",)
    yield "parse", type(model.outputs), ("start", "resume", "adopt", "parse")
    yield "parse", NativeStream, ("feed", "snapshot")
    yield "parse", VllmStream, ("feed", "snapshot")


@contextmanager
def watch(model: Model) -> Iterator[None]:
    """Time the stages of requests that have a record."""
    replaced = [
        (owner, name, getattr(owner, name), stage)
        for stage, owner, names in _sites(model)
        for name in names
    ]
    for owner, name, function, stage in replaced:
        setattr(owner, name, timed(stage, function))
    try:
        yield
    finally:
        for owner, name, function, _ in replaced:
            setattr(owner, name, function)
