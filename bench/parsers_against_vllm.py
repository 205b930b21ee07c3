"""The parser benchmark beside vLLM's in-process parser: the same outputs, one token a chunk.

    RENDER_PEERS=FOLDER python -m bench.parsers_against_vllm [NAME ...]

FOLDER is as for `tests/record/parsers.py`: vLLM 0.33.0 and models' tokenizers. Each line has the
microseconds of processor time a token: of vLLM's `parse_delta`, of ours (`feed` alone, and with
resuming and a snapshot for each token), and ours by vLLM's. vLLM's state stays in its process;
its counterpart is `feed`.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import parsers
from parsers import Context, Piece, Special
from tests.parsers.bits import reasoning_family, tool_family

from .parser_outputs import KINDS, TOKENS, Names, context_of, measures, text_of

if TYPE_CHECKING:
    from tests.record.vllm_parser import Oracle

ROUNDS = 2
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


def theirs(oracle: Oracle, output: Output, kwargs: Mapping[str, Any]) -> Callable[[], None]:
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest

    request = ChatCompletionRequest.model_validate(
        {"messages": [{"role": "user", "content": "hi"}], "tools": TOOLS, "tool_choice": "auto"}
    )

    def run() -> None:
        parser: Any = oracle.parser(
            oracle.tokenizer, request.tools, chat_template_kwargs=dict(kwargs), model_config=None
        )
        for text, token in zip(output.texts, output.ids, strict=True):
            parser.parse_delta(text, [token], request, [], finished=False)

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


def cost(run: Callable[[], None]) -> float:
    """Microseconds a token, of the fastest round."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return 1e6 * min(times) / TOKENS


def lines(models: Path, wanted: Sequence[str]) -> None:
    from tests.record.vllm_parser import Oracle

    known = parsers.names()
    every = [Names(name, None) for name in known["tool"]]
    every += [Names(None, name) for name in known["reasoning"]]
    columns = ("vLLM", "feed", "ratio", "stream", "ratio")
    print(f"{'':36}" + "".join(f"{column:>9}" for column in columns))
    for names in every:
        if wanted and str(names) not in wanted:
            continue
        model, added = family_of(names)
        try:
            oracle = Oracle(models / model, names.tool, names.reasoning, list(added))
            facts = oracle.facts()
            fmt = parsers.load(*names, facts["vocab"], facts["special_ids"])
        except Exception as error:  # whatever vLLM says of this vocabulary
            print(f"{names}: {error}")
            continue
        specials = [str(special) for special in fmt.specials.values()]
        for kind in KINDS:
            if (kind == "reasoning") != (names.reasoning is not None):
                continue
            output, context = output_of(oracle, names, kind, specials), context_of(names)
            label = f"{'tool' if names.tool else 'reasoning'} {names}: {kind}"
            if not measures(kind, fmt.parse(output.pieces, context, [], "length")):
                print(f"{label}: this output is none")
                continue
            try:
                base = cost(theirs(oracle, output, context.template_kwargs))
            except Exception as error:
                print(f"{names} {kind}: vLLM raises {type(error).__name__}: {error}")
                continue
            alone, stream = (cost(ours(fmt, output, context, resumed=r)) for r in (False, True))
            cells = (base, alone, alone / base, stream, stream / base)
            print(f"{label:36}" + "".join(f"{cell:9.2f}" for cell in cells), flush=True)


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
    lines(root / "models", wanted)


if __name__ == "__main__":
    main(sys.argv[1:])
