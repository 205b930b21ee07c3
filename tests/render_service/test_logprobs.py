"""Logprobs by token text: vLLM's recorded answers, and what must not fail."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import orjson
import pytest
from openai.types.chat.chat_completion import ChoiceLogprobs
from openai.types.completion_choice import Logprobs

from render_service.logprobs import (
    CACHED_TOKENS,
    FLOOR,
    TokenStrings,
    chat_logprobs,
    chat_top_limit,
    completion_logprobs,
    completion_top_limit,
    context_tail,
)
from render_service.protocol.generate import (
    GenerateLogProb,
    GenerateLogProbs,
    GenerateLogProbsContent,
)

from .tokenizers_of import encode, tokenizer_of

GOLDEN = Path(__file__).parent.parent / "golden" / "logprobs"
NAMES = sorted(path.stem for path in GOLDEN.glob("*.jsonl"))


def cases(name: str) -> list[dict[str, Any]]:
    lines = (GOLDEN / f"{name}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def generated(case: dict[str, Any]) -> GenerateLogProbs:
    return msgspec.convert(case["logprobs"], GenerateLogProbs)


def sampled(*ids: int) -> GenerateLogProbs:
    return GenerateLogProbs(
        [GenerateLogProbsContent(i, -1.0, top_logprobs=[GenerateLogProb(i, -1.0)]) for i in ids]
    )


@pytest.mark.parametrize("name", NAMES)
def test_gives_what_vllm_gives(name: str) -> None:
    strings = TokenStrings(tokenizer_of(name))
    for case in cases(name):
        source, context, limit = generated(case), case["context"], case["top_limit"]
        chat = chat_logprobs(source, strings, context, top_limit=limit)
        assert json.dumps(chat) == json.dumps(case["chat"])
        completion = completion_logprobs(
            source, strings, context, top_limit=limit, text_offset=case["text_offset"]
        )
        assert json.dumps(completion) == json.dumps(case["completion"])


@pytest.mark.parametrize("name", NAMES)
def test_chunks_join_to_the_whole(name: str) -> None:
    strings = TokenStrings(tokenizer_of(name))
    for case in cases(name):
        whole = generated(case)
        context, limit, offset = case["context"], case["top_limit"], case["text_offset"]
        chat: list[Any] = []
        completion: dict[str, list[Any]] = {key: [] for key in case["completion"]}
        for entry in whole.content or []:
            chunk = GenerateLogProbs([entry])
            part = chat_logprobs(chunk, strings, context, top_limit=limit)
            chat += part["content"]
            flat = completion_logprobs(chunk, strings, context, top_limit=limit, text_offset=offset)
            for key, values in flat.items():
                completion[key] += values
            offset = flat["text_offset"][-1] + len(flat["tokens"][-1])
            context = context_tail(context, [entry.token_id])
        assert chat == (case["chat"]["content"] or [])
        assert completion == case["completion"]


def test_openai_types() -> None:
    strings = TokenStrings(tokenizer_of("demo"))
    source = sampled(*encode("demo", "tea \U0001f375"))
    chat = chat_logprobs(source, strings, top_limit=None)
    ChoiceLogprobs.model_validate({**chat, "refusal": None}, strict=True)
    completion = completion_logprobs(source, strings, top_limit=None)
    Logprobs.model_validate(completion, strict=True)


def test_a_split_character_belongs_to_the_token_that_completes_it() -> None:
    strings = TokenStrings(tokenizer_of("demo"))
    ids = encode("demo", "\U0001f375")
    content = chat_logprobs(sampled(*ids), strings, top_limit=0)["content"]
    assert [entry["token"] for entry in content] == [""] * (len(ids) - 1) + ["\U0001f375"]
    assert content[-1]["bytes"] == list("\U0001f375".encode())


@pytest.mark.parametrize("logprob", [float("nan"), float("inf"), float("-inf")])
def test_no_logprob_that_json_lacks(logprob: float) -> None:
    strings = TokenStrings(tokenizer_of("demo"))
    entry = GenerateLogProbsContent(64, logprob, top_logprobs=[GenerateLogProb(65, logprob)])
    source = GenerateLogProbs([entry])
    chat = chat_logprobs(source, strings, top_limit=None)["content"][0]
    assert chat["logprob"] == chat["top_logprobs"][0]["logprob"] == FLOOR
    completion = completion_logprobs(source, strings, top_limit=None)
    assert completion["token_logprobs"] == [FLOOR]
    assert list(completion["top_logprobs"][0].values()) == [FLOOR]
    assert b"null" not in orjson.dumps(completion)


def test_ids_that_the_tokenizer_lacks() -> None:
    strings = TokenStrings(tokenizer_of("demo"))
    content = chat_logprobs(sampled(2**31 - 1), strings, top_limit=None)["content"]
    assert (content[0]["token"], content[0]["bytes"]) == ("", None)


def test_kept_tokens_are_bounded() -> None:
    strings = TokenStrings(tokenizer_of("demo"))
    for token_id in range(CACHED_TOKENS + 100):
        strings.text(token_id, ())
    assert strings.alone.cache_info().currsize == CACHED_TOKENS


@pytest.mark.parametrize(
    ("logprobs", "top", "ids", "limit"),
    [
        (None, 5, None, None),
        (False, 5, None, None),
        (True, None, None, 0),
        (True, 3, None, 3),
        (True, -1, None, None),
        (True, 3, [1], None),
        (True, 3, [], 3),
    ],
)
def test_chat_cut(logprobs: Any, top: Any, ids: Any, limit: int | None) -> None:
    request = SimpleNamespace(logprobs=logprobs, top_logprobs=top, logprob_token_ids=ids)
    assert chat_top_limit(request) == limit


@pytest.mark.parametrize(
    ("logprobs", "ids", "limit"),
    [(None, None, None), (0, None, 1), (3, None, 4), (-1, None, None), (3, [1], None), (3, [], 4)],
)
def test_completion_cut(logprobs: Any, ids: Any, limit: int | None) -> None:
    request = SimpleNamespace(logprobs=logprobs, logprob_token_ids=ids)
    assert completion_top_limit(request) == limit


def test_context_is_the_last_four() -> None:
    assert context_tail([], [1]) == [1]
    assert context_tail([1, 2, 3], [4, 5]) == [2, 3, 4, 5]
    assert context_tail([1, 2, 3, 4], []) == [1, 2, 3, 4]
    assert context_tail([1], range(10)) == [6, 7, 8, 9]
