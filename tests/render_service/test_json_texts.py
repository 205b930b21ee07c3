from __future__ import annotations

import gc
import json

import pytest

from render_service.errors import RequestError
from render_service.messages import conversation
from render_service.protocol.json_bounds import FREE_CONTAINERS, MAX_NESTING
from render_service.protocol.json_texts import check_texts, load_text
from render_service.schema_limits import load_schema

WHAT = ("The texts", "field")


def arrays(count: int) -> str:
    return "[" + "[]," * (count - 2) + "[]]"


def nested(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


def test_texts_share_one_bound() -> None:
    """It grows with their length, as that of a body."""
    most = FREE_CONTAINERS - 2
    check_texts([arrays(most)], *WHAT)
    check_texts([arrays(most), arrays(most), " " * 24 * most], *WHAT)
    for texts in ([arrays(2 * FREE_CONTAINERS)], [arrays(1000)] * 200):
        with pytest.raises(RequestError, match="texts hold too many objects") as refused:
            check_texts(texts, *WHAT)
        assert (refused.value.status, refused.value.param) == (400, "field")


def test_what_stands_in_strings_does_not_count() -> None:
    check_texts([json.dumps({"a": arrays(2 * FREE_CONTAINERS)})], *WHAT)


def test_an_open_string_hides_nothing_of_the_next_text() -> None:
    with pytest.raises(RequestError, match="too many"):
        check_texts(['"', arrays(2 * FREE_CONTAINERS), '"'], *WHAT)


def test_nesting_exactly() -> None:
    load_text(nested(MAX_NESTING), *WHAT)
    for depth in (MAX_NESTING + 1, 30_000):
        with pytest.raises(RequestError, match="nest objects and arrays deeper") as refused:
            load_text(nested(depth), *WHAT)
        assert (refused.value.status, refused.value.param) == (400, "field")


@pytest.mark.parametrize("text", ["{", "[" * 200, "[" * 30_000, '{"a":' * 30_000, "\ud800"])
def test_what_is_no_json(text: str) -> None:
    with pytest.raises(ValueError, match=r"Expecting|closed"):
        load_text(text, *WHAT)


def test_a_schema_is_refused_before_it_is_read() -> None:
    with pytest.raises(RequestError, match="JSON schemas hold too many"):
        load_schema(arrays(2 * FREE_CONTAINERS))


def called(*arguments: str) -> list[dict[str, object]]:
    calls = [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": text}}
        for text in arguments
    ]
    return [{"role": "assistant", "tool_calls": calls}]


@pytest.mark.parametrize(
    "arguments",
    [
        [f'{{"a":{arrays(2 * FREE_CONTAINERS)}}}'],
        [f'{{"a":{arrays(1000)}}}'] * 200,
        [nested(MAX_NESTING + 1)],
    ],
)
def test_arguments_are_refused(arguments: list[str]) -> None:
    with pytest.raises(RequestError) as refused:
        conversation(called(*arguments), content_format="string")
    assert (refused.value.status, refused.value.param) == (400, "tool_calls")


def test_arguments_that_are_no_json_do_not_end_a_conversation() -> None:
    odd = ("[" * 30_000, "{", "5", "9" * 400, "")
    seen = conversation(called(*odd), content_format="string")
    assert [call["function"]["arguments"] for call in seen[0]["tool_calls"]] == [{}] * len(odd)


def test_garbage_is_not_looked_for_meanwhile() -> None:
    collections = []

    def count(phase: str, info: dict[str, int]) -> None:
        collections.append(phase)

    messages = called(*[f'{{"a":{arrays(900)}}}'] * 100)
    gc.callbacks.append(count)
    try:
        conversation(messages, content_format="string")
    finally:
        gc.callbacks.remove(count)
    assert len(collections) < 10
    assert gc.isenabled()
