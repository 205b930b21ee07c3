"""fastokens gives the IDs that `tokenizers` gives, wherever it is put to use."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from tokenizers import Tokenizer as Core
from tokenizers import models, pre_tokenizers

from render_service import fast_tokenizer
from render_service.errors import RequestError
from render_service.fast_tokenizer import Encoding, Unusable
from render_service.hub import find
from render_service.special_tokens import SpecialTokens
from render_service.tokenizer import Tokenizer, load_tokenizer
from render_service.usage_error import UsageError
from tests.conftest import DEMO_MODEL, Serve
from tests.render_service.tokenizer_oracle import TEXTS
from tests.render_service.waiting import until

NAMES = ["qwen3", "llama31", "deepseek_v3", "gemma3", "gptoss"]
IN_USE = "Tokenizing with fastokens"


def loaded(folder: Path) -> Tokenizer:
    files = find(str(folder))
    return load_tokenizer(files, files.json("config.json") or {})


def words(core: Core) -> Tokenizer:
    """A tokenizer of a kind that fastokens does not know."""
    return Tokenizer(core, SpecialTokens({}, (), ()), {})


def mixed_texts(tokenizer: Tokenizer, count: int) -> list[str]:
    """Cut-up texts, added tokens whole and in part, and any characters, put together at random."""
    draw = random.Random(count)
    source = "".join(TEXTS) + Path(__file__).read_text()
    added = list(tokenizer.added_tokens)

    def piece() -> str:
        at = draw.randrange(len(source))
        return draw.choice(
            [
                source[at : at + draw.randrange(40)],
                draw.choice(added)[: draw.choice([None, 3])],
                draw.choice(" \n\t'.") * draw.randrange(1, 9),
                chr(draw.choice([draw.randrange(0x20, 0xD7FF), draw.randrange(0xE000, 0x10FFFE)])),
            ]
        )

    return ["".join(piece() for _ in range(draw.randrange(1, 60))) for _ in range(count)]


def agree(tokenizer: Tokenizer) -> None:
    encoder = fast_tokenizer.load(tokenizer)
    fast_tokenizer.check(tokenizer, encoder)
    for text in [*TEXTS, *mixed_texts(tokenizer, 300), " " * 100_000, "ab" * 20_000]:
        for special in (True, False):
            want = tokenizer.encode(text, add_special_tokens=special)
            assert encoder.encode(text, special).ids == want, text[:200]


@pytest.mark.parametrize("name", NAMES)
def test_published_tokenizers(model_folder: Callable[[str], Path], name: str) -> None:
    agree(loaded(model_folder(name)))


def test_the_demo_model() -> None:
    agree(loaded(DEMO_MODEL))


def test_what_it_encodes_once_in_use() -> None:
    slow, fast = loaded(DEMO_MODEL), loaded(DEMO_MODEL)
    fast_tokenizer.start(fast, "fastokens", workers=1)
    assert (slow.backend, fast.backend) == ("tokenizers", "fastokens")
    assert slow.serialized() == fast.serialized()
    for text in TEXTS:
        assert fast.encode_ordinary(text) == slow.encode_ordinary(text)
        offsets = fast.encode_with_offsets(text, add_special_tokens=True)
        assert offsets == slow.encode_with_offsets(text, add_special_tokens=True)
    with pytest.raises(RequestError, match="lone surrogate at character 1"):
        fast.encode("a\ud800", add_special_tokens=False)


def test_threads_may_share_it() -> None:
    tokenizer = loaded(DEMO_MODEL)
    texts = mixed_texts(tokenizer, 200)
    want = [tokenizer.encode(text, add_special_tokens=True) for text in texts]
    encoder = fast_tokenizer.load(tokenizer)
    with ThreadPoolExecutor(8) as pool:
        for got in pool.map(lambda _: [encoder.encode(t, True).ids for t in texts], range(16)):
            assert got == want


def test_its_cache_is_bounded() -> None:
    encoder = fast_tokenizer.load(loaded(DEMO_MODEL))
    for at in range(0, 300_000, 1000):
        segments = (f"a text of its own, number {n}" for n in range(at, at + 1000))
        encoder.encode("<|im_end|>".join(segments))
    stats = encoder.segment_cache_stats()  # type: ignore[attr-defined]
    assert 0 < stats["bytes"] <= stats["max_bytes"] == fast_tokenizer.CACHE_BYTES


class Wrong:
    """Gives other IDs, or fails."""

    def __init__(self, fails: bool = False) -> None:
        self._fails = fails

    def encode(self, input: str, add_special_tokens: bool = False) -> Encoding:
        if self._fails:
            raise ValueError("too hard")
        return Core(models.WordLevel({"a": 0}, unk_token="a")).encode("a")


def test_an_encoder_that_differs_is_not_used() -> None:
    tokenizer = loaded(DEMO_MODEL)
    for check in (fast_tokenizer.check, fast_tokenizer._check_in_child):
        with pytest.raises(Unusable, match="token IDs differ for ''"):
            check(tokenizer, Wrong())
        with pytest.raises(Unusable, match="ValueError: too hard"):
            check(tokenizer, Wrong(fails=True))


def test_what_it_refuses_is_left_to_tokenizers() -> None:
    tokenizer = loaded(DEMO_MODEL)
    want = tokenizer.encode("some text", add_special_tokens=False)
    tokenizer.encode_by(Wrong(fails=True))
    assert tokenizer.encode("some text", add_special_tokens=False) == want


def test_tokenizers_that_it_does_not_know() -> None:
    core = Core(models.WordLevel({"a": 0, "?": 1}, unk_token="?"))
    core.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = words(core)
    fast_tokenizer.start(tokenizer, "auto", workers=2)
    assert tokenizer.backend == "tokenizers"
    with pytest.raises(UsageError, match="--tokenizer-backend fastokens: ValueError"):
        fast_tokenizer.start(tokenizer, "fastokens", workers=1)
    core.encode_special_tokens = True
    with pytest.raises(UsageError, match="does not run on `tokenizers` alone"):
        fast_tokenizer.start(words(core), "fastokens", workers=1)


def ids(url: str) -> list[int]:
    body = {"model": "demo", "prompt": "<|im_start|>user\nA text.<|im_end|>" * 500}
    answer = httpx.post(f"{url}/v1/completions/render", json=body).raise_for_status().json()
    found: list[int] = answer[0]["token_ids"]
    return found


def test_servers_agree(serve: Serve) -> None:
    flag = ("--served-model-name", "demo", "--tokenizer-backend")
    plain = serve(DEMO_MODEL, *flag, "tokenizers")
    behind = serve(DEMO_MODEL, *flag, "auto")
    before = serve(DEMO_MODEL, *flag, "fastokens", "--workers", "2")
    until(lambda: IN_USE in behind.output())
    assert IN_USE in before.output()
    assert "fastokens" not in plain.output()
    assert ids(plain.url) == ids(behind.url) == ids(before.url)
