"""What the pieces of a chat's /render take, in-process, as a table in Markdown.

    python -m bench.render_pieces [MODEL]

No body comes twice, but all of them ask for the same beside their messages, as one client's do, and
a turn of a conversation comes behind all turns before it. Medians of CPU time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from statistics import median
from time import thread_time_ns
from typing import Any, TypeVar

import orjson

from render_service import fast_tokenizer, render
from render_service.bench_renders import FULL, Kind, Text, kinds
from render_service.chat_frame import kept_frame
from render_service.generate_request import with_ids
from render_service.loading import load_model
from render_service.messages import conversation
from render_service.model import Model
from render_service.prompt import tokenize
from render_service.protocol.chat_split import split
from render_service.protocol.message_shape import history_tool_calls
from render_service.settings import Settings

T = TypeVar("T")
SIZES = FULL._replace(short=160, requests=160, conversations=4)
WHOLE = "all of it"


class Pieces:
    """Microseconds by piece, of each body."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.us: dict[str, list[float]] = {}

    def _time(self, piece: str, function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        begun = thread_time_ns()
        result = function(*args, **kwargs)
        self.us.setdefault(piece, []).append((thread_time_ns() - begun) / 1e3)
        return result

    def whole(self, body: bytes) -> None:
        self._time(WHOLE, render.chat, self._model, body, None)

    def each(self, body: bytes) -> None:
        """As `render.chat` does it for a frame that is known and a template."""
        model = self._model
        parts = self._time("find the frame", split, body)
        assert parts is not None
        frame = self._time("find the frame, look-up", kept_frame, model, parts.frame)
        messages = self._time("decode and check messages", parts.messages)
        if frame is None or messages is None or frame.limits is None or frame.template is None:
            return  # the first two of a conversation
        template = frame.template
        seen = self._time(
            "messages for the template",
            conversation,
            messages,
            content_format=template.content_format,
        )
        text = self._time("template", template.render, seen)
        prompt = self._time("tokenize", tokenize, model, text, frame.limits)
        self._time("parameters", frame.sampling_for, model, prompt)
        calls = self._time("parameters, calls", history_tool_calls, messages)
        self._time("reasoning ended?", model.outputs.reasoning_ended, prompt.ids, frame.kwargs)
        rest = next(iter(frame.rest.values()), b"{}")
        self._time("encode", with_ids, f"chatcmpl-{calls}", prompt.ids, rest)


def bodies(kind: Kind) -> Iterator[bytes]:
    for part in kind.parts:
        for lane in part:
            yield from map(orjson.dumps, lane)


def measured(model: Model) -> Iterator[tuple[str, dict[str, float]]]:
    sample = Text(1.0).of(2000)
    ids = model.tokenizer.encode(sample, add_special_tokens=False)
    text = Text(2000 / len(ids))
    for kind in kinds(text, ids, SIZES, model.max_model_len):
        if not kind.name.startswith("render"):
            continue
        pieces = Pieces(model)
        for number, body in enumerate(bodies(kind)):
            # By turns: what one has made, the other need not.
            (pieces.whole if number % 2 else pieces.each)(body)
            if number < 2:
                render.chat(model, body, None)
        yield f"{kind.name}, {kind.tokens:,}", {p: median(us) for p, us in pieces.us.items()}


def table(found: list[tuple[str, dict[str, float]]]) -> str:
    """Pieces of a piece are added to it."""
    names = dict.fromkeys(name.partition(",")[0] for _, us in found for name in us if name != WHOLE)
    rows = [["µs of CPU", *(kind for kind, _ in found)], ["---", *("---:" for _ in found)]]
    for name in (*names, WHOLE):
        of = [sum(v for k, v in us.items() if k.partition(",")[0] == name) for _, us in found]
        rows.append([name, *(f"{value:,.1f}" for value in of)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main(argv: list[str]) -> int:
    parsers = {"reasoning_parser": "qwen3", "tool_call_parser": "hermes"}
    model = load_model(
        Settings(model=argv[0] if argv else None, enable_auto_tool_choice=True, **parsers)  # type: ignore[arg-type]  # names
    )
    model.tokenizer.encode_by(fast_tokenizer.load(model.tokenizer))
    print(table(list(measured(model))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
