"""The parser benchmark beside vLLM's in-process parser: the same outputs, one token a chunk.

    RENDER_PEERS=FOLDER python -m bench.parsers_against_vllm [NAME ...] > bench/parsers.md

FOLDER is as for `tests/record/parsers.py`: vLLM 0.33.0 and models' tokenizers. A row of the table
has the microseconds of processor time a token: of vLLM's `parse_delta`, of ours (`feed` alone, and
with resuming and a snapshot for each token), and ours by vLLM's. vLLM's state stays in its
process; its counterpart is `feed`. `sends` is the share of tokens after which vLLM sends something:
where that is little, it keeps the output until its end, and does no work before.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import parsers
from parsers import Context, Piece, Special
from tests.parsers.bits import load, reasoning_family, tool_family

from .parser_outputs import KINDS, TOKENS, Names, context_of, measures, text_of

if TYPE_CHECKING:
    from tests.record.vllm_parser import Oracle

ROUNDS = 2
STREAMS = 0.5
"""From this share of tokens on vLLM streams."""
HEAD = """Parsers beside vLLM 0.33.0: microseconds of processor time a token, one token a chunk
(see `bench/parsers_against_vllm.py`).

| parser | output | vLLM | sends | feed | feed / vLLM | with resuming | resuming / vLLM |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"""
BASE = {
    "llama3_json": ("llama31", ("<|python_tag|>",)),
    "llama4_json": ("llama31", ("<|python_tag|>",)),
}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "look",
            "parameters": {"type": "object", "properties": {"text": {"type": "string"}}},
        },
    }
]


class Row(NamedTuple):
    """base: vLLM. sends: see above. feed, stream: ours."""

    label: str
    kind: str
    base: float
    sends: float
    feed: float
    stream: float

    def line(self) -> str:
        ratios = [f"{cost:.2f} | {cost / self.base:.2f}" for cost in (self.feed, self.stream)]
        first = f"| {self.label} | {self.kind} | {self.base:.2f} | {self.sends:.0%} | "
        return first + " | ".join(ratios) + " |"


class Output(NamedTuple):
    """One output of 4,000 tokens, as vLLM and as our parser take it."""

    ids: list[int]
    texts: list[str]
    pieces: list[Piece]


def family_of(names: Names) -> tuple[str, tuple[str, ...]]:
    """The model's folder and the tokens to add to its vocabulary."""
    if str(names) in BASE:
        return BASE[str(names)]
    family = tool_family(names.tool) or reasoning_family(names.reasoning)
    return (family.model, tuple(family.added)) if family else ("qwen3", ())


def output_of(oracle: Oracle, names: Names, kind: str, specials: Sequence[str]) -> Output:
    from tokenizers.decoders import DecodeStream

    tokenizer: Any = oracle.tokenizer
    ids = tokenizer.encode(text_of(names, kind), add_special_tokens=False)[:TOKENS]
    decode = DecodeStream(skip_special_tokens=False)
    texts = [decode.step(tokenizer._tokenizer, token) or "" for token in ids]
    pieces = [Special(text) if text in specials else text for text in texts]
    return Output(ids, texts, pieces)


def theirs(oracle: Oracle, output: Output, kwargs: Mapping[str, Any]) -> Callable[[], int]:
    """The run says after how many tokens something is sent."""
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest

    request = ChatCompletionRequest.model_validate(
        {"messages": [{"role": "user", "content": "hi"}], "tools": TOOLS, "tool_choice": "auto"}
    )

    def run() -> int:
        sent = 0
        parser: Any = oracle.parser(
            oracle.tokenizer, request.tools, chat_template_kwargs=dict(kwargs), model_config=None
        )
        for text, token in zip(output.texts, output.ids, strict=True):
            delta = parser.parse_delta(text, [token], request, [], finished=False)
            sent += delta is not None
        return sent

    return run


def ours(
    fmt: parsers.Format, output: Output, context: Context, *, resumed: bool
) -> Callable[[], None]:
    def run() -> None:
        stream = fmt.start(context, [])
        for piece in output.pieces:
            stream.feed([piece])
            if resumed:
                stream = fmt.resume(stream.snapshot(), context)

    return run


def cost(run: Callable[[], object]) -> float:
    """Microseconds a token, of the fastest round."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return 1e6 * min(times) / TOKENS


def rows(models: Path, names: Names) -> Iterator[Row]:
    """Raises what vLLM, or ours, says of the names and the vocabulary."""
    from tests.record.vllm_parser import Oracle

    model, added = family_of(names)
    family = tool_family(names.tool) or reasoning_family(names.reasoning)
    template = family.response_template if family else None
    oracle = Oracle(models / model, names.tool, names.reasoning, list(added), template)
    facts = oracle.facts()
    fmt = load(*names, facts["vocab"], facts["special_ids"])
    specials = [str(special) for special in fmt.specials.values()]
    for kind in KINDS:
        if (kind == "reasoning") != (names.reasoning is not None):
            continue
        output, context = output_of(oracle, names, kind, specials), context_of(names)
        if not measures(kind, fmt.parse(output.pieces, context, [], "length")):
            raise ValueError(f"no output of the kind {kind}")
        vllm = theirs(oracle, output, context.template_kwargs)
        sends = vllm() / len(output.ids)
        feed, stream = (cost(ours(fmt, output, context, resumed=r)) for r in (False, True))
        yield Row(f"`{names}`", kind, cost(vllm), sends, feed, stream)


def table(models: Path, wanted: Sequence[str]) -> Iterator[str]:
    known = parsers.names()
    every = [Names(name, None) for name in known["tool"]]
    every += [Names(None, name) for name in known["reasoning"]]
    found: list[Row] = []
    left: list[str] = []
    yield HEAD
    for names in every:
        if wanted and str(names) not in wanted:
            continue
        try:
            for row in rows(models, names):
                found.append(row)
                yield row.line()
        except Exception as error:  # whatever vLLM says of this vocabulary
            kind = "calls" if names.tool else "reasoning"
            left.append(f"- `{names}` {kind}: {str(error).splitlines()[0]}")
    yield from summary(found)
    if left:
        yield "\nNot measured:\n\n" + "\n".join(left)


def summary(found: Sequence[Row]) -> Iterator[str]:
    streamed = [row for row in found if row.sends >= STREAMS]
    calls = [row for row in found if row.kind == "call"]
    if streamed:
        feed, stream = (max(streamed, key=by) for by in (_feed_ratio, _stream_ratio))
        yield f"\nOf the {len(streamed)} outputs that vLLM streams, ours takes at most:\n"
        yield f"- {_feed_ratio(feed):.2f} of its time ({feed.label} {feed.kind}), by `feed` alone;"
        yield f"- {_stream_ratio(stream):.2f} with resuming ({stream.label} {stream.kind})."
    if calls:
        feeds, streams = [row.feed for row in calls], [row.stream for row in calls]
        yield (
            f"\nThe slowest call takes {max(feeds) / min(feeds):.1f} times the fastest by `feed`, "
            f"{max(streams) / min(streams):.1f} times with resuming."
        )


def _feed_ratio(row: Row) -> float:
    return row.feed / row.base


def _stream_ratio(row: Row) -> float:
    return row.stream / row.base


def main(wanted: Sequence[str]) -> None:
    peers = os.environ.get("RENDER_PEERS")
    if not peers:
        sys.exit("set RENDER_PEERS to the folder with vLLM and the models")
    root = Path(peers).expanduser()
    python = root / "venv" / "bin" / "python"
    if "_MEASURING" not in os.environ and python.exists():
        path = os.pathsep.join(filter(None, (str(root / "overlay"), os.environ.get("PYTHONPATH"))))
        environment = os.environ | {"_MEASURING": "1", "PYTHONPATH": path}
        command = [str(python), "-m", "bench.parsers_against_vllm", *wanted]
        os.execve(python, command, environment)
    logging.disable(logging.ERROR)
    for line in table(root / "models", wanted):
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
