"""Templates that break prompts, each in one way: where the break is said to be, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from .prefix_conversations import (
    ASK,
    CALLS,
    CALLS_ALONE,
    CHAT,
    CONTENT,
    LATER,
    OPENING,
    RESULT,
    SYSTEM,
    SYSTEM_LAST,
    THANKS,
    TOOL,
    TOOLS_LAST,
    Message,
    answer,
    body,
    broken,
    call,
    checked,
    model,
    newest,
)

TIN = call('{"at": "tin"}')
THOUGHT = [ASK, answer(reasoning="Hm."), THANKS]
CALLED = [ASK, answer("Wait.", **TIN), RESULT]
TOOLS = {"tools": [TOOL]}

Case = tuple[str, int, str | None, list[Message], dict[str, Any]]
BREAKS: Mapping[str, Case] = {
    "reasoning in other white space": (
        "reasoning_changed", 1,
        body("<think>" + newest("", "{{ '\n' }}") + "{{ m.reasoning }}</think>" + CONTENT),
        THOUGHT, {},
    ),
    "content trimmed": (
        "content_changed", 1, body("{{ m.content | trim }}"), [ASK, answer("Hi. \n"), THANKS], {},
    ),
    "white space before it trimmed": (
        "content_changed", 1, body("{{ m.content | trim }}"), [ASK, answer("  Hi."), THANKS], {},
    ),
    "content replaced": (
        "content_changed", 1, body("{{ m.content | replace('tin', 'box') }}"), CHAT, {},
    ),
    "content dropped beside a call": (
        "content_changed", 1, body(CALLS_ALONE.replace("X", CONTENT)), CALLED, {},
    ),
    "arguments spaced": (
        "tool_call_changed", 1, body(CALLS), [ASK, answer(None, **call('{"a":1}')), RESULT], {},
    ),
    "a call in other words": (
        "tool_call_changed", 1, body(newest(CALLS, CALLS.replace('"name"', '"tool"'))), CALLED, {},
    ),
    "a call that is no JSON": (
        "tool_call_changed", 1,
        body("{{ m.content }}{% for c in m.tool_calls or [] %}<tool_call>{{ c.function.name }}"
             "{% endfor %}" + newest("(tin)", "(box)")),
        CALLED, {},
    ),
    "a call dropped": (
        "tool_call_changed", 1, body("{{ m.content or '' }}"),
        [ASK, answer(None, **TIN), RESULT], {},
    ),
    "no end of turn": ("end_of_turn", 1, body(end=""), CHAT, {}),
    "another end of turn": (
        "end_of_turn", 1, body(end=newest("<|im_end|>", "<|endoftext|>")), CHAT, {},
    ),
    "the opening": (
        "opening_changed", 1,
        body(opening=OPENING.replace("{% endif %}", "<think>{% endif %}")), CHAT, {},
    ),
    "an empty block of reasoning": (
        "opening_changed", 1, body(newest("<think></think>") + CONTENT), CHAT, {},
    ),
    "tools beside the last message": ("tools_changed", 0, body(TOOLS_LAST + CONTENT), CHAT, TOOLS),
    "system beside the last message": (
        "system_changed", 0, SYSTEM_LAST.replace("X", "") + OPENING, [SYSTEM, *CHAT], {},
    ),
    "both beside the last message": (
        "tools_and_system_changed", 0,
        SYSTEM_LAST.replace("X", TOOLS_LAST) + OPENING, [SYSTEM, *CHAT], TOOLS,
    ),
    "a later system message": ("system_changed", 0, None, [ASK, answer(), LATER, THANKS], {}),
    "a word behind the last message": (
        "unknown", 0, body(CONTENT + "{% if loop.last %}/think{% endif %}"), CHAT, {},
    ),
    "between reasoning and content": (
        "unknown", 1, body("<think>{{ m.reasoning }}</think>" + newest("...") + CONTENT),
        THOUGHT, {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BREAKS)
def test_where_and_why(case: str) -> None:
    cause, message, template, messages, fields = BREAKS[case]
    turn = checked(model(template), *messages, **fields)[-1]
    assert broken(turn) == (cause, message)
    assert turn.broken is not None
    assert turn.broken.role == messages[message]["role"]


def test_templates_that_refuse_what_is_tried() -> None:
    """The newest message must be a user's: the output is estimated then."""
    picky = (
        "{% if messages[-1].role == 'assistant' %}{{ raise_exception('No.') }}{% endif %}"
        "{% if '\ue000' in messages[0].content %}{{ raise_exception('No.') }}{% endif %}"
    ) + body(TOOLS_LAST + CONTENT)
    (turn,) = checked(model(picky), ASK, answer(), THANKS)
    assert turn.turn.output.source == "estimated"
    assert turn.broken is None
    (turn,) = checked(model(picky), ASK, answer(), THANKS, tools=[TOOL])
    assert broken(turn) == ("tools_changed", 0), "all the same"


def test_templates_that_do_without_nothing() -> None:
    """What is tried to find a cause may be refused as well."""
    moving = SYSTEM_LAST.replace("X", "") + OPENING
    strict = "{% if messages[0].role != 'system' %}{{ raise_exception('No.') }}{% endif %}"
    (turn,) = checked(model(strict + moving), SYSTEM, *CHAT)
    assert broken(turn) == ("unknown", 0)
    hasty = "{% if not add_generation_prompt %}{{ raise_exception('No.') }}{% endif %}"
    (turn,) = checked(model(hasty + body()), *CHAT)
    assert (turn.broken, turn.turn.output.source) == (None, "estimated")
    (turn,) = checked(model(hasty + body("{{ m.content | trim }}")), ASK, answer(" Hi. "), THANKS)
    assert broken(turn) == ("content_changed", 1)
