"""Record what vLLM's derenderer makes of generate's logprobs, into tests/golden/logprobs/*.jsonl.

    python tests/record/logprobs.py MODELS-FOLDER      (Python with vLLM 0.33.0 installed)

A line holds generate's logprobs with the sampled IDs before them, the cut and the text offset,
and both of OpenAI's shapes: `chat` and `completion`.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer, PreTrainedTokenizerFast
from vllm.entrypoints.scale_out.token_in_token_out.protocol import GenerateLogProbs
from vllm.renderers.online_derenderer import (
    _convert_chat_logprobs_to_completion_logprobs,
    _resolve_logprobs,
)

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "render_service"))

from made_tokenizers import MADE  # noqa: E402 - needs the path above

GOLDEN = ROOT / "golden" / "logprobs"
FETCHED = ("qwen3", "llama31", "gemma3")
TEXTS = (
    "The tea pot is hot , she 's in!",
    "\u8336\u9053\u306f caf\u00e9 \U0001f375\ufe0f, \U0001d54f",
    "  two\n\tlines \ufffd",
)


def position(rng: random.Random, sampled: int, others: list[int]) -> dict[str, Any]:
    ids = [sampled, *rng.sample(others, rng.randrange(4))]
    top = [{"token_id": i, "logprob": -rng.randrange(1000) / 64} for i in ids]
    empty = rng.random() < 0.15
    return {**top[0], "rank": 1, "top_logprobs": [] if empty else top}


def cases(tokenizer: Any, rng: random.Random) -> Iterator[tuple[Any, list[int], int | None, int]]:
    size = len(tokenizer)
    for text in TEXTS:
        ids = tokenizer.encode(text, add_special_tokens=False)
        others = [*{*ids, *(rng.randrange(size) for _ in range(6)), size + 3}]
        for limit in (None, 0, 2):
            at = rng.randrange(len(ids))
            context, sampled = (ids[max(at - 4, 0) : at], ids[at:]) if limit else ([], ids)
            yield [position(rng, i, others) for i in sampled], context, limit, rng.randrange(9)
        shuffled = rng.sample(others, len(others))
        yield [position(rng, i, others) for i in shuffled], ids[:4], None, 0
    yield None, [], None, 3
    yield [], [], 1, 3


def record(name: str, tokenizer: Any) -> None:
    with (GOLDEN / f"{name}.jsonl").open("w") as file:
        for content, context, limit, offset in cases(tokenizer, random.Random(name)):
            source = GenerateLogProbs.model_validate({"content": content})
            chat = _resolve_logprobs(source, tokenizer, context, limit)
            completion = _convert_chat_logprobs_to_completion_logprobs(chat, source, offset)
            line = {
                "logprobs": {"content": content},
                "context": context,
                "top_limit": limit,
                "text_offset": offset,
                "chat": chat.model_dump(),
                "completion": completion.model_dump(),
            }
            file.write(json.dumps(line, separators=(",", ":")) + "\n")


def main() -> None:
    models = Path(sys.argv[1])
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name in FETCHED:
        record(name, AutoTokenizer.from_pretrained(models / name))
    record("demo", AutoTokenizer.from_pretrained(ROOT.parent / "render_service" / "demo_model"))
    for name, make in MADE.items():
        made = make()
        special = [t.content for t in made.get_added_tokens_decoder().values() if t.special]
        record(name, PreTrainedTokenizerFast(tokenizer_object=made, extra_special_tokens=special))


if __name__ == "__main__":
    main()
