"""Formats that models bring, over templates of every construct.

Recorded answers of vLLM for these templates are in `golden/parsers/hf*` and `beam*`.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import parsers
from parsers import Context, Format, Special, Tool
from parsers.codecs.response_region import StreamedRegion, WholeRegion
from parsers.codecs.response_tags import TagsRegion
from parsers.response_calls import region_codec
from parsers.response_template import load_template

from .bits import TOOLS, load
from .families import FAMILIES, Family
from .support import GOLDEN, added, characters, streamed

TEMPLATES = {name: f for name, f in FAMILIES.items() if f.response_template is not None}
AUTO = Context(tools=TOOLS, tool_choice="auto")
NONE = Context(tools=TOOLS, tool_choice="none")
PROMPT = "<|im_start|>assistant\n"

each = pytest.mark.parametrize("family", TEMPLATES.values(), ids=TEMPLATES)


def of(template: Any, tool: str | None = "hf", reasoning: str | None = "hf") -> Format:
    """The format; a prompt's tokens are characters."""
    return parsers.load(
        tool, reasoning, response_template=template, decode=lambda ids: "".join(map(chr, ids))
    )


def tokens(text: str) -> list[int]:
    return [ord(char) for char in text]


@each
def test_text_comes_back_where_no_calls_are_wanted(family: Family) -> None:
    assert family.call
    fmt = of(family.response_template, None, "hf")
    call = family.call("run", {"a": [1, "b"]})
    lead = family.lead
    reasoning, content, calls = streamed(fmt, NONE, None, [[f"{lead}So. {call}"]])
    assert calls == []
    assert call.strip() in reasoning + content or lead  # whose markers are left out


@pytest.mark.parametrize(
    ("name", "kind"),
    {
        "response template": StreamedRegion,
        "response template, coder": TagsRegion,
        "response template, lax": WholeRegion,
        "response template, lines": WholeRegion,
        "response template, list": WholeRegion,
        "response template, merged": WholeRegion,
        "response template, message": WholeRegion,
        "response template, rest": TagsRegion,
        "response template, named": StreamedRegion,
        "response template, text": StreamedRegion,
        "response_messages": TagsRegion,
    }.items(),
)
def test_what_can_stream_does(name: str, kind: type) -> None:
    family = TEMPLATES[name]
    template = load_template(family.response_template)
    assert type(region_codec(template, template.fields["tool_calls"])) is kind
    assert family.call
    text = family.lead + family.call("run", {"a": "one two", "b": "three"})
    stream = of(family.response_template).start(AUTO)
    events = [event for char in text for event in stream.feed([char])]
    arguments = [event for event in events if isinstance(event, parsers.Arguments)]
    assert (len(arguments) > 1) is (kind is not WholeRegion)
    events += stream.finish()
    assert added(events)[2] == [("run", '{"a": "one two", "b": "three"}')]


def test_special_tokens_are_text_too() -> None:
    fmt = load("hf", "hf")
    assert fmt.specials == {}
    pieces = [Special("<think>"), "Hm.", Special("</think>"), "So."]
    assert streamed(fmt, AUTO, None, [pieces]) == ("Hm.", "So.", [])
    assert streamed(fmt, AUTO, None, [characters(["<think>Hm.</think>So."])])[0] == "Hm."


ENDED = json.loads((GOLDEN.parent / "reasoning_ended.json").read_text("utf-8"))


@pytest.mark.parametrize("name", ENDED)
def test_reasoning_has_ended_where_vllm_says_so(name: str) -> None:
    """But for a call that a pattern closed at the very end, which vLLM takes to be open still."""
    family = TEMPLATES[name]
    assert family.call
    assert family.response_template
    closed = family.call("run", {"a": 1})
    by_pattern = "close_pattern" in family.response_template["fields"]["tool_calls"]
    fmt = of(family.response_template, None)
    for prompt, thinking, ended in ENDED[name]:
        if not (by_pattern and prompt.endswith(closed)):
            told = {"enable_thinking": thinking}
            assert fmt.reasoning_ended(tokens(prompt), told) is ended, prompt


JSON = TEMPLATES["response template"].response_template


@pytest.mark.parametrize(
    ("prompt", "ended"),
    [
        ("", False),
        ("<think>", False),
        ("<think>a", False),
        ("<think>a</think>", True),
        ("<think>a</thi", False),
        ("Hello", True),
        ("<tool_call>", True),
        ("<tool_call>{", True),
        (" \n<tool_call>", True),
        ("<think>a</think>b", True),
    ],
)
def test_reasoning_ended(prompt: str, ended: bool) -> None:
    fmt, ids = of(JSON), tokens(f"<|im_start|>user\nhi<|im_end|>\n{PROMPT}{prompt}")
    assert fmt.reasoning_ended(ids, {}) is ended
    assert of(JSON, "hf", None).reasoning_ended(ids, {}) is None


def test_reasoning_ended_by_the_request_or_never() -> None:
    ids = tokens(PROMPT)
    assert of(JSON).reasoning_ended(ids, {"enable_thinking": False}) is True
    assert of(JSON).reasoning_ended(tokens(PROMPT + "<think>"), {"enable_thinking": False}) is False
    again = json.loads(json.dumps(JSON))
    again["fields"]["thinking"]["repeats"] = True
    assert of(again).reasoning_ended(tokens(PROMPT + "<think>a</think>"), {}) is False
    messages = TEMPLATES["response_messages"].response_template
    for end, ended in {"": False, "<|channel|>final<|message|>": True}.items():
        assert of(messages).reasoning_ended(tokens(f"<|start|>assistant{end}"), {}) is ended


def test_a_long_prompt_is_read_from_its_end() -> None:
    seen: list[int] = []

    def decode(ids: Any) -> str:
        seen.append(len(ids))
        return "".join(map(chr, ids))

    fmt = parsers.load("hf", "hf", response_template=JSON, decode=decode)
    prompt = tokens("word " * 4000 + PROMPT + "<think>")
    assert streamed(fmt, AUTO, prompt, [["a</think>b"]]) == ("a", "b", [])
    assert max(seen) < 1000
    without = tokens("word " * 400)
    assert streamed(fmt, AUTO, without, [["a"]]) == ("", "a", [])


def test_prompts_that_are_not_known() -> None:
    fmt = parsers.load("hf", "hf", response_template=JSON)
    assert streamed(fmt, AUTO, [1, 2], [["<think>a</think>b"]]) == ("a", "b", [])


def test_the_request_forces_calls() -> None:
    """vLLM's whole answer then has "" for no content."""
    forced = Context(tools=TOOLS, tool_choice="required")
    assert of(JSON).parse([], forced).content == ""
    assert of(JSON).parse([], AUTO).content is None


@pytest.mark.parametrize(
    "state",
    [
        [],
        ["", ["nowhere", ""], None, [0, 0]],
        ["", ["content", ""], None, [0]],
        ["", ["content", ""], ["i", "", "", None], [0, 0]],
        ["", ["tool_calls", ""], ["x", "", "", None], [0, 0]],
        ["", ["tool_calls", ""], ["i", "", "", None], [0, 0]],
        ["", ["tool_calls", ""], ["i", 1, "", ["", ["^", "", ""]]], [0, 0]],
    ],
)
def test_states_that_are_none(state: Any) -> None:
    with pytest.raises(ValueError, match="malformed parser state"):
        of(JSON).resume(state, AUTO)


def test_a_state_whose_marker_is_none() -> None:
    """Nothing but text comes of it."""
    stream = of(JSON).resume(["So", ["tool_calls", ""], None, [0, 0]], AUTO)
    assert added(stream.feed([" it is."]) + stream.finish())[1] == "So it is."
    stream = of(JSON).resume(["So", ["tool_calls", ""], None, [0, 0]], AUTO)
    assert added(stream.finish())[1] == "So"


def test_hidden_reasoning_and_nullable_types() -> None:
    schema = {"properties": {"a": {"type": "integer", "nullable": True}}}
    context = Context(tools=(Tool("run", schema),), tool_choice="auto", include_reasoning=False)
    call = "<tool_call><function=run><parameter=a>null</parameter></function></tool_call>"
    chunks = [[char] for char in f"<think>Hm.</think>So.{call}"]
    expected = ("", "So.", [("run", '{"a": null}')])
    assert (
        streamed(
            of(TEMPLATES["response template, coder"].response_template),
            context,
            None,
            chunks,
            resumed=True,
        )
        == expected
    )
