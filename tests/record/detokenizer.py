"""Record what vLLM's derenderer makes of token IDs, into tests/golden/detokenizer/*.jsonl.

    python tests/record/detokenizer.py MODELS-FOLDER      (Python with vLLM 0.33.0 installed)

MODELS-FOLDER has one folder a model, with its tokenizer files. A line holds a prompt, output
IDs, the flags, and the text that comes out with each token (`texts`). Outputs are ordinary text,
text cut anywhere, and nonsense: byte tokens, special tokens and unknown IDs in random order.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer, ByT5Tokenizer, PreTrainedTokenizerFast
from vllm.renderers.online_derenderer import OnlineDerenderer, _decode_params, _seed_stream_state

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "render_service"))

from made_tokenizers import MADE  # noqa: E402 - needs the path above

GOLDEN = ROOT / "golden" / "detokenizer"
FETCHED = ("qwen3", "llama31", "gemma3")
TEXTS = (
    "The tea pot is hot, and she will not wait for it!",
    "  two  spaces\n\n\tand a tab\r\n",
    "\u8336\u9053\u306f\u7f8e\u3057\u3044\u3002 caf\u00e9 \u0447\u0430\u0439\u043d\u0438\u043a",
    "flag \U0001f1ef\U0001f1f5 tea \U0001f375\ufe0f people \U0001f468\u200d\U0001f469",
    "a real \ufffd in the middle, one at the end \ufffd",
    "x = [0] # it's not <0x41> \u2581 \u0301 don't",
    "\U0001d54f\U00010348 \U00013080",
)
PROMPTS = ("", "the pot", "is it hot?\n", "caf\u00e9 \u8336")


class Request:
    def __init__(self, skip: bool, spaces: bool) -> None:
        self.skip_special_tokens = skip
        self.spaces_between_special_tokens = spaces


def texts(
    tokenizer: Any, prompt: list[int] | None, ids: list[int], skip: bool, spaces: bool
) -> list[str]:
    skip, spaces = _decode_params(tokenizer, Request(skip, spaces))
    state = _seed_stream_state(tokenizer, prompt, skip_special_tokens=skip)
    out = []
    for token_id in ids:
        text, state = OnlineDerenderer._detokenize_delta(
            None, tokenizer, [token_id], state, skip, spaces
        )
        out.append(text)
    return out


def nonsense(tokenizer: Any, rng: random.Random, added: list[int]) -> list[int]:
    size = len(tokenizer)
    partial = [i for t in TEXTS[2:4] for i in tokenizer.encode(t, add_special_tokens=False)]
    partial += tokenizer.convert_tokens_to_ids(
        [
            t
            for b in (0x0A, 0x41, 0x80, 0xAD, 0xE4, 0xF0, 0xFF)
            if (t := f"<0x{b:02X}>") in tokenizer.get_vocab()
        ]
    )
    beyond = 10 if tokenizer.is_fast else 0  # slow ones may raise on IDs that they lack
    pools = (
        lambda: rng.choice(partial),
        lambda: rng.randrange(min(size, 300)),
        lambda: rng.randrange(size),
        lambda: rng.choice(added),
        lambda: size + rng.randrange(beyond),
    )
    return [rng.choices(pools, (8, 6, 3, 2, bool(beyond)))[0]() for _ in range(24)]


def cases(tokenizer: Any, rng: random.Random) -> Iterator[tuple[list[int] | None, list[int]]]:
    def encode(text: str) -> list[int]:
        return list(tokenizer.encode(text, add_special_tokens=False))

    added = list(tokenizer.get_added_vocab().values())
    added = sorted(added)[:12] + sorted(added)[-6:]
    for text in TEXTS:
        ids = encode(text)
        for prompt in (None, encode(rng.choice(PROMPTS)), added[:3], ids[: len(ids) // 2]):
            yield prompt, ids
        at = rng.randrange(1, len(ids))
        yield encode(PROMPTS[2]), [*ids[:at], rng.choice(added), *ids[at:]]
        yield ids[:at], ids[at:]
        yield ids[:at], encode(PROMPTS[1])
    for _ in range(25):
        yield rng.choice([None, encode(rng.choice(PROMPTS))]), nonsense(tokenizer, rng, added)


def record(name: str, tokenizer: Any) -> None:
    """Only a slow (Python) tokenizer knows `spaces_between_special_tokens`."""
    rng = random.Random(name)
    flags = [(False, True), (True, True)]
    if not tokenizer.is_fast:
        flags += [(False, False), (True, False)]
    with (GOLDEN / f"{name}.jsonl").open("w") as file:
        for prompt, ids in cases(tokenizer, rng):
            for skip, spaces in flags:
                out = texts(tokenizer, prompt, ids, skip, spaces)
                line = {"prompt": prompt, "ids": ids, "skip": skip, "spaces": spaces, "texts": out}
                file.write(json.dumps(line, separators=(",", ":")) + "\n")


def main() -> None:
    models = Path(sys.argv[1])
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name in FETCHED:
        record(name, AutoTokenizer.from_pretrained(models / name))
    record("demo", AutoTokenizer.from_pretrained(ROOT.parent / "render_service" / "demo_model"))
    record("byt5", ByT5Tokenizer())
    for name, make in MADE.items():
        made = make()
        special = [t.content for t in made.get_added_tokens_decoder().values() if t.special]
        record(name, PreTrainedTokenizerFast(tokenizer_object=made, extra_special_tokens=special))


if __name__ == "__main__":
    main()
