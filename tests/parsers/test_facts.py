"""What is said of the formats is what they do."""

from __future__ import annotations

import pytest

import parsers
from parsers import Facts

from .bits import load

FACTS = parsers.describe()
EXAMPLES = {(facts.kind, name): facts for facts in FACTS for name in facts.names}
each = pytest.mark.parametrize("facts", FACTS, ids=[f"{f.kind}-{f.family}" for f in FACTS])


def loaded(facts: Facts, name: str, tokens: tuple[str, ...]) -> parsers.Format:
    vocab = {token: n for n, token in enumerate(tokens)}
    tool, reasoning = (name, None) if facts.kind == "tool" else (None, name)
    return load(tool, reasoning, vocab)


def test_every_name_is_told_once() -> None:
    told = [(facts.kind, name) for facts in FACTS for name in facts.names]
    known = [(kind, name) for kind, names in parsers.names().items() for name in names]
    assert sorted(told) == sorted(known)


@each
def test_the_vocabulary_told_is_enough_and_the_needs_are_needed(facts: Facts) -> None:
    for name in facts.names:
        fmt = loaded(facts, name, facts.vocabulary)
        assert facts.family == (fmt.tool or fmt.reasoning)
        assert set(fmt.specials.values()) >= {*facts.tokens}
        for needed in facts.needs:
            rest = tuple(token for token in facts.vocabulary if token != needed)
            with pytest.raises(parsers.MissingMarkerError, match="it has no token for"):
                loaded(facts, name, rest)


@each
def test_markers_are_told_as_models_write_them(facts: Facts) -> None:
    for marker in (*facts.needs, *facts.tokens, *facts.texts, *facts.prompt):
        assert marker
        assert "\0" not in marker
    assert not {*facts.tokens} & {*facts.texts}
    assert bool(facts.calls) == (facts.kind == "tool")


def test_examples() -> None:
    hermes = EXAMPLES["tool", "qwen3_json"]
    assert hermes.family == "hermes"
    assert hermes.calls == "json object"
    assert hermes.texts == ("<tool_call>", "</tool_call>")
    llama = EXAMPLES["tool", "llama4_json"]
    assert llama.needs == ("<|python_tag|>",)
    qwen = EXAMPLES["reasoning", "qwen3"]
    assert "</think>" in qwen.tokens
    assert "<|im_end|>" in qwen.prompt
    assert qwen.switches == ("enable_thinking=false",)
    assert "</parameter>" in EXAMPLES["tool", "qwen3_xml"].texts
