"""Tags whose suffix the vocabulary chooses."""

from __future__ import annotations

import pytest

import parsers
from parsers import Context, MissingMarkerError, Special, Tool

NAMES = (
    "think", "/think", "tool_calls", "/tool_calls", "tool_call", "/tool_call", "tool_sep",
    "arg_key", "/arg_key", "arg_value", "/arg_value",
)  # fmt: skip
AUTO = Context(tools=(Tool("f"),), tool_choice="auto", template_kwargs={"reasoning_effort": "high"})


def written(suffix: str) -> list[str]:
    """Reasoning and a call, as pieces."""
    tags = {name: Special(f"<{name}{suffix}>") for name in NAMES}
    return [
        "Hm.", tags["/think"], tags["tool_calls"], tags["tool_call"], "f", tags["arg_key"], "a",
        tags["/arg_key"], tags["arg_value"], "<b>", tags["/arg_value"], tags["/tool_call"],
        tags["/tool_calls"],
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["hy_v3", "hy_v4"])
@pytest.mark.parametrize("suffix", ["", ":6124c78e"])
def test_tags_have_the_suffix_of_the_vocabulary(name: str, suffix: str) -> None:
    vocab = {f"<{tag}{suffix}>": n for n, tag in enumerate(NAMES)}
    fmt = parsers.load(name, name, vocab)
    assert set(fmt.specials.values()) <= set(vocab)
    assert fmt.parse(written(suffix), AUTO)[:3] == ("Hm.", None, [("f", '{"a": "<b>"}')])
    assert fmt.reasoning_ended([1], {"reasoning_effort": "high"}) is True
    assert fmt.reasoning_ended([1, 0], {"reasoning_effort": "high"}) is False


def test_a_missing_tag_is_named_with_the_suffix() -> None:
    with pytest.raises(MissingMarkerError, match="</tool_calls:x>"):
        parsers.load("hy_v4", vocab={"<tool_calls:x>": 1})
